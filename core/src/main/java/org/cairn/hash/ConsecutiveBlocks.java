// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** The checks that every {@link BlockHasher} makes before it touches the first byte. */
final class ConsecutiveBlocks {

  private ConsecutiveBlocks() {}

  /**
   * The number of blocks, after making sure that they and their digests lie inside their arrays.
   */
  static int check(
      MemorySegment data, long offset, long length, int blockSize, long[] digests, int at) {
    if (blockSize <= 0) {
      throw new IllegalArgumentException("Block size must be positive, but is " + blockSize);
    }
    Objects.checkFromIndexSize(offset, length, data.byteSize());
    long blocks = BlockHasher.blocks(length, blockSize);
    Objects.checkFromIndexSize((long) at, blocks, digests.length / 2L);
    return (int) blocks;
  }
}
