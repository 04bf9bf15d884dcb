// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.util.ArrayList;
import java.util.List;
import org.cairn.container.DatasetPlan;
import org.cairn.container.StagedBlocks;

/** A staging buffer with what the writer must know of it besides the blocks themselves. */
final class Batch {
  private final StagedBlocks blocks;
  private final List<Undigested> undigested = new ArrayList<>();
  private int moved;

  /** Staged blocks, side by side, of one dataset, of which the digests are still to be computed. */
  record Undigested(DatasetPlan plan, int firstBlock, int count, int firstIndex, long position) {}

  Batch(StagedBlocks blocks) {
    this.blocks = blocks;
  }

  StagedBlocks blocks() {
    return blocks;
  }

  /** How many of the blocks were clean. */
  int moved() {
    return moved;
  }

  void countMoved() {
    moved++;
  }

  List<Undigested> undigested() {
    return undigested;
  }

  void clear() {
    blocks.clear();
    undigested.clear();
    moved = 0;
  }
}
