// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import org.cairn.supply.Supply;

/** Where runs of blocks have come to lie. */
final class PlacedBlocks {
  private long[] runs = new long[12]; // dataset << 32 | first block, number of blocks, address
  private int count;

  /** Is told where blocks lie. */
  interface Visitor {
    void run(int dataset, int first, int blocks, long address);
  }

  void add(int dataset, int first, int blocks, long address) {
    if (3 * count == runs.length) {
      runs = Supply.copy(runs, 2 * runs.length);
    }
    runs[3 * count] = (long) dataset << 32 | first;
    runs[3 * count + 1] = blocks;
    runs[3 * count + 2] = address;
    count++;
  }

  void forEach(Visitor visitor) {
    for (int i = 0; i < count; i++) {
      long key = runs[3 * i];
      visitor.run((int) (key >>> 32), (int) key, (int) runs[3 * i + 1], runs[3 * i + 2]);
    }
  }
}
