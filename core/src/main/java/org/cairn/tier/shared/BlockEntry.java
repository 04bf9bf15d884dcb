// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

/**
 * Where one block of a rank lies, and what it must be.
 *
 * @param segment an index of {@link MemberIndex#segments()}; -1 if the block is nothing but zeros
 * @param offset where its bytes begin in that segment
 * @param storedLength how many bytes are stored
 * @param codec the number of the codec that made them; meaning nothing to this package
 * @param blockLength how many bytes the block has when decoded
 * @param digestLow the low half of the block's digest
 * @param digestHigh the high half
 */
public record BlockEntry(
    int segment,
    long offset,
    int storedLength,
    int codec,
    int blockLength,
    long digestLow,
    long digestHigh) {

  /** Refuses negative numbers. */
  public BlockEntry {
    if (segment < -1 || offset < 0 || storedLength < 0 || codec < 0 || blockLength < 0) {
      throw new IllegalArgumentException(
          "segment %d, offset %d, stored length %d, codec %d, block length %d"
              .formatted(segment, offset, storedLength, codec, blockLength));
    }
  }

  /** A block of nothing but zeros, of which nothing is stored. */
  public static BlockEntry zero(int blockLength, long digestLow, long digestHigh) {
    return new BlockEntry(-1, 0, 0, 0, blockLength, digestLow, digestHigh);
  }

  /** Whether the block lies in a frame, with others: its offset is an address there. */
  boolean isFramed() {
    return SegmentFormat.isFramed(codec);
  }

  /** Whether what is read of it is the block itself. */
  boolean isPlain() {
    return codec == 0 || isFramed();
  }

  /** Whether the block is nothing but zeros. */
  public boolean isZero() {
    return segment < 0;
  }
}
