// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.cairn.container.DatasetPlan;

/**
 * Some consecutive blocks of a dataset: what a worker takes at a time. Small enough that a dirty
 * block is still in the core's cache when it is copied after it was hashed.
 */
record Tile(DatasetPlan plan, MemorySegment bytes, int firstBlock, int endBlock) {
  private static final int BYTES = 256 << 10;

  /** Cuts a dataset into tiles. */
  static void cut(DatasetPlan plan, MemorySegment bytes, List<Tile> tiles) {
    int blocks = plan.entry().blocks();
    int step = Math.max(1, BYTES / plan.entry().spec().blockSize());
    for (int first = 0; first < blocks; first += step) {
      tiles.add(new Tile(plan, bytes, first, Math.min(first + step, blocks)));
    }
  }

  /** The most blocks a tile can have. */
  static int maxBlocks() {
    return BYTES / 128;
  }

  int blocks() {
    return endBlock - firstBlock;
  }

  long offset(int block) {
    return (long) block * plan.entry().spec().blockSize();
  }

  long length() {
    int last = endBlock - 1;
    return offset(last) + plan.entry().blockLength(last) - offset(firstBlock);
  }
}
