// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import java.util.Arrays;
import org.cairn.supply.Supply;

/**
 * The last values of a piece, as far back as predictions reach and a tile more, in a ring of whole
 * tiles: so a tile lies in one run, and what is before it in one or two. Before the first value
 * there are zeros.
 */
final class LongPast {
  private long[] values = new long[0];
  private int length;

  void begin(int reach) {
    length = (reach + 2 * LongTiles.TILE - 1) / LongTiles.TILE * LongTiles.TILE;
    if (values.length < length) {
      values = Supply.longs(length);
    }
    Arrays.fill(values, length - reach, length, 0);
  }

  long[] values() {
    return values;
  }

  /** The place of an element. */
  int place(int at) {
    return at % length;
  }

  /** The place of what lies so many elements before it. */
  int before(int at, int distance) {
    int before = at % length - distance;
    return before < 0 ? before + length : before;
  }

  /** How many of {@code n} values, from this place on, lie in one run. */
  int run(int place, int n) {
    return Math.min(n, length - place);
  }
}
