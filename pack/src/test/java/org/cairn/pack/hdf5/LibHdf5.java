// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The HDF5 library itself, as far as tests write files with it and ask it for the truth. Functions
 * are called by name; what they take follows from the arguments: {@code int}, {@code long} (an
 * identifier), {@code long[]}, a string or memory.
 */
final class LibHdf5 {
  private static final List<String> NAMES =
      List.of(
          "libhdf5_serial.so.103",
          "libhdf5_serial.so.310",
          "libhdf5.so.103",
          "libhdf5.so.310",
          "libhdf5.so");

  private static final Optional<LibHdf5> LOADED = load();

  private final SymbolLookup symbols;
  private final Map<String, MethodHandle> functions = new HashMap<>();

  private LibHdf5(SymbolLookup symbols) {
    this.symbols = symbols;
  }

  /** The library of this machine; the test is left out if it has none. */
  static LibHdf5 required() {
    assumeTrue(LOADED.isPresent(), "libhdf5 is missing, which ./setup installs");
    return LOADED.get();
  }

  private static Optional<LibHdf5> load() {
    for (String name : NAMES) {
      try {
        // Never closed: the library has a handler that runs when the process ends.
        LibHdf5 library = new LibHdf5(SymbolLookup.libraryLookup(name, Arena.global()));
        library.ok("H5open");
        library.ok("H5Eset_auto2", 0L, MemorySegment.NULL, MemorySegment.NULL);
        return Optional.of(library);
      } catch (IllegalArgumentException e) {
        // The next name.
      }
    }
    return Optional.empty();
  }

  /** An identifier that the library has in a variable, as {@code H5T_IEEE_F64LE_g}. */
  long constant(String name) {
    return symbols.findOrThrow(name).reinterpret(Long.BYTES).get(ValueLayout.JAVA_LONG, 0);
  }

  /** Calls what returns an identifier. */
  long id(String name, Object... arguments) {
    long result = (long) call(name, ValueLayout.JAVA_LONG, arguments);
    if (result < 0) {
      throw new IllegalStateException(name + " failed");
    }
    return result;
  }

  /** Calls what returns a place in a file, or −1. */
  long place(String name, Object... arguments) {
    return (long) call(name, ValueLayout.JAVA_LONG, arguments);
  }

  /** Calls what returns a small number. */
  int number(String name, Object... arguments) {
    int result = (int) call(name, ValueLayout.JAVA_INT, arguments);
    if (result < 0) {
      throw new IllegalStateException(name + " failed");
    }
    return result;
  }

  /** Calls what returns whether it worked. */
  void ok(String name, Object... arguments) {
    number(name, arguments);
  }

  private synchronized Object call(String name, MemoryLayout result, Object[] arguments) {
    MethodHandle function = functions.computeIfAbsent(name, _ -> bind(name, result, arguments));
    try (Arena arena = Arena.ofConfined()) {
      return function.invokeWithArguments(
          Stream.of(arguments).map(argument -> passed(arena, argument)).toArray());
    } catch (Throwable e) {
      throw new IllegalStateException(name, e);
    }
  }

  private MethodHandle bind(String name, MemoryLayout result, Object[] arguments) {
    MemoryLayout[] layouts = Stream.of(arguments).map(LibHdf5::layout).toArray(MemoryLayout[]::new);
    return Linker.nativeLinker()
        .downcallHandle(symbols.findOrThrow(name), FunctionDescriptor.of(result, layouts));
  }

  private static MemoryLayout layout(Object argument) {
    return switch (argument) {
      case Integer _ -> ValueLayout.JAVA_INT;
      case Long _ -> ValueLayout.JAVA_LONG;
      default -> ValueLayout.ADDRESS;
    };
  }

  private static Object passed(Arena arena, Object argument) {
    return switch (argument) {
      case long[] numbers when numbers.length == 0 -> MemorySegment.NULL;
      case long[] numbers -> arena.allocateFrom(ValueLayout.JAVA_LONG, numbers);
      case int[] numbers -> arena.allocateFrom(ValueLayout.JAVA_INT, numbers);
      case byte[] bytes -> arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
      case String text -> arena.allocateFrom(text);
      default -> argument;
    };
  }
}
