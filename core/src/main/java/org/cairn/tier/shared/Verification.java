// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import org.cairn.CorruptContainerException;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * When the blocks of a rank in older segments were read and verified last, in 64 pieces: a block is
 * in the piece {@code (hash + number / 64) % 64}, with the lowest bits of the digest of its
 * dataset's name and its number there. So a piece is read in stretches of 64 blocks, and a dataset
 * that grows, shrinks or changes its place among others stays in its pieces.
 *
 * <pre>Verification → last:u64 began:u64 cursor:u32 stamp:u64{64}</pre>
 *
 * <p>Immutable.
 */
final class Verification {
  static final int PIECES = 64;

  /** A piece at most so often, whichever is the rarer: each flush, or this. */
  static final long PIECE_MILLIS = 24L * 60 * 60 * 1000 / PIECES;

  private static final int STRETCH_BITS = 6;

  /** So many blocks are of one stretch. */
  static final int STRETCH = 1 << STRETCH_BITS;

  private final long last;
  private final long began;
  private final int cursor;
  private final long[] stamps;

  private Verification(long last, long began, int cursor, long[] stamps) {
    this.last = last;
    this.began = began;
    this.cursor = cursor;
    this.stamps = stamps;
  }

  /** Everything has just been written. */
  static Verification written(Instant now) {
    long[] stamps = new long[PIECES];
    Arrays.fill(stamps, now.toEpochMilli());
    return new Verification(now.toEpochMilli(), 0, 0, stamps);
  }

  /** Nothing is known. */
  static Verification never() {
    return new Verification(0, 0, 0, new long[PIECES]);
  }

  /** The piece that a block is in. */
  static int pieceOf(int hash, int block) {
    return (hash + (block >>> STRETCH_BITS)) & (PIECES - 1);
  }

  /** The hash of the name of a dataset, for {@link #pieceOf}. */
  static int hash(String dataset) {
    return (int) Digest.of(dataset.getBytes(StandardCharsets.UTF_8)).low();
  }

  /** Whether a block is the last of its stretch. */
  static boolean isStretchEnd(int block) {
    return ((block + 1) & (STRETCH - 1)) == 0;
  }

  /** Whether the next piece is due, or one has been begun. */
  boolean isDue(Instant now) {
    return cursor > 0 || now.toEpochMilli() - last >= PIECE_MILLIS;
  }

  /** The piece that was not verified for the longest time. */
  int next() {
    int oldest = 0;
    for (int i = 1; i < PIECES; i++) {
      oldest = stamps[i] < stamps[oldest] ? i : oldest;
    }
    return oldest;
  }

  /** Whether the next piece is the first of all. */
  boolean isStartOfRound() {
    return cursor == 0 && next() == 0;
  }

  /** The block, in the order of the index, at which an interrupted piece goes on. */
  int cursor() {
    return cursor;
  }

  /** The next piece was verified up to a block, and is to be gone on with. */
  Verification interrupted(int at, Instant now) {
    return new Verification(last, cursor > 0 ? began : now.toEpochMilli(), at, stamps);
  }

  /** The next piece has been verified; what was verified first, when it was begun. */
  Verification done(Instant now) {
    long[] changed = stamps.clone();
    changed[next()] = cursor > 0 ? began : now.toEpochMilli();
    return new Verification(now.toEpochMilli(), 0, 0, changed);
  }

  /** Blocks are not where they were: an interrupted piece has to be begun again. */
  Verification moved() {
    return new Verification(last, 0, 0, stamps);
  }

  /** When that was verified which was not verified for the longest time. */
  Instant oldest() {
    return Instant.ofEpochMilli(stamps[next()]);
  }

  void write(RecordWriter out) {
    out.putLong(last).putLong(began).putInt(cursor);
    for (long stamp : stamps) {
      out.putLong(stamp);
    }
  }

  static Verification read(RecordReader in) throws CorruptContainerException {
    long last = in.getLongNumber("a time");
    long began = in.getLongNumber("a time");
    int cursor = in.getNumber("a block");
    long[] stamps = new long[PIECES];
    for (int i = 0; i < PIECES; i++) {
      stamps[i] = in.getLongNumber("a time");
    }
    return new Verification(last, began, cursor, stamps);
  }
}
