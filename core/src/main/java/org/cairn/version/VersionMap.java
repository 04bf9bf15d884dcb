// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.util.Collection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a version consists of, without its bytes: the datasets, and a digest for each block. */
public interface VersionMap {
  /** What the container says of this version. */
  VersionInfo info();

  /** The datasets in the order in which they were saved. */
  Collection<DatasetEntry> datasets();

  /** The dataset of this name. */
  Optional<DatasetEntry> find(String name);

  /** Whether all bytes of a block are zero, so that nothing is stored and there is no digest. */
  boolean isZero(DatasetEntry dataset, int block);

  /**
   * How many blocks from this one on are surely zero, at least; 0 if this one is not. Whoever knows
   * of long runs says so here, and they cost one step instead of one for each block.
   */
  default int zerosFrom(DatasetEntry dataset, int block) {
    return isZero(dataset, block) ? 1 : 0;
  }

  /** The lower half of the digest of a block. */
  long low(DatasetEntry dataset, int block);

  /** The upper half of the digest of a block. */
  long high(DatasetEntry dataset, int block);

  /**
   * Copies the digests of blocks from this one on, which is not zero, as many as are at hand; says
   * how many, at least one.
   */
  default int digestsFrom(DatasetEntry dataset, int block, long[] digests) {
    digests[0] = low(dataset, block);
    digests[1] = high(dataset, block);
    return 1;
  }

  /** Receives blocks. */
  interface BlockVisitor<E extends Exception> {
    /** Takes a block of a dataset of the newer version. */
    void block(DatasetEntry dataset, int block) throws E;
  }

  /**
   * Calls for every block that {@code base} does not have: in the same slot, of the same length and
   * with the same digest. Without a base these are all blocks.
   */
  default <E extends Exception> void forEachChanged(
      @Nullable VersionMap base, BlockVisitor<E> visitor) throws E {
    for (DatasetEntry dataset : datasets()) {
      DatasetEntry before = base == null ? null : base.find(dataset.name()).orElse(null);
      int comparable = before == null ? 0 : dataset.comparableWith(before);
      int block = 0;
      while (base != null && before != null && block < comparable) {
        int same = sameZeros(dataset, base, before, block, comparable);
        if (same == 0 && !sameBlock(dataset, base, before, block)) {
          visitor.block(dataset, block);
        }
        block += Math.max(1, same);
      }
      for (; block < dataset.blocks(); block++) {
        visitor.block(dataset, block);
      }
    }
  }

  /** How many blocks from here on are surely zero in both, in the same slots; less the last. */
  private int sameZeros(
      DatasetEntry dataset, VersionMap base, DatasetEntry before, int block, int comparable) {
    if (dataset.slotOf(block) != before.slotOf(block)) {
      return 0;
    }
    int zeros = Math.min(zerosFrom(dataset, block), base.zerosFrom(before, block));
    int sideBySide =
        Math.min(dataset.slots().contiguousFrom(block), before.slots().contiguousFrom(block));
    return Math.min(Math.min(zeros, sideBySide), comparable - 1 - block);
  }

  private boolean sameBlock(DatasetEntry dataset, VersionMap base, DatasetEntry before, int block) {
    return dataset.slotOf(block) == before.slotOf(block)
        && dataset.blockLength(block) == before.blockLength(block)
        && isZero(dataset, block) == base.isZero(before, block)
        && low(dataset, block) == base.low(before, block)
        && high(dataset, block) == base.high(before, block);
  }
}
