// SPDX-License-Identifier: Apache-2.0
package org.cairn.erasure;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The way back from one set of missing units: each is a sum of multiples of the same {@code data}
 * units that are there. Made by {@link ReedSolomon#decoder}.
 *
 * <p>Data units are taken before parity units, and these from the first on: with one data unit
 * missing, all coefficients are 1. Immutable, and safe for use by many threads.
 */
public final class Decoder {

  private final int[] missing;
  private final int[] sources;
  private final int[][] rows;
  private final Combination decoding;

  Decoder(ReedSolomon code, Kernels kernels, int[] missing) {
    BitSet lost = checked(code, missing);
    this.missing = missing.clone();
    this.sources = present(lost, code.data());
    int[][] present = Arrays.stream(sources).mapToObj(code::row).toArray(int[][]::new);
    int[][] wanted = Arrays.stream(missing).mapToObj(code::row).toArray(int[][]::new);
    this.rows = Matrix.product(wanted, Matrix.inverse(present));
    this.decoding = new Combination(kernels, rows, false);
  }

  private static BitSet checked(ReedSolomon code, int[] missing) {
    if (missing.length == 0) {
      throw new IllegalArgumentException("Nothing is missing");
    }
    if (missing.length > code.parity()) {
      throw new IllegalArgumentException(
          "%d units are missing, %s: a code %s survives the loss of %d"
              .formatted(missing.length, Arrays.toString(missing), code, code.parity()));
    }
    BitSet lost = new BitSet();
    for (int unit : missing) {
      if (unit < 0 || unit >= code.data() + code.parity() || lost.get(unit)) {
        throw new IllegalArgumentException(
            "Missing units %s: not distinct numbers of units of a code %s"
                .formatted(Arrays.toString(missing), code));
      }
      lost.set(unit);
    }
    return lost;
  }

  private static int[] present(BitSet lost, int count) {
    int[] present = new int[count];
    int unit = -1;
    for (int i = 0; i < count; i++) {
      unit = lost.nextClearBit(unit + 1);
      present[i] = unit;
    }
    return present;
  }

  /** The missing units, in the order in which they were named. */
  public int[] missing() {
    return missing.clone();
  }

  /** The units to read, as many as the code has data units, in ascending order. */
  public int[] sources() {
    return sources.clone();
  }

  /**
   * By what a unit that is there is multiplied in the sum that is a missing one.
   *
   * @param missingIndex an index of {@link #missing()}
   * @param sourceIndex an index of {@link #sources()}
   */
  public byte coefficient(int missingIndex, int sourceIndex) {
    return (byte) rows[missingIndex][sourceIndex];
  }

  /**
   * Computes {@code [0, length)} of all missing units, in one pass over memory.
   *
   * @param sources the units that {@link #sources()} names, in this order
   * @param targets where the units of {@link #missing()} go, in this order
   */
  public void decode(MemorySegment[] sources, MemorySegment[] targets, long length) {
    decoding.run(
        ReedSolomon.units(sources, this.sources.length, targets, missing.length, length), length);
  }
}
