// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import org.cairn.supply.NativeAccess;
import org.cairn.supply.Supply;

/**
 * The calls of Linux that page tracking needs. Results below zero are errors, with the sign turned.
 */
final class LinuxCalls {
  static final int NOT_PERMITTED = 1;
  static final int TOO_MANY_OPEN = 24;
  static final int NOT_A_CALL_OF_THIS_FILE = 25;
  static final int NOT_KNOWN_TO_THE_KERNEL = 38;
  static final int NO_MEMORY = 12;
  static final int BUSY = 16;
  static final int INVALID = 22;

  private static final int READ_ONLY_CLOSE_ON_EXEC = 0x80000;
  private static final long FAILED_MAPPING = -1;
  private static final int READ_AND_WRITE = 3;
  private static final int PRIVATE_ANONYMOUS = 0x22;

  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERROR =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private final MethodHandle syscall;
  private final MethodHandle ioctl;
  private final MethodHandle open;
  private final MethodHandle close;
  private final MethodHandle mmap;
  private final MethodHandle munmap;
  private final MethodHandle memmove;
  private final int pageSize;
  private final MemorySegment state;

  private LinuxCalls() {
    Linker linker = Linker.nativeLinker();
    SymbolLookup library = linker.defaultLookup();
    Linker.Option errno = Linker.Option.captureCallState("errno");
    // Arguments that a C prototype leaves open travel otherwise on some processors.
    syscall =
        linker.downcallHandle(
            library.findOrThrow("syscall"),
            FunctionDescriptor.of(
                ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG),
            Linker.Option.firstVariadicArg(1),
            errno);
    ioctl =
        linker.downcallHandle(
            library.findOrThrow("ioctl"),
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG,
                ValueLayout.ADDRESS),
            Linker.Option.firstVariadicArg(2),
            errno);
    open =
        linker.downcallHandle(
            library.findOrThrow("open"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
            Linker.Option.firstVariadicArg(2),
            errno);
    close =
        linker.downcallHandle(
            library.findOrThrow("close"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    mmap =
        linker.downcallHandle(
            library.findOrThrow("mmap"),
            FunctionDescriptor.of(
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG));
    munmap =
        linker.downcallHandle(
            library.findOrThrow("munmap"),
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
    memmove =
        linker.downcallHandle(
            library.findOrThrow("memmove"),
            FunctionDescriptor.of(
                ValueLayout.JAVA_LONG,
                ValueLayout.ADDRESS,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG),
            Linker.Option.critical(true));
    MethodHandle size =
        linker.downcallHandle(
            library.findOrThrow("getpagesize"), FunctionDescriptor.of(ValueLayout.JAVA_INT));
    state = Supply.autoArena().allocate(STATE);
    try {
      pageSize = (int) size.invokeExact();
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  /**
   * The calls, if they can be made.
   *
   * @throws UnwatchableException on another system, or without permission of the program
   */
  static LinuxCalls find() throws UnwatchableException {
    String system = System.getProperty("os.name");
    if (!system.equals("Linux")) {
      throw new UnwatchableException(
          "writes to pages are tracked on Linux only, this is " + system);
    }
    // Asking without permission would print a warning into the program's output.
    if (!LinuxCalls.class.getModule().isNativeAccessEnabled()) {
      throw new UnwatchableException(
          "java was started without " + NativeAccess.flag(LinuxCalls.class));
    }
    return new LinuxCalls();
  }

  int pageSize() {
    return pageSize;
  }

  /** A system call of one argument. */
  int call(long number, long argument) {
    try {
      long result = (long) syscall.invokeExact(state, number, argument);
      return result < 0 ? -error() : (int) result;
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  int ioctl(int descriptor, long request, MemorySegment argument) {
    try {
      int result = (int) ioctl.invokeExact(state, descriptor, request, argument);
      return result < 0 ? -error() : result;
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  int openToRead(String path) {
    try (Arena arena = Supply.confinedArena()) {
      int result = (int) open.invokeExact(state, arena.allocateFrom(path), READ_ONLY_CLOSE_ON_EXEC);
      return result < 0 ? -error() : result;
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  private int error() {
    return (int) ERROR.get(state, 0L);
  }

  void close(int descriptor) {
    try {
      int _ = (int) close.invokeExact(descriptor);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  /** Fresh private memory of whole pages; {@code NULL} if there is none. */
  MemorySegment map(long bytes) {
    try {
      long address = (long) mmap.invokeExact(0L, bytes, READ_AND_WRITE, PRIVATE_ANONYMOUS, -1, 0L);
      return address == FAILED_MAPPING
          ? MemorySegment.NULL
          : MemorySegment.ofAddress(address).reinterpret(bytes);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  void unmap(MemorySegment mapped) {
    try {
      int _ = (int) munmap.invokeExact(mapped.address(), mapped.byteSize());
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  /**
   * Where memory is now, of the Java heap too: moving nothing to where it is answers with that
   * place.
   */
  long addressOf(MemorySegment memory) {
    try {
      return (long) memmove.invokeExact(memory, memory, 0L);
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  private static AssertionError impossible(Throwable e) {
    return new AssertionError("a call of the system cannot be made", e);
  }
}
