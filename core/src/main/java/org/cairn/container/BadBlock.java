// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import org.cairn.CorruptContainerException;
import org.cairn.HashAlgorithm;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionId;
import org.cairn.version.VersionMap;
import org.jspecify.annotations.Nullable;

/**
 * A block that is not in the file any more as it was written.
 *
 * @param dataset whose block it is
 * @param block which of its blocks
 * @param slot the slot that the block has
 * @param place where it should lie
 * @param storedLength how many bytes it takes there
 * @param length how long it is, before coding
 * @param algorithm makes the digest
 * @param low the lower half of the digest that it must have
 * @param high the upper half
 * @param what what was found instead, with the place, for people
 */
public record BadBlock(
    String dataset,
    int block,
    int slot,
    long place,
    int storedLength,
    int length,
    HashAlgorithm algorithm,
    long low,
    long high,
    String what) {

  /** A block of a version that is not as expected. */
  static BadBlock of(
      String dataset,
      int block,
      int slot,
      @Nullable VersionId version,
      BlockCheck.Expected expected,
      String file,
      String wrong) {
    CorruptContainerException problem =
        new CorruptContainerException(
            file,
            expected.place(),
            "block %d of \"%s\" of version %s: %s".formatted(block, dataset, version, wrong));
    return new BadBlock(
        dataset,
        block,
        slot,
        expected.place(),
        expected.storedLength(),
        expected.length(),
        expected.algorithm(),
        expected.low(),
        expected.high(),
        String.valueOf(problem.getMessage()));
  }

  /** Whether a block of another version, or of another container, has the very same content. */
  public boolean isSameAs(VersionMap version, DatasetEntry entry) {
    return block < entry.blocks()
        && entry.blockLength(block) == length
        && entry.spec().algorithm() == algorithm
        && !version.isZero(entry, block)
        && version.low(entry, block) == low
        && version.high(entry, block) == high;
  }
}
