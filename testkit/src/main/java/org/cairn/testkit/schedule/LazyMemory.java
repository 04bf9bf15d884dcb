// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.schedule;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Native memory that is made only where it is touched: a simulation takes megabytes for kilobytes
 * of state, again and again, and the JDK would fill all of them with zeros.
 */
record LazyMemory(Arena arena) implements Arena {
  /** Less than this is filled faster than the system is asked. */
  private static final long LARGE = 256 << 10;

  private static final long PAGE = 4096;
  private static final int READ_WRITE = 3;
  private static final int PRIVATE_ANONYMOUS = 0x22;
  private static final boolean LINUX = System.getProperty("os.name").equals("Linux");

  /** As in sys/mman.h. */
  private static final class Mapping {
    private static final Linker LINKER = Linker.nativeLinker();

    static final MethodHandle MAP =
        function(
            "mmap",
            FunctionDescriptor.of(
                ValueLayout.ADDRESS,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG));

    static final MethodHandle UNMAP =
        function(
            "munmap",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));

    private static MethodHandle function(String name, FunctionDescriptor type) {
      return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type);
    }
  }

  @Override
  public MemorySegment allocate(long byteSize, long byteAlignment) {
    return LINUX && byteSize >= LARGE && byteAlignment <= PAGE
        ? map(byteSize)
        : arena.allocate(byteSize, byteAlignment);
  }

  private MemorySegment map(long bytes) {
    try {
      MemorySegment address =
          (MemorySegment)
              Mapping.MAP.invokeExact(
                  MemorySegment.NULL, bytes, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0L);
      if (address.address() == -1) {
        throw new OutOfMemoryError("no memory to map " + bytes + " bytes");
      }
      return address.reinterpret(bytes, arena, LazyMemory::unmap);
    } catch (Error | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static void unmap(MemorySegment mapped) {
    try {
      int _ = (int) Mapping.UNMAP.invokeExact(mapped, mapped.byteSize());
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public MemorySegment.Scope scope() {
    return arena.scope();
  }

  @Override
  public void close() {
    arena.close();
  }
}
