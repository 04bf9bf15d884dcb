// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import org.cairn.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * Blocks that follow each other in a rank and in a segment, or are all zeros, or are left to the
 * index that this one is a change to.
 *
 * @param segment {@link #ZEROS} or {@link #UNCHANGED} if nothing is told of a segment
 * @param ends where each block ends, counted from {@code offset}; null if all are of one stored
 *     length
 * @param digests two numbers a block; two in all for zeros, none for unchanged ones
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

  /** Stands in the place of a segment for blocks of zeros. */
  static final int ZEROS = -1;

  /** Stands in the place of a segment for blocks that are as the linked index has them. */
  static final int UNCHANGED = -2;

  static Run zeros(int count, int blockLength, long low, long high) {
    return new Run(count, ZEROS, 0, 0, blockLength, 0, null, new long[] {low, high});
  }

  static Run unchanged(int count) {
    return new Run(count, UNCHANGED, 0, 0, 0, 0, null, new long[0]);
  }

  boolean isStored() {
    return segment >= 0;
  }

  boolean isZeros() {
    return segment == ZEROS;
  }

  boolean isZerosLike(int length, long low, long high) {
    return isZeros() && blockLength == length && digests[0] == low && digests[1] == high;
  }

  boolean isUnchanged() {
    return segment == UNCHANGED;
  }

  long storedBytes() {
    return ends == null ? (long) count * storedLength : ends[count - 1];
  }

  BlockEntry entry(int i) {
    if (isUnchanged()) {
      throw new IllegalStateException("only the linked index knows");
    }
    if (isZeros()) {
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

  /** Where a block begins, counted from {@link #offset}. */
  long start(int i) {
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
    if (isUnchanged()) {
      out.putByte(SegmentFormat.RUN_UNCHANGED).putVarint(count);
      return;
    }
    if (isZeros()) {
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
          zeros(count, in.getSmallVarint("a block length"), in.getLong(), in.getLong());
      case SegmentFormat.RUN_UNCHANGED -> unchanged(count);
      case SegmentFormat.RUN_EQUAL, SegmentFormat.RUN_VARIED ->
          readStored(in, count, segments, kind == SegmentFormat.RUN_VARIED);
      default -> throw in.corrupt("expected a run of kind 1 to 4, found kind " + kind);
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
