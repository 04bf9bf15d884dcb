// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.util.ArrayList;
import java.util.List;
import org.cairn.container.DatasetPlan;
import org.cairn.container.StagedBlocks;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * A staging buffer with what the writer must know of it besides the blocks themselves. Reused from
 * checkpoint to checkpoint with all that it needs, so that steady work allocates nothing.
 */
final class Batch {
  private final StagedBlocks blocks;
  private final List<Part> parts = new ArrayList<>();
  private int partCount;
  private int moved;
  private long writtenBy;
  private long[] again = new long[0];

  /** Raw blocks, side by side in the buffer as in their dataset. */
  static final class Part {
    private @Nullable DatasetPlan plan;
    int firstBlock;
    int count;
    int firstIndex;
    long position;

    /** Whether their digests are known, from live memory; else they are still to be computed. */
    boolean digested;

    DatasetPlan plan() {
      DatasetPlan known = plan;
      if (known == null) {
        throw new IllegalStateException("nothing is staged here");
      }
      return known;
    }

    private int end() {
      return firstIndex + count;
    }

    private boolean isFollowedBy(DatasetPlan nextPlan, int block, int index, boolean known) {
      return nextPlan == plan && block == firstBlock + count && index == end() && known == digested;
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

  /** Notes that the block to be staged next will be a copy, as it is, of a block of a dataset. */
  void noteRaw(DatasetPlan plan, int block, boolean digested) {
    int index = blocks.blocks();
    if (partCount > 0 && parts.get(partCount - 1).isFollowedBy(plan, block, index, digested)) {
      parts.get(partCount - 1).count++;
      return;
    }
    assert partCount == 0 || index >= parts.get(partCount - 1).end() : "parts are out of order";
    if (partCount == parts.size()) {
      parts.add(new Part());
    }
    Part part = parts.get(partCount++);
    part.plan = plan;
    part.firstBlock = block;
    part.count = 1;
    part.firstIndex = index;
    part.position = blocks.used();
    part.digested = digested;
  }

  int parts() {
    return partCount;
  }

  Part part(int index) {
    return parts.get(index);
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
    for (int i = 0; i < partCount; i++) {
      parts.get(i).plan = null;
    }
    partCount = 0;
    moved = 0;
  }
}
