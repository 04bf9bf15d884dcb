// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

/** Goes through the runs of an index; asking for ascending blocks costs little. For one thread. */
final class RunCursor {
  private final MemberIndex index;
  private int run = -1;
  private int first;
  private int end;

  RunCursor(MemberIndex index) {
    this.index = index;
  }

  /** How many blocks from this one on are in the same run, which {@link #run} then is. */
  int sameFrom(int block) {
    if (run < 0 || block < first) {
      run = index.runOf(block);
      first = index.firstBlock(run);
      end = first + run().count();
    }
    while (block >= end) {
      run++;
      first = end;
      end += run().count();
    }
    return end - block;
  }

  Run run() {
    return index.runs().get(run);
  }

  /** The place of a block in the run. */
  int inRun(int block) {
    return block - first;
  }
}
