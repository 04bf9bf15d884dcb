// SPDX-License-Identifier: Apache-2.0
package org.cairn.erasure;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;

/**
 * A systematic Reed-Solomon code: {@code data} units get {@code parity} more, and any {@code data}
 * of them all are enough to have the others again.
 *
 * <p>Units are numbered 0 to {@code data - 1} for the data, which stay as they are, and from {@code
 * data} on for parity. Byte {@code i} of a parity unit depends on bytes {@code i} of the data units
 * only. The first parity unit is their plain exclusive or, as in RAID-5.
 *
 * <p>Immutable, and safe for use by many threads. Making one takes about as long as making a table
 * of 256 bytes for each coefficient; keep it.
 */
public final class ReedSolomon {

  /** There are no more distinct elements in the field. */
  public static final int MAX_UNITS = 256;

  private final int data;
  private final int parity;
  private final int[][] matrix;
  private final Kernels kernels;
  private final Combination encoding;

  /**
   * A code of so many units.
   *
   * @throws IllegalArgumentException if one of them is less than 1 or both are more than {@value
   *     #MAX_UNITS}
   */
  public ReedSolomon(int data, int parity) {
    this(data, parity, Kernels.chosen());
  }

  ReedSolomon(int data, int parity, Kernels kernels) {
    if (data < 1 || parity < 1 || data + parity > MAX_UNITS) {
      throw new IllegalArgumentException(
          "A code of %d data and %d parity units: both must be at least 1, together at most %d"
              .formatted(data, parity, MAX_UNITS));
    }
    this.data = data;
    this.parity = parity;
    this.matrix = Matrix.parity(data, parity);
    this.kernels = kernels;
    this.encoding = new Combination(kernels, matrix, false);
  }

  /** How many units hold data. */
  public int data() {
    return data;
  }

  /** How many units hold parity: so many may be lost. */
  public int parity() {
    return parity;
  }

  /** By what a data unit is multiplied in the sum that is a parity unit; never 0. */
  public byte coefficient(int parityIndex, int dataIndex) {
    return (byte) matrix[parityIndex][dataIndex];
  }

  /**
   * Computes {@code [0, length)} of all parity units, in one pass over memory. What they held
   * before does not matter.
   *
   * @throws IllegalArgumentException if there are too few or too many units
   * @throws IndexOutOfBoundsException if one is shorter than {@code length}
   */
  public void encode(MemorySegment[] data, MemorySegment[] parity, long length) {
    encoding.run(units(data, this.data, parity, this.parity, length), length);
  }

  /**
   * How to have missing units again.
   *
   * @param missing the numbers of all units that are not there
   * @throws IllegalArgumentException if more are missing than the code has parity units, or a
   *     number is none of a unit or is given twice
   */
  public Decoder decoder(int... missing) {
    return new Decoder(this, kernels, missing);
  }

  /** The unit as a sum of data units: itself, or a row of the matrix. */
  int[] row(int unit) {
    if (unit >= data) {
      return matrix[unit - data];
    }
    int[] row = new int[data];
    row[unit] = 1;
    return row;
  }

  /** Sources and targets in one array, after checks. */
  static MemorySegment[] units(
      MemorySegment[] sources,
      int sourceCount,
      MemorySegment[] targets,
      int targetCount,
      long length) {
    if (sources.length != sourceCount || targets.length != targetCount) {
      throw new IllegalArgumentException(
          "%d units to read and %d to write, expected %d and %d"
              .formatted(sources.length, targets.length, sourceCount, targetCount));
    }
    MemorySegment[] all = Arrays.copyOf(sources, sourceCount + targetCount);
    System.arraycopy(targets, 0, all, sourceCount, targetCount);
    for (MemorySegment unit : all) {
      Objects.checkFromIndexSize(0, length, unit.byteSize());
    }
    return all;
  }

  /** For people: {@code 4+2}. */
  @Override
  public String toString() {
    return data + "+" + parity;
  }
}
