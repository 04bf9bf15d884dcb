// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import java.io.ByteArrayOutputStream;
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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Asks Linux for holes. */
record SystemHoles(MethodHandle open, MethodHandle lseek, MethodHandle close) implements Holes {
  private static final int READ_ONLY = 0;

  /** A pipe must not hold us; close when another program is started. */
  private static final int FLAGS = READ_ONLY | 0x800 | 0x80000;

  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;
  private static final int NO_SUCH_PLACE = 6;

  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERROR =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  /** The plain twin where Linux is not there to ask, or must not be. */
  static final Holes INSTALLED = find();

  private static Holes find() {
    boolean linux = System.getProperty("os.name").equals("Linux");
    // Asking without permission would print a warning into the program's output.
    if (!linux || !SystemHoles.class.getModule().isNativeAccessEnabled()) {
      return Holes.none();
    }
    try {
      return of(Linker.nativeLinker());
    } catch (UnsupportedOperationException e) {
      return Holes.none(); // a machine whose functions Java cannot call
    }
  }

  private static Holes of(Linker linker) {
    SymbolLookup library = linker.defaultLookup();
    return new SystemHoles(
        linker.downcallHandle(
            library.findOrThrow("open"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
            Linker.Option.firstVariadicArg(2)),
        linker.downcallHandle(
            library.findOrThrow("lseek"),
            FunctionDescriptor.of(
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT),
            Linker.Option.captureCallState("errno")),
        linker.downcallHandle(
            library.findOrThrow("close"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT)));
  }

  @Override
  public List<Hole> of(Path path, long size) {
    try (Arena arena = Arena.ofConfined()) {
      int descriptor = (int) open.invokeExact(nameOf(path, arena), FLAGS);
      if (descriptor < 0) {
        return List.of();
      }
      try {
        return holes(descriptor, size, arena.allocate(STATE));
      } finally {
        int _ = (int) close.invokeExact(descriptor);
      }
    } catch (Throwable e) {
      throw impossible(e);
    }
  }

  private List<Hole> holes(int descriptor, long size, MemorySegment state) throws Throwable {
    List<Hole> holes = new ArrayList<>();
    long position = 0;
    while (position < size && holes.size() < MOST) {
      long hole = seek(descriptor, position, SEEK_HOLE, state);
      if (hole < position || hole >= size) {
        break; // no hole (one begins at the end of every file), or none that is told of
      }
      long data = Math.min(size, dataBehind(descriptor, hole, size, state));
      if (data <= hole) {
        break; // it changes while we look
      }
      if (data - hole >= SHORTEST) {
        holes.add(new Hole(hole, data - hole));
      }
      position = data;
    }
    return holes;
  }

  /** Where a hole ends; negative if the system does not tell. */
  private long dataBehind(int descriptor, long hole, long size, MemorySegment state)
      throws Throwable {
    long data = seek(descriptor, hole, SEEK_DATA, state);
    return data < 0 && (int) ERROR.get(state, 0L) == NO_SUCH_PLACE ? size : data;
  }

  private long seek(int descriptor, long position, int whence, MemorySegment state)
      throws Throwable {
    return (long) lseek.invokeExact(state, descriptor, position, whence);
  }

  /** The bytes of a name, which need not be those of any text: its URI has them as they are. */
  private static MemorySegment nameOf(Path path, Arena arena) {
    String escaped = path.toUri().getRawPath();
    ByteArrayOutputStream name = new ByteArrayOutputStream();
    for (int i = 0; i < escaped.length(); i++) {
      if (escaped.charAt(i) == '%') {
        name.write(Integer.parseInt(escaped, i + 1, i + 3, 16));
        i += 2;
      } else {
        name.write(escaped.charAt(i));
      }
    }
    name.write(0);
    return arena.allocateFrom(ValueLayout.JAVA_BYTE, name.toByteArray());
  }

  private static RuntimeException impossible(Throwable e) {
    return switch (e) {
      case RuntimeException cause -> cause;
      case Error cause -> throw cause;
      default -> new IllegalStateException("a call of the system", e);
    };
  }
}
