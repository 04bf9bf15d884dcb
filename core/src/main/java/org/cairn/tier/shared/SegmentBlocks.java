// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.cairn.version.DatasetEntry;
import org.cairn.version.Zeros;

/**
 * Reads blocks of a member one after the other, each verified. Blocks of one frame are best asked
 * for together. For one thread.
 */
public final class SegmentBlocks implements AutoCloseable {
  private final SegmentSource source;
  private final BlockVerifier verifier = new BlockVerifier();

  /** Reads from this, which must stay open. */
  public SegmentBlocks(SegmentSource source) {
    this.source = source;
  }

  /**
   * Reads a block.
   *
   * @return valid until the next call
   * @throws org.cairn.CorruptContainerException if it is not what was written
   */
  public MemorySegment read(DatasetEntry dataset, int block) throws IOException {
    if (source.isZero(dataset, block)) {
      return Zeros.ofLength(dataset.blockLength(block));
    }
    BlockEntry entry = source.index().entry(source.number(dataset, block));
    SegmentReader segment = source.segment(entry.segment());
    MemorySegment stored = verifier.read(segment, dataset, block, entry);
    return entry.isPlain() ? stored : verifier.plain(segment, dataset, block, entry, stored);
  }

  @Override
  public void close() {
    verifier.close();
  }
}
