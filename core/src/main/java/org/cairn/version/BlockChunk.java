// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Slots of a {@link BlockMap} that have one place, absent or zero, and one length; but for those
 * that are in leaves.
 */
final class BlockChunk {
  static final int BITS = 12;
  static final int SLOTS = 1 << BITS;
  static final int MASK = SLOTS - 1;
  static final int LEAVES = SLOTS / BlockLeaf.SLOTS;

  /** What one with leaves takes in a heap below 32 GiB, without them. */
  static final long BYTES = 40 + 4L * LEAVES;

  final long everywhere;
  final int length;

  /** Null if there is no leaf: then the chunk never changes, and may stand for many. */
  @Nullable BlockLeaf @Nullable [] leaves;

  BlockChunk(long everywhere, int length) {
    this.everywhere = everywhere;
    this.length = length;
  }

  /** The same, to be changed. */
  static BlockChunk like(@Nullable BlockChunk other) {
    BlockChunk chunk =
        other == null
            ? new BlockChunk(BlockMap.ABSENT, 0)
            : new BlockChunk(other.everywhere, other.length);
    chunk.leaves = new BlockLeaf[LEAVES];
    return chunk;
  }

  /** The leaf that a slot is in; null where what the chunk says of all is said of it. */
  @Nullable BlockLeaf leafOf(int slot) {
    return leaves == null ? null : leaves[leafIndex(slot)];
  }

  /** Which leaf of its chunk a slot belongs to. */
  static int leafIndex(int slot) {
    return (slot & MASK) >>> BlockLeaf.BITS;
  }

  void forEachLeaf(Consumer<BlockLeaf> visitor) {
    if (leaves != null) {
      for (BlockLeaf leaf : leaves) {
        if (leaf != null) {
          visitor.accept(leaf);
        }
      }
    }
  }

  /** What is shared is not counted: it is there once for many. */
  long memoryBytes() {
    if (leaves == null) {
      return 0;
    }
    long bytes = BYTES;
    for (BlockLeaf leaf : leaves) {
      bytes += leaf == null || leaf.shared ? 0 : leaf.memoryBytes();
    }
    return bytes;
  }
}
