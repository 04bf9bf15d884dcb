// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.util.ArrayList;
import java.util.List;
import org.cairn.container.DatasetPlan;
import org.cairn.container.StagedBlocks;
import org.cairn.supply.Supply;

/**
 * A staging buffer with what the writer must know of it besides the blocks themselves. Reused from
 * checkpoint to checkpoint with all that it needs, so that steady work allocates nothing.
 */
final class Batch {
  private final StagedBlocks blocks;

  /** Those that are noted come first; the rest are left from checkpoints before. */
  private final List<Part> parts = new ArrayList<>();

  /** Of which dataset each part is: a plan is not held longer than it is needed. */
  private final List<DatasetPlan> plans = new ArrayList<>();

  private int moved;
  private boolean compared;
  private long writtenBy;
  private long[] again = new long[0];

  /** Raw blocks, side by side in the buffer as in their dataset. */
  static final class Part {
    int firstBlock;
    int count;
    int firstIndex;
    long position;

    /** Whether their digests are known, from live memory; else they are still to be computed. */
    boolean digested;

    private int end() {
      return firstIndex + count;
    }

    private boolean isFollowedBy(int block, int index, boolean known) {
      return block == firstBlock + count && index == end() && known == digested;
    }
  }

  Batch(StagedBlocks blocks) {
    this.blocks = blocks;
  }

  StagedBlocks blocks() {
    return blocks;
  }

  /** Notes which checkpoint the blocks belong to. */
  void writtenBy(long checkpoint) {
    writtenBy = checkpoint;
  }

  long writtenBy() {
    return writtenBy;
  }

  /** How many of the blocks were clean. */
  int moved() {
    return moved;
  }

  void countMoved() {
    moved++;
  }

  /** Whether all copies were found to be what was hashed. */
  boolean isCompared() {
    return compared;
  }

  void compared() {
    compared = true;
  }

  /** Notes that the block to be staged next will be a copy, as it is, of a block of a dataset. */
  void noteRaw(DatasetPlan plan, int block, boolean digested) {
    int index = blocks.blocks();
    int last = parts() - 1;
    if (last >= 0
        && plans.get(last) == plan
        && parts.get(last).isFollowedBy(block, index, digested)) {
      parts.get(last).count++;
      return;
    }
    assert last < 0 || index >= parts.get(last).end() : "parts are out of order";
    if (parts() == parts.size()) {
      parts.add(new Part());
    }
    Part part = parts.get(parts());
    plans.add(plan);
    part.firstBlock = block;
    part.count = 1;
    part.firstIndex = index;
    part.position = blocks.used();
    part.digested = digested;
  }

  int parts() {
    return plans.size();
  }

  Part part(int index) {
    return parts.get(index);
  }

  /** The dataset that a part is of. */
  DatasetPlan plan(int index) {
    return plans.get(index);
  }

  /** Room for the digests of so many blocks, besides those that are staged with them. */
  long[] room(int count) {
    if (again.length < 2 * count) {
      again = Supply.longs(2 * count);
    }
    return again;
  }

  void clear() {
    blocks.clear();
    written();
  }

  /** Nobody but who reads its blocks needs it any more. */
  void written() {
    plans.clear();
    moved = 0;
    compared = false;
  }
}
