// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.cairn.version.DatasetEntry;
import org.cairn.version.Zeros;

/**
 * Reads blocks of members one after the other, each verified. Blocks of one frame are best asked
 * for together, whoever has them. For one thread.
 */
public final class SegmentBlocks implements AutoCloseable {
  private final BlockVerifier verifier = new BlockVerifier();

  /**
   * Reads a block.
   *
   * @param from must be open
   * @return valid until the next call
   * @throws org.cairn.CorruptContainerException if it is not what was written
   */
  public MemorySegment read(SegmentSource from, DatasetEntry dataset, int block)
      throws IOException {
    if (from.isZero(dataset, block)) {
      return Zeros.ofLength(dataset.blockLength(block));
    }
    BlockEntry entry = from.index().entry(from.number(dataset, block));
    SegmentReader segment = from.segment(entry.segment());
    MemorySegment stored = verifier.read(segment, dataset, block, entry);
    return entry.isPlain() ? stored : verifier.plain(segment, dataset, block, entry, stored);
  }

  @Override
  public void close() {
    verifier.close();
  }
}
