// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.cairn.CorruptContainerException;
import org.cairn.record.Digest;
import org.cairn.version.DatasetEntry;
import org.cairn.version.RootDigest;
import org.cairn.version.VersionHead;

/**
 * What a rank has in a version, datasets and blocks together: the blocks of the datasets follow
 * each other in the index, which says all about them.
 */
record MemberState(VersionHead head, MemberIndex index) {

  /** What the version of an index is, without its blocks. */
  static VersionHead head(SegmentReader segment, MemberIndex index) throws IOException {
    VersionHead head =
        VersionHead.read(
            MemorySegment.ofArray(index.catalog()),
            "the catalog of rank %d in %s".formatted(index.rank(), segment.location()));
    long blocks = 0;
    for (DatasetEntry dataset : head.datasets()) {
      blocks += dataset.blocks();
    }
    if (blocks != index.blocks()) {
      throw new CorruptContainerException(
          segment.location(),
          -1,
          "rank %d has datasets of %d blocks, and an index of %d"
              .formatted(index.rank(), blocks, index.blocks()));
    }
    return head;
  }

  /** The root digest of what the index says, from scratch. */
  Digest computeRoot() {
    RootDigest digest = new RootDigest();
    addTo(digest);
    return new Digest(digest.low(), digest.high());
  }

  /** Puts all that the index says into a root digest. */
  void addTo(RootDigest digest) {
    RunCursor runs = new RunCursor(index);
    int number = 0;
    for (DatasetEntry dataset : head.datasets()) {
      digest.add(dataset.spec());
      RootDigest.Key key = digest.key(dataset.spec());
      int block = 0;
      while (block < dataset.blocks()) {
        int some = Math.min(runs.sameFrom(number), dataset.blocks() - block);
        Run run = runs.run();
        if (run.isZeros()) {
          digest.addZeros(key, block, some);
        } else {
          int first = runs.inRun(number);
          for (int i = 0; i < some; i++) {
            int at = 2 * (first + i);
            digest.add(key, block + i, run.digests()[at], run.digests()[at + 1]);
          }
        }
        block += some;
        number += some;
      }
    }
  }

  /** Is given every block of a rank: those in frames at last, frame by frame. */
  interface Visitor {
    /** A block that has bytes in a segment. */
    void block(DatasetEntry dataset, int block, BlockEntry entry) throws IOException;

    /** Consecutive blocks of zeros: an index of a few bytes may claim a billion of them. */
    void zeros(DatasetEntry dataset, int first, int count) throws IOException;
  }

  /** Consecutive blocks of a dataset that lie side by side in frames. */
  private record Framed(DatasetEntry dataset, int block, int number, int count, BlockEntry first) {}

  void forEach(Visitor visitor) throws IOException {
    List<Framed> framed = new ArrayList<>();
    RunCursor runs = new RunCursor(index);
    int number = 0;
    for (DatasetEntry dataset : head.datasets()) {
      int block = 0;
      while (block < dataset.blocks()) {
        int some = Math.min(runs.sameFrom(number), dataset.blocks() - block);
        if (runs.run().isZeros()) {
          visitor.zeros(dataset, block, some);
        } else if (SegmentFormat.isFramed(runs.run().codec())) {
          framed.add(new Framed(dataset, block, number, some, index.entry(number)));
        } else {
          visit(dataset, block, number, some, visitor);
        }
        block += some;
        number += some;
      }
    }
    // Each frame is decoded once, although blocks of one dataset lie in many by now.
    framed.sort(
        Comparator.comparingInt((Framed run) -> run.first.segment())
            .thenComparingLong(run -> run.first.offset()));
    for (Framed run : framed) {
      visit(run.dataset, run.block, run.number, run.count, visitor);
    }
  }

  private void visit(DatasetEntry dataset, int block, int number, int count, Visitor visitor)
      throws IOException {
    for (int i = 0; i < count; i++) {
      visitor.block(dataset, block + i, index.entry(number + i));
    }
  }
}
