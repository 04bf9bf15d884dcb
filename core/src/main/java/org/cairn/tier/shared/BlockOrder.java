// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import org.cairn.supply.Supply;

/**
 * Blocks in the order in which a rank gives them away, as stretches of one dataset. Each has an
 * ordinal, counted from the first.
 */
final class BlockOrder {
  private int[] stretches = new int[12]; // dataset, first block, number of blocks
  private final BitSet moved = new BitSet(); // by stretches
  private int count;
  private int blocks;

  /** Is shown one block after the other. */
  interface Visitor {
    /**
     * Sees a block.
     *
     * @param dataset by its number
     * @param moves whether it did not change
     * @param ordinal its place in the order
     */
    void block(int dataset, int block, boolean moves, int ordinal) throws IOException;
  }

  /** How many blocks there are. */
  int blocks() {
    return blocks;
  }

  /** Adds blocks of a dataset from one on and before another. */
  void add(int dataset, int first, int end, boolean moves) {
    blocks = Math.addExact(blocks, end - first);
    int last = 3 * (count - 1);
    if (count > 0
        && stretches[last] == dataset
        && stretches[last + 1] + stretches[last + 2] == first
        && moved.get(count - 1) == moves) {
      stretches[last + 2] += end - first;
      return;
    }
    if (3 * count == stretches.length) {
      int[] more = Supply.ints(2 * stretches.length);
      System.arraycopy(stretches, 0, more, 0, stretches.length);
      stretches = more;
    }
    stretches[3 * count] = dataset;
    stretches[3 * count + 1] = first;
    stretches[3 * count + 2] = end - first;
    moved.set(count, moves);
    count++;
  }

  /** Shows all, from the first on. */
  void forEach(Visitor visitor) throws IOException {
    Cursor cursor = new Cursor();
    while (cursor.next()) {
      visitor.block(cursor.dataset(), cursor.block(), cursor.moves(), cursor.ordinal());
    }
  }

  Cursor cursor() {
    return new Cursor();
  }

  /** Goes from block to block. */
  final class Cursor {
    private int stretch;
    private int inStretch = -1;
    private int ordinal = -1;

    /** Goes to the next block; false if there is none. */
    boolean next() {
      inStretch++;
      ordinal++;
      if (stretch < count && inStretch == stretches[3 * stretch + 2]) {
        stretch++;
        inStretch = 0;
      }
      return stretch < count;
    }

    int dataset() {
      return stretches[3 * stretch];
    }

    int block() {
      return stretches[3 * stretch + 1] + inStretch;
    }

    boolean moves() {
      return moved.get(stretch);
    }

    int ordinal() {
      return ordinal;
    }
  }

  @Override
  public String toString() {
    return Arrays.toString(Arrays.copyOf(stretches, 3 * count));
  }
}
