// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.util.Arrays;

/**
 * A box of cells that ranks share, each with a box of the same shape, the last axis fastest.
 *
 * @param own how many cells a rank has along each axis
 * @param ranks how many ranks there are along each axis
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Domain(int[] own, int[] ranks) {
  /** Ranks in boxes as near to cubes as their number allows. */
  static Domain of(int ranks, int... own) {
    int[] along = new int[own.length];
    int left = ranks;
    for (int axis = 0; axis < own.length; axis++) {
      int wanted = (int) Math.ceil(Math.pow(left, 1.0 / (own.length - axis)) - 1e-9);
      while (left % wanted != 0) {
        wanted++;
      }
      along[axis] = wanted;
      left /= wanted;
    }
    return new Domain(own, along);
  }

  int[] shape() {
    int[] shape = new int[own.length];
    Arrays.setAll(shape, axis -> own[axis] * ranks[axis]);
    return shape;
  }

  int cells() {
    return Arrays.stream(shape()).reduce(1, Math::multiplyExact);
  }

  /** What a rank has of a field over all cells. */
  double[] part(double[] field, int rank) {
    int[] shape = shape();
    int axes = own.length;
    int[] at = new int[axes];
    int left = rank;
    for (int axis = axes - 1; axis >= 0; axis--) {
      at[axis] = left % ranks[axis] * own[axis];
      left /= ranks[axis];
    }
    int row = own[axes - 1];
    double[] part = new double[Arrays.stream(own).reduce(1, Math::multiplyExact)];
    for (int to = 0; to < part.length; to += row) {
      int rest = to / row;
      int from = at[axes - 1];
      int stride = shape[axes - 1];
      for (int axis = axes - 2; axis >= 0; axis--) {
        from += (at[axis] + rest % own[axis]) * stride;
        rest /= own[axis];
        stride *= shape[axis];
      }
      System.arraycopy(field, from, part, to, row);
    }
    return part;
  }

  /** The side of a square or cube of about so many cells, a multiple of 4. */
  static int side(double cells, int axes) {
    return Math.max(4, (int) Math.round(Math.pow(cells, 1.0 / axes) / 4) * 4);
  }
}
