// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;

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
