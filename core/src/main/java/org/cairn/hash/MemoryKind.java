// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What lies behind a {@link MemorySegment}.
 *
 * <p>The JIT makes fast code for a kernel only while it meets one implementation of {@code
 * MemorySegment}; the JDK has one per kind listed here. A kernel therefore exists once per kind,
 * see {@link KernelCopies}.
 */
enum MemoryKind {
  NATIVE,
  MAPPED,
  BYTES,
  SHORTS,
  CHARS,
  INTS,
  LONGS,
  FLOATS,
  DOUBLES,
  /** Read-only heap segments, which hide their array. */
  HIDDEN;

  /**
   * The class of all segments of this kind; null if there is not one, or none that can be asked.
   */
  @Nullable Class<?> segments() {
    return switch (this) {
      case NATIVE -> MemorySegment.NULL.getClass();
      case BYTES -> MemorySegment.ofArray(new byte[0]).getClass();
      case SHORTS -> MemorySegment.ofArray(new short[0]).getClass();
      case CHARS -> MemorySegment.ofArray(new char[0]).getClass();
      case INTS -> MemorySegment.ofArray(new int[0]).getClass();
      case LONGS -> MemorySegment.ofArray(new long[0]).getClass();
      case FLOATS -> MemorySegment.ofArray(new float[0]).getClass();
      case DOUBLES -> MemorySegment.ofArray(new double[0]).getClass();
      case MAPPED, HIDDEN -> null;
    };
  }

  static MemoryKind of(MemorySegment segment) {
    if (segment.isNative()) {
      return segment.isMapped() ? MAPPED : NATIVE;
    }
    return switch (segment.heapBase().orElse(null)) {
      case byte[] _ -> BYTES;
      case short[] _ -> SHORTS;
      case char[] _ -> CHARS;
      case int[] _ -> INTS;
      case long[] _ -> LONGS;
      case float[] _ -> FLOATS;
      case double[] _ -> DOUBLES;
      case null, default -> HIDDEN;
    };
  }
}
