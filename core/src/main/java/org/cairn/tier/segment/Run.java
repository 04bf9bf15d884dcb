// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.segment;

import java.util.List;
import org.cairn.record.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * Blocks that follow each other in a rank and in a segment, or are all zeros.
 *
 * @param segment -1 for zeros
 * @param ends where each block ends, counted from {@code offset}; null if all are of one stored
 *     length
 * @param digests two numbers a block; two in all for zeros
 */
@SuppressWarnings("ArrayRecordComponent") // never handed out, never compared
record Run(
    int count,
    int segment,
    long offset,
    int codec,
    int blockLength,
    int storedLength,
    long @Nullable [] ends,
    long[] digests) {

  /** Whether a block can be in the same run as the one before it. */
  static boolean continues(BlockEntry before, BlockEntry entry) {
    if (before.segment() != entry.segment() || before.blockLength() != entry.blockLength()) {
      return false;
    }
    return entry.isZero()
        ? before.digestLow() == entry.digestLow() && before.digestHigh() == entry.digestHigh()
        : before.codec() == entry.codec()
            && before.offset() + before.storedLength() == entry.offset();
  }

  static Run of(List<BlockEntry> blocks) {
    BlockEntry first = blocks.getFirst();
    int digestCount = first.isZero() ? 1 : blocks.size();
    long[] digests = Supply.longs(2 * digestCount);
    long[] ends = new long[blocks.size()];
    boolean equal = true;
    for (int i = 0; i < blocks.size(); i++) {
      BlockEntry block = blocks.get(i);
      ends[i] = block.offset() + block.storedLength() - first.offset();
      equal &= block.storedLength() == first.storedLength();
      if (i < digestCount) {
        digests[2 * i] = block.digestLow();
        digests[2 * i + 1] = block.digestHigh();
      }
    }
    return new Run(
        blocks.size(),
        first.segment(),
        first.offset(),
        first.codec(),
        first.blockLength(),
        first.storedLength(),
        equal ? null : ends,
        digests);
  }

  long storedBytes() {
    return ends == null ? (long) count * storedLength : ends[count - 1];
  }

  BlockEntry entry(int i) {
    if (segment < 0) {
      return BlockEntry.zero(blockLength, digests[0], digests[1]);
    }
    return new BlockEntry(
        segment,
        offset + start(i),
        (int) (start(i + 1) - start(i)),
        codec,
        blockLength,
        digests[2 * i],
        digests[2 * i + 1]);
  }

  private long start(int i) {
    if (ends == null) {
      return (long) i * storedLength;
    }
    return i == 0 ? 0 : ends[i - 1];
  }

  /** How many bytes {@link #write} takes at most. */
  long mostBytes() {
    return 64 + 8L * digests.length + (ends == null ? 0 : 5L * count);
  }

  void write(RecordWriter out) {
    if (segment < 0) {
      out.putByte(SegmentFormat.RUN_ZERO).putVarint(count).putVarint(blockLength);
      out.putLong(digests[0]).putLong(digests[1]);
      return;
    }
    out.putByte(ends == null ? SegmentFormat.RUN_EQUAL : SegmentFormat.RUN_VARIED);
    out.putVarint(count)
        .putVarint(segment)
        .putVarint(offset)
        .putVarint(codec)
        .putVarint(blockLength);
    if (ends == null) {
      out.putVarint(storedLength);
    }
    for (int i = 0; i < count; i++) {
      out.putLong(digests[2 * i]).putLong(digests[2 * i + 1]);
      if (ends != null) {
        out.putVarint(start(i + 1) - start(i));
      }
    }
  }

  static Run read(RecordReader in, int segments) throws CorruptContainerException {
    int kind = in.getByte();
    int count = in.getSmallVarint("a run");
    if (count == 0) {
      throw in.corrupt("expected a run of blocks, found one of none");
    }
    return switch (kind) {
      case SegmentFormat.RUN_ZERO ->
          new Run(
              count,
              -1,
              0,
              0,
              in.getSmallVarint("a block length"),
              0,
              null,
              new long[] {in.getLong(), in.getLong()});
      case SegmentFormat.RUN_EQUAL, SegmentFormat.RUN_VARIED ->
          readStored(in, count, segments, kind == SegmentFormat.RUN_VARIED);
      default -> throw in.corrupt("expected a run of kind 1 to 3, found kind " + kind);
    };
  }

  private static Run readStored(RecordReader in, int count, int segments, boolean varied)
      throws CorruptContainerException {
    int segment = in.getSmallVarint("a segment number");
    if (segment >= segments) {
      throw in.corrupt("expected a segment below %d, found %d".formatted(segments, segment));
    }
    long offset = in.getVarint();
    int codec = in.getSmallVarint("a codec");
    int blockLength = in.getSmallVarint("a block length");
    int storedLength = varied ? 0 : in.getSmallVarint("a stored length");
    // Before any memory is taken: a file of a few bytes must not ask for gigabytes.
    if ((long) count * (varied ? 17 : 16) > in.remaining()) {
      throw in.corrupt("a run of %d blocks does not fit its record".formatted(count));
    }
    long[] digests = Supply.longs(2 * count);
    long[] ends = varied ? new long[count] : null;
    long end = 0;
    for (int i = 0; i < count; i++) {
      digests[2 * i] = in.getLong();
      digests[2 * i + 1] = in.getLong();
      if (ends != null) {
        end += in.getSmallVarint("a stored length");
        ends[i] = end;
      }
    }
    long stored = varied ? end : (long) count * storedLength;
    if (offset > Long.MAX_VALUE - stored) {
      throw in.corrupt("a run at offset " + offset);
    }
    return new Run(count, segment, offset, codec, blockLength, storedLength, ends, digests);
  }
}
