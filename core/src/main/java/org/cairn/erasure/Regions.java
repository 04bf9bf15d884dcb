// SPDX-License-Identifier: Apache-2.0
package org.cairn.erasure;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Arithmetic of {@link GaloisField} on whole regions of memory.
 *
 * <p>Native memory is read and written in place. Heap and mapped segments are accepted too and go
 * through a small native window. Regions of one call must not overlap.
 */
public final class Regions {

  /** One for each coefficient, made when first used. */
  private static final AtomicReferenceArray<Combination> MULTIPLICATIONS =
      new AtomicReferenceArray<>(256);

  private Regions() {}

  /**
   * Adds a multiple of one region to another: {@code target ^= coefficient * source}. A coefficient
   * of 1 is plain exclusive or, one of 0 does nothing.
   */
  public static void multiplyAdd(
      byte coefficient,
      MemorySegment source,
      long sourceOffset,
      MemorySegment target,
      long targetOffset,
      long length) {
    Objects.checkFromIndexSize(sourceOffset, length, source.byteSize());
    Objects.checkFromIndexSize(targetOffset, length, target.byteSize());
    if (coefficient == 0 || length == 0) {
      return;
    }
    MemorySegment[] memory = {
      source.asSlice(sourceOffset, length), target.asSlice(targetOffset, length)
    };
    multiplication(coefficient & 0xFF).run(memory, length);
  }

  private static Combination multiplication(int coefficient) {
    Combination known = MULTIPLICATIONS.get(coefficient);
    if (known == null) {
      known = new Combination(Kernels.chosen(), new int[][] {{coefficient}}, true);
      MULTIPLICATIONS.set(coefficient, known);
    }
    return known;
  }
}
