// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import java.util.Arrays;
import org.cairn.supply.Supply;

/**
 * The last values of a piece, as many as lie between a value and what predicts it and a tile more,
 * in a ring of whole tiles: so a tile lies in one run, and what is before it in one or two. Before
 * the first value there are zeros.
 */
final class IntPast {
  private int[] values = new int[0];
  private int stride;
  private int length;

  void begin(int newStride) {
    stride = newStride;
    length = (newStride + 2 * IntTiles.TILE - 1) / IntTiles.TILE * IntTiles.TILE;
    if (values.length < length) {
      values = Supply.ints(length);
    }
    Arrays.fill(values, length - stride, length, 0);
  }

  int[] values() {
    return values;
  }

  int stride() {
    return stride;
  }

  /** The place of the tile that begins with this element. */
  int place(int at) {
    return at % length;
  }

  /** The place of what predicts this element. */
  int before(int at) {
    int before = at % length - stride;
    return before < 0 ? before + length : before;
  }

  /** How many of {@code n} values, from this place on, lie in one run. */
  int run(int before, int n) {
    return Math.min(n, length - before);
  }
}
