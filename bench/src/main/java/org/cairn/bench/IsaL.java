// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * Intel's ISA-L, which despite its name has kernels for ARM too: what erasure codes are measured
 * against.
 */
record IsaL(MethodHandle initTables, MethodHandle encodeData) {

  /** What to do where it is missing. */
  static final String REMEDY = "ISA-L is missing; on Debian: apt-get install libisal2";

  private static final int TABLE_BYTES = 32;

  /** The library of this machine, if it has one. */
  static Optional<IsaL> load() {
    try {
      SymbolLookup library = SymbolLookup.libraryLookup("libisal.so.2", Arena.global());
      return Optional.of(
          new IsaL(
              bind(
                  library,
                  "ec_init_tables",
                  FunctionDescriptor.ofVoid(
                      ValueLayout.JAVA_INT,
                      ValueLayout.JAVA_INT,
                      ValueLayout.ADDRESS,
                      ValueLayout.ADDRESS)),
              bind(
                  library,
                  "ec_encode_data",
                  FunctionDescriptor.ofVoid(
                      ValueLayout.JAVA_INT,
                      ValueLayout.JAVA_INT,
                      ValueLayout.JAVA_INT,
                      ValueLayout.ADDRESS,
                      ValueLayout.ADDRESS,
                      ValueLayout.ADDRESS))));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static MethodHandle bind(SymbolLookup library, String name, FunctionDescriptor type) {
    return Linker.nativeLinker().downcallHandle(library.findOrThrow(name), type);
  }

  /** The tables of coefficients, given as rows of targets and columns of sources. */
  MemorySegment tables(Arena arena, byte[][] rows) {
    int sources = rows[0].length;
    MemorySegment matrix = arena.allocate((long) rows.length * sources);
    for (int i = 0; i < rows.length; i++) {
      MemorySegment.copy(rows[i], 0, matrix, ValueLayout.JAVA_BYTE, (long) i * sources, sources);
    }
    MemorySegment tables = arena.allocate((long) TABLE_BYTES * rows.length * sources, 64);
    try {
      initTables.invokeExact(sources, rows.length, matrix, tables);
    } catch (Throwable e) {
      throw new IllegalStateException("ec_init_tables", e);
    }
    return tables;
  }

  /** The addresses of segments, as the library wants them. */
  static MemorySegment pointers(Arena arena, MemorySegment[] segments) {
    MemorySegment pointers = arena.allocate(ValueLayout.ADDRESS, segments.length);
    for (int i = 0; i < segments.length; i++) {
      pointers.setAtIndex(ValueLayout.ADDRESS, i, segments[i]);
    }
    return pointers;
  }

  /** Computes targets from sources; for encoding and decoding alike. */
  void encode(
      int length,
      int sources,
      int targets,
      MemorySegment tables,
      MemorySegment sourcePointers,
      MemorySegment targetPointers) {
    try {
      encodeData.invokeExact(length, sources, targets, tables, sourcePointers, targetPointers);
    } catch (Throwable e) {
      throw new IllegalStateException("ec_encode_data", e);
    }
  }
}
