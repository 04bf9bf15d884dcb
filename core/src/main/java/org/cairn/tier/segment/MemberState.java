// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.segment;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.cairn.container.DatasetEntry;
import org.cairn.container.VersionHead;
import org.cairn.record.CorruptContainerException;

/**
 * What a rank has in a version, datasets and blocks together: the blocks of the datasets follow
 * each other in the index.
 */
record MemberState(VersionHead head, MemberIndex index) {

  static MemberState read(SegmentReader segment, int rank) throws IOException {
    MemberIndex index = segment.member(rank);
    VersionHead head =
        VersionHead.read(
            MemorySegment.ofArray(index.catalog()),
            "the catalog of rank %d in %s".formatted(rank, segment.location()));
    long blocks = 0;
    for (DatasetEntry dataset : head.datasets()) {
      blocks += dataset.blocks();
    }
    if (blocks != index.blocks()) {
      throw new CorruptContainerException(
          segment.location(),
          -1,
          "rank %d has datasets of %d blocks, and an index of %d"
              .formatted(rank, blocks, index.blocks()));
    }
    return new MemberState(head, index);
  }

  /** Is given every block of a rank, in the order of the index. */
  interface Visitor {
    /** A block that has bytes in a segment. */
    void block(DatasetEntry dataset, int block, BlockEntry entry) throws IOException;

    /** Consecutive blocks of zeros: an index of a few bytes may claim a billion of them. */
    void zeros(DatasetEntry dataset, int first, int count) throws IOException;
  }

  void forEach(Visitor visitor) throws IOException {
    int number = 0;
    for (DatasetEntry dataset : head.datasets()) {
      int block = 0;
      while (block < dataset.blocks()) {
        int zeros = Math.min(index.zerosFrom(number), dataset.blocks() - block);
        if (zeros > 0) {
          visitor.zeros(dataset, block, zeros);
        } else {
          visitor.block(dataset, block, index.entry(number));
        }
        block += Math.max(1, zeros);
        number += Math.max(1, zeros);
      }
    }
  }
}
