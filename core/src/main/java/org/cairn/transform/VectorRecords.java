// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/**
 * Records of eight bytes and more in vectors of 512 bits, a block of 64 at a time. (Vectors of 256
 * bits were tried: there are too few for it, and columns of {@link RecordTiles} were as fast.)
 *
 * <p>Eight records are a group. They have as many words of eight bytes as a record has bytes, and
 * each lane of a vector has a word of another group: they <em>stand</em>, as in {@link WideLongs}.
 * What is left to do is the same in every lane: words exchange halves, pairs of bytes, bytes. A
 * word and that which lies half a group behind it have bytes of the first four records and of the
 * last four; two that lie half a group apart after that have bytes of records 0 and 1, 4 and 5, and
 * of 2 and 3, 6 and 7; and then vector k has byte k of all. Where half a group is half a word more,
 * words of the second half are met at their other half, and need no move there.
 *
 * <p>Of records of 64 bytes and more 64 are done at a time, so that words of a column, eight bytes
 * of each record, are eight vectors.
 *
 * <p>Its loops call nothing but the Vector API, for the reason that {@link VectorLongs} has.
 */
final class VectorRecords {
  private static final VectorSpecies<Long> LONGS = LongVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Byte> BYTES = LONGS.withLanes(byte.class);
  private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;
  private static final int LANES = LONGS.length();

  /** So many words of a group are brought to as many vectors at a time. */
  private static final int WORDS = 8;

  /** So many records are a block. */
  static final int BLOCK = WORDS * LANES;

  private static final VectorMask<Byte> ODD = bytes(1);
  private static final VectorMask<Byte> SECOND = bytes(2);
  private static final VectorMask<Byte> FOURTH = bytes(4);

  // Of two vectors, lanes that exchange parts: what becomes of the first, and of the second.
  private static final LongVector LOWER_ONE = chosen(1, false);
  private static final LongVector UPPER_ONE = chosen(1, true);
  private static final LongVector LOWER_TWO = chosen(2, false);
  private static final LongVector UPPER_TWO = chosen(2, true);
  private static final LongVector LOWER_FOUR = chosen(4, false);
  private static final LongVector UPPER_FOUR = chosen(4, true);

  private static VectorMask<Byte> bytes(int bit) {
    boolean[] chosen = new boolean[BYTES.length()];
    for (int place = 0; place < chosen.length; place++) {
      chosen[place] = (place & bit) != 0;
    }
    return VectorMask.fromArray(BYTES, chosen, 0);
  }

  /** Lanes of the second vector count on behind those of the first. */
  private static LongVector chosen(int bit, boolean upper) {
    long[] lanes = new long[LANES];
    for (int lane = 0; lane < LANES; lane++) {
      boolean fromSecond = (lane & bit) != 0;
      int from = fromSecond == upper ? lane : lane ^ bit;
      lanes[lane] = fromSecond ? LANES + from % LANES : from % LANES;
    }
    return LongVector.fromArray(LONGS, lanes, 0);
  }

  /** Words of a block, as many as need be. */
  static final int MOST_WORDS = Math.max(1, LANES) * 64;

  /** Whether there are vectors that this is written for. */
  static boolean arePresent() {
    return LANES == WORDS;
  }

  /** Whether records in memory like this can be read where they are. */
  boolean reaches(MemorySegment memory) {
    return memory.isNative() && !memory.isMapped();
  }

  /**
   * Records of 8 to 63 bytes become rows.
   *
   * @param n a multiple of {@link #BLOCK}
   * @param words memory for {@link #MOST_WORDS}
   * @param others as much again
   * @param row how far it is from row to row
   */
  void shuffle(
      MemorySegment memory,
      long offset,
      int width,
      int n,
      long[] words,
      long[] others,
      long[] rows,
      int row) {
    MemorySegment records = memory.asSlice(offset, (long) n * width);
    int group = 8 * width;
    int column = width / WORDS * LANES;
    for (int i = 0; i < n / BLOCK; i++) {
      int at = i * LANES;
      standUp(
          records,
          i * BLOCK * width,
          group,
          (width + 7) / 8,
          64,
          group - 64,
          words,
          LANES,
          WORDS * LANES,
          (width - WORDS) * LANES);
      if (width % WORDS == 0) {
        takeApart(words, column, LANES, width / WORDS, rows, at, row);
      } else {
        exchange(words, 0, LANES, width, 32, FOURTH, others, 0, LANES);
        exchange(others, 0, LANES, width, 16, SECOND, words, 0, LANES);
        exchange(words, 0, LANES, width, 8, ODD, rows, at, row);
      }
    }
  }

  /** The inverse of {@link #shuffle} for records of whole words, from rows where they are. */
  void unshuffle(
      MemorySegment memory, long first, long row, int width, int n, long[] words, byte[] records) {
    MemorySegment rows = memory.asSlice(first, (width - 1) * row + n);
    int group = 8 * width;
    int column = width / WORDS * LANES;
    for (int i = 0; i < n / BLOCK; i++) {
      putTogether(rows, (long) i * BLOCK, row, width / WORDS, words, column, LANES);
      layDown(
          words,
          LANES,
          WORDS * LANES,
          (width - WORDS) * LANES,
          records,
          i * BLOCK * width,
          group,
          width / 8,
          64,
          group - 64);
    }
  }

  /** The inverse of {@link #shuffle} for all others. */
  void unshuffle(
      long[] rows, int row, int width, int n, long[] words, long[] others, byte[] records) {
    int group = 8 * width;
    for (int i = 0; i < n / BLOCK; i++) {
      exchangeBack(rows, i * LANES, row, width, 8, ODD, words, 0, LANES);
      exchangeBack(words, 0, LANES, width, 16, SECOND, others, 0, LANES);
      exchangeBack(others, 0, LANES, width, 32, FOURTH, words, 0, LANES);
      layDown(
          words,
          LANES,
          WORDS * LANES,
          (width - WORDS) * LANES,
          records,
          i * BLOCK * width,
          group,
          (width + 7) / 8,
          64,
          group - 64);
    }
  }

  /** 64 bytes of each record, from {@code offset} on, become as many rows. */
  void shuffleColumns(
      MemorySegment memory, long offset, int width, int n, long[] words, long[] rows, int row) {
    MemorySegment records = memory.asSlice(offset, (n - 1L) * width + 64);
    for (int i = 0; i < n / BLOCK; i++) {
      standUp(
          records,
          i * BLOCK * width,
          8 * width,
          WORDS,
          width,
          7 * width,
          words,
          WORDS * LANES,
          LANES,
          7 * LANES);
      takeApart(words, LANES, WORDS * LANES, WORDS, rows, i * LANES, row);
    }
  }

  /** The inverse of {@link #shuffleColumns}, from rows where they are. */
  void unshuffleColumns(
      MemorySegment memory,
      long first,
      long row,
      int width,
      int n,
      long[] words,
      byte[] records,
      int column) {
    MemorySegment rows = memory.asSlice(first, 63 * row + n);
    for (int i = 0; i < n / BLOCK; i++) {
      putTogether(rows, (long) i * BLOCK, row, WORDS, words, LANES, WORDS * LANES);
      layDown(
          words,
          WORDS * LANES,
          LANES,
          7 * LANES,
          records,
          i * BLOCK * width + column,
          8 * width,
          WORDS,
          width,
          7 * width);
    }
  }

  /**
   * Words that lie half a group apart exchange the upper half of one and the lower half of the
   * other, of each of their parts.
   *
   * @param words so many are a group
   * @param bits half a part
   * @param upper the upper halves of all parts
   */
  private static void exchange(
      long[] from,
      int at,
      int step,
      int words,
      int bits,
      VectorMask<Byte> upper,
      long[] to,
      int toAt,
      int toStep) {
    int half = words / 2;
    boolean even = words % 2 == 0;
    for (int i = 0; even && i < half; i++) {
      ByteVector a = LongVector.fromArray(LONGS, from, at + i * step).reinterpretAsBytes();
      ByteVector b = LongVector.fromArray(LONGS, from, at + (i + half) * step).reinterpretAsBytes();
      a.blend(b.reinterpretAsLongs().lanewise(LSHL, bits).reinterpretAsBytes(), upper)
          .reinterpretAsLongs()
          .intoArray(to, toAt + 2 * i * toStep);
      a.reinterpretAsLongs()
          .lanewise(LSHR, bits)
          .reinterpretAsBytes()
          .blend(b, upper)
          .reinterpretAsLongs()
          .intoArray(to, toAt + (2 * i + 1) * toStep);
    }
    for (int i = 0; !even && i < half; i++) {
      ByteVector a = LongVector.fromArray(LONGS, from, at + i * step).reinterpretAsBytes();
      ByteVector b = LongVector.fromArray(LONGS, from, at + (i + half) * step).reinterpretAsBytes();
      LongVector c = LongVector.fromArray(LONGS, from, at + (i + half + 1) * step);
      a.blend(b, upper).reinterpretAsLongs().intoArray(to, toAt + 2 * i * toStep);
      a.reinterpretAsLongs()
          .lanewise(LSHR, bits)
          .reinterpretAsBytes()
          .blend(c.lanewise(LSHL, bits).reinterpretAsBytes(), upper)
          .reinterpretAsLongs()
          .intoArray(to, toAt + (2 * i + 1) * toStep);
    }
    if (!even) {
      LongVector.fromArray(LONGS, from, at + half * step)
          .reinterpretAsBytes()
          .blend(
              LongVector.fromArray(LONGS, from, at + (words - 1) * step).reinterpretAsBytes(),
              upper)
          .reinterpretAsLongs()
          .intoArray(to, toAt + (words - 1) * toStep);
    }
  }

  /** The inverse of {@link #exchange}. */
  private static void exchangeBack(
      long[] from,
      int at,
      int step,
      int words,
      int bits,
      VectorMask<Byte> upper,
      long[] to,
      int toAt,
      int toStep) {
    int half = words / 2;
    boolean even = words % 2 == 0;
    for (int i = 0; even && i < half; i++) {
      ByteVector a = LongVector.fromArray(LONGS, from, at + 2 * i * step).reinterpretAsBytes();
      ByteVector b =
          LongVector.fromArray(LONGS, from, at + (2 * i + 1) * step).reinterpretAsBytes();
      a.blend(b.reinterpretAsLongs().lanewise(LSHL, bits).reinterpretAsBytes(), upper)
          .reinterpretAsLongs()
          .intoArray(to, toAt + i * toStep);
      a.reinterpretAsLongs()
          .lanewise(LSHR, bits)
          .reinterpretAsBytes()
          .blend(b, upper)
          .reinterpretAsLongs()
          .intoArray(to, toAt + (i + half) * toStep);
    }
    for (int i = 0; !even && i < half; i++) {
      ByteVector a = LongVector.fromArray(LONGS, from, at + 2 * i * step).reinterpretAsBytes();
      LongVector b = LongVector.fromArray(LONGS, from, at + (2 * i + 1) * step);
      ByteVector c =
          LongVector.fromArray(LONGS, from, at + (2 * i + 2) * step).reinterpretAsBytes();
      a.blend(b.lanewise(LSHL, bits).reinterpretAsBytes(), upper)
          .reinterpretAsLongs()
          .intoArray(to, toAt + i * toStep);
      b.lanewise(LSHR, bits)
          .reinterpretAsBytes()
          .blend(c, upper)
          .reinterpretAsLongs()
          .intoArray(to, toAt + (half + 1 + i) * toStep);
    }
    if (!even) {
      LongVector.fromArray(LONGS, from, at + (words - 1) * step)
          .reinterpretAsBytes()
          .blend(LongVector.fromArray(LONGS, from, at).reinterpretAsBytes(), upper)
          .reinterpretAsLongs()
          .intoArray(to, toAt + half * toStep);
    }
  }

  /**
   * Words of groups come to stand. So often, eight words of each group become eight vectors.
   *
   * @param apart how far it is from group to group, in bytes
   * @param step how far it is to the next eight words, in bytes; not beyond the last
   * @param toStep how far apart vectors of consecutive words come to be
   * @param toNext how far it is to the first vector of the next eight words; not beyond the last
   */
  private static void standUp(
      MemorySegment memory,
      int base,
      int apart,
      int times,
      int step,
      int last,
      long[] to,
      int toStep,
      int toNext,
      int toLast) {
    int as = base;
    int bs = base + apart;
    int cs = base + 2 * apart;
    int ds = base + 3 * apart;
    int es = base + 4 * apart;
    int fs = base + 5 * apart;
    int gs = base + 6 * apart;
    int hs = base + 7 * apart;
    for (int i = 0; i < times; i++) {
      int from = Math.min(i * step, last);
      int at = Math.min(i * toNext, toLast);
      LongVector a = LongVector.fromMemorySegment(LONGS, memory, from + as, LITTLE);
      LongVector b = LongVector.fromMemorySegment(LONGS, memory, from + bs, LITTLE);
      LongVector c = LongVector.fromMemorySegment(LONGS, memory, from + cs, LITTLE);
      LongVector d = LongVector.fromMemorySegment(LONGS, memory, from + ds, LITTLE);
      LongVector e = LongVector.fromMemorySegment(LONGS, memory, from + es, LITTLE);
      LongVector f = LongVector.fromMemorySegment(LONGS, memory, from + fs, LITTLE);
      LongVector g = LongVector.fromMemorySegment(LONGS, memory, from + gs, LITTLE);
      LongVector h = LongVector.fromMemorySegment(LONGS, memory, from + hs, LITTLE);
      LongVector t;
      t = LOWER_FOUR.selectFrom(a, e);
      e = UPPER_FOUR.selectFrom(a, e);
      a = t;
      t = LOWER_FOUR.selectFrom(b, f);
      f = UPPER_FOUR.selectFrom(b, f);
      b = t;
      t = LOWER_FOUR.selectFrom(c, g);
      g = UPPER_FOUR.selectFrom(c, g);
      c = t;
      t = LOWER_FOUR.selectFrom(d, h);
      h = UPPER_FOUR.selectFrom(d, h);
      d = t;
      t = LOWER_TWO.selectFrom(a, c);
      c = UPPER_TWO.selectFrom(a, c);
      a = t;
      t = LOWER_TWO.selectFrom(b, d);
      d = UPPER_TWO.selectFrom(b, d);
      b = t;
      t = LOWER_TWO.selectFrom(e, g);
      g = UPPER_TWO.selectFrom(e, g);
      e = t;
      t = LOWER_TWO.selectFrom(f, h);
      h = UPPER_TWO.selectFrom(f, h);
      f = t;
      t = LOWER_ONE.selectFrom(a, b);
      b = UPPER_ONE.selectFrom(a, b);
      a = t;
      t = LOWER_ONE.selectFrom(c, d);
      d = UPPER_ONE.selectFrom(c, d);
      c = t;
      t = LOWER_ONE.selectFrom(e, f);
      f = UPPER_ONE.selectFrom(e, f);
      e = t;
      t = LOWER_ONE.selectFrom(g, h);
      h = UPPER_ONE.selectFrom(g, h);
      g = t;
      a.intoArray(to, at);
      b.intoArray(to, at + toStep);
      c.intoArray(to, at + 2 * toStep);
      d.intoArray(to, at + 3 * toStep);
      e.intoArray(to, at + 4 * toStep);
      f.intoArray(to, at + 5 * toStep);
      g.intoArray(to, at + 6 * toStep);
      h.intoArray(to, at + 7 * toStep);
    }
  }

  /** The inverse of {@link #standUp}. */
  private static void layDown(
      long[] words,
      int wordsStep,
      int wordsNext,
      int wordsLast,
      byte[] to,
      int toAt,
      int apart,
      int times,
      int step,
      int last) {
    int as = toAt;
    int bs = toAt + apart;
    int cs = toAt + 2 * apart;
    int ds = toAt + 3 * apart;
    int es = toAt + 4 * apart;
    int fs = toAt + 5 * apart;
    int gs = toAt + 6 * apart;
    int hs = toAt + 7 * apart;
    for (int i = 0; i < times; i++) {
      int from = Math.min(i * wordsNext, wordsLast);
      int at = Math.min(i * step, last);
      LongVector a = LongVector.fromArray(LONGS, words, from);
      LongVector b = LongVector.fromArray(LONGS, words, from + wordsStep);
      LongVector c = LongVector.fromArray(LONGS, words, from + 2 * wordsStep);
      LongVector d = LongVector.fromArray(LONGS, words, from + 3 * wordsStep);
      LongVector e = LongVector.fromArray(LONGS, words, from + 4 * wordsStep);
      LongVector f = LongVector.fromArray(LONGS, words, from + 5 * wordsStep);
      LongVector g = LongVector.fromArray(LONGS, words, from + 6 * wordsStep);
      LongVector h = LongVector.fromArray(LONGS, words, from + 7 * wordsStep);
      LongVector t;
      t = LOWER_FOUR.selectFrom(a, e);
      e = UPPER_FOUR.selectFrom(a, e);
      a = t;
      t = LOWER_FOUR.selectFrom(b, f);
      f = UPPER_FOUR.selectFrom(b, f);
      b = t;
      t = LOWER_FOUR.selectFrom(c, g);
      g = UPPER_FOUR.selectFrom(c, g);
      c = t;
      t = LOWER_FOUR.selectFrom(d, h);
      h = UPPER_FOUR.selectFrom(d, h);
      d = t;
      t = LOWER_TWO.selectFrom(a, c);
      c = UPPER_TWO.selectFrom(a, c);
      a = t;
      t = LOWER_TWO.selectFrom(b, d);
      d = UPPER_TWO.selectFrom(b, d);
      b = t;
      t = LOWER_TWO.selectFrom(e, g);
      g = UPPER_TWO.selectFrom(e, g);
      e = t;
      t = LOWER_TWO.selectFrom(f, h);
      h = UPPER_TWO.selectFrom(f, h);
      f = t;
      t = LOWER_ONE.selectFrom(a, b);
      b = UPPER_ONE.selectFrom(a, b);
      a = t;
      t = LOWER_ONE.selectFrom(c, d);
      d = UPPER_ONE.selectFrom(c, d);
      c = t;
      t = LOWER_ONE.selectFrom(e, f);
      f = UPPER_ONE.selectFrom(e, f);
      e = t;
      t = LOWER_ONE.selectFrom(g, h);
      h = UPPER_ONE.selectFrom(g, h);
      g = t;
      a.reinterpretAsBytes().intoArray(to, at + as);
      b.reinterpretAsBytes().intoArray(to, at + bs);
      c.reinterpretAsBytes().intoArray(to, at + cs);
      d.reinterpretAsBytes().intoArray(to, at + ds);
      e.reinterpretAsBytes().intoArray(to, at + es);
      f.reinterpretAsBytes().intoArray(to, at + fs);
      g.reinterpretAsBytes().intoArray(to, at + gs);
      h.reinterpretAsBytes().intoArray(to, at + hs);
    }
  }

  /** Of each column eight vectors become eight rows. */
  private static void takeApart(
      long[] words, int step, int next, int columns, long[] rows, int rowsAt, int row) {
    for (int i = 0; i < columns; i++) {
      int from = i * next;
      int at = rowsAt + WORDS * i * row;
      ByteVector a = LongVector.fromArray(LONGS, words, from).reinterpretAsBytes();
      ByteVector b = LongVector.fromArray(LONGS, words, from + step).reinterpretAsBytes();
      ByteVector c = LongVector.fromArray(LONGS, words, from + 2 * step).reinterpretAsBytes();
      ByteVector d = LongVector.fromArray(LONGS, words, from + 3 * step).reinterpretAsBytes();
      ByteVector e = LongVector.fromArray(LONGS, words, from + 4 * step).reinterpretAsBytes();
      ByteVector f = LongVector.fromArray(LONGS, words, from + 5 * step).reinterpretAsBytes();
      ByteVector g = LongVector.fromArray(LONGS, words, from + 6 * step).reinterpretAsBytes();
      ByteVector h = LongVector.fromArray(LONGS, words, from + 7 * step).reinterpretAsBytes();
      ByteVector t;
      t = a.blend(e.reinterpretAsLongs().lanewise(LSHL, 32).reinterpretAsBytes(), FOURTH);
      e = a.reinterpretAsLongs().lanewise(LSHR, 32).reinterpretAsBytes().blend(e, FOURTH);
      a = t;
      t = b.blend(f.reinterpretAsLongs().lanewise(LSHL, 32).reinterpretAsBytes(), FOURTH);
      f = b.reinterpretAsLongs().lanewise(LSHR, 32).reinterpretAsBytes().blend(f, FOURTH);
      b = t;
      t = c.blend(g.reinterpretAsLongs().lanewise(LSHL, 32).reinterpretAsBytes(), FOURTH);
      g = c.reinterpretAsLongs().lanewise(LSHR, 32).reinterpretAsBytes().blend(g, FOURTH);
      c = t;
      t = d.blend(h.reinterpretAsLongs().lanewise(LSHL, 32).reinterpretAsBytes(), FOURTH);
      h = d.reinterpretAsLongs().lanewise(LSHR, 32).reinterpretAsBytes().blend(h, FOURTH);
      d = t;
      t = a.blend(c.reinterpretAsLongs().lanewise(LSHL, 16).reinterpretAsBytes(), SECOND);
      c = a.reinterpretAsLongs().lanewise(LSHR, 16).reinterpretAsBytes().blend(c, SECOND);
      a = t;
      t = b.blend(d.reinterpretAsLongs().lanewise(LSHL, 16).reinterpretAsBytes(), SECOND);
      d = b.reinterpretAsLongs().lanewise(LSHR, 16).reinterpretAsBytes().blend(d, SECOND);
      b = t;
      t = e.blend(g.reinterpretAsLongs().lanewise(LSHL, 16).reinterpretAsBytes(), SECOND);
      g = e.reinterpretAsLongs().lanewise(LSHR, 16).reinterpretAsBytes().blend(g, SECOND);
      e = t;
      t = f.blend(h.reinterpretAsLongs().lanewise(LSHL, 16).reinterpretAsBytes(), SECOND);
      h = f.reinterpretAsLongs().lanewise(LSHR, 16).reinterpretAsBytes().blend(h, SECOND);
      f = t;
      t = a.blend(b.reinterpretAsLongs().lanewise(LSHL, 8).reinterpretAsBytes(), ODD);
      b = a.reinterpretAsLongs().lanewise(LSHR, 8).reinterpretAsBytes().blend(b, ODD);
      a = t;
      t = c.blend(d.reinterpretAsLongs().lanewise(LSHL, 8).reinterpretAsBytes(), ODD);
      d = c.reinterpretAsLongs().lanewise(LSHR, 8).reinterpretAsBytes().blend(d, ODD);
      c = t;
      t = e.blend(f.reinterpretAsLongs().lanewise(LSHL, 8).reinterpretAsBytes(), ODD);
      f = e.reinterpretAsLongs().lanewise(LSHR, 8).reinterpretAsBytes().blend(f, ODD);
      e = t;
      t = g.blend(h.reinterpretAsLongs().lanewise(LSHL, 8).reinterpretAsBytes(), ODD);
      h = g.reinterpretAsLongs().lanewise(LSHR, 8).reinterpretAsBytes().blend(h, ODD);
      g = t;
      a.reinterpretAsLongs().intoArray(rows, at);
      b.reinterpretAsLongs().intoArray(rows, at + row);
      c.reinterpretAsLongs().intoArray(rows, at + 2 * row);
      d.reinterpretAsLongs().intoArray(rows, at + 3 * row);
      e.reinterpretAsLongs().intoArray(rows, at + 4 * row);
      f.reinterpretAsLongs().intoArray(rows, at + 5 * row);
      g.reinterpretAsLongs().intoArray(rows, at + 6 * row);
      h.reinterpretAsLongs().intoArray(rows, at + 7 * row);
    }
  }

  /** The inverse of {@link #takeApart}, of rows in memory. */
  private static void putTogether(
      MemorySegment memory, long first, long row, int columns, long[] words, int step, int next) {
    for (int i = 0; i < columns; i++) {
      long from = first + row * WORDS * i;
      int at = i * next;
      ByteVector a = ByteVector.fromMemorySegment(BYTES, memory, from, LITTLE);
      ByteVector b = ByteVector.fromMemorySegment(BYTES, memory, from + row, LITTLE);
      ByteVector c = ByteVector.fromMemorySegment(BYTES, memory, from + 2 * row, LITTLE);
      ByteVector d = ByteVector.fromMemorySegment(BYTES, memory, from + 3 * row, LITTLE);
      ByteVector e = ByteVector.fromMemorySegment(BYTES, memory, from + 4 * row, LITTLE);
      ByteVector f = ByteVector.fromMemorySegment(BYTES, memory, from + 5 * row, LITTLE);
      ByteVector g = ByteVector.fromMemorySegment(BYTES, memory, from + 6 * row, LITTLE);
      ByteVector h = ByteVector.fromMemorySegment(BYTES, memory, from + 7 * row, LITTLE);
      ByteVector t;
      t = a.blend(e.reinterpretAsLongs().lanewise(LSHL, 32).reinterpretAsBytes(), FOURTH);
      e = a.reinterpretAsLongs().lanewise(LSHR, 32).reinterpretAsBytes().blend(e, FOURTH);
      a = t;
      t = b.blend(f.reinterpretAsLongs().lanewise(LSHL, 32).reinterpretAsBytes(), FOURTH);
      f = b.reinterpretAsLongs().lanewise(LSHR, 32).reinterpretAsBytes().blend(f, FOURTH);
      b = t;
      t = c.blend(g.reinterpretAsLongs().lanewise(LSHL, 32).reinterpretAsBytes(), FOURTH);
      g = c.reinterpretAsLongs().lanewise(LSHR, 32).reinterpretAsBytes().blend(g, FOURTH);
      c = t;
      t = d.blend(h.reinterpretAsLongs().lanewise(LSHL, 32).reinterpretAsBytes(), FOURTH);
      h = d.reinterpretAsLongs().lanewise(LSHR, 32).reinterpretAsBytes().blend(h, FOURTH);
      d = t;
      t = a.blend(c.reinterpretAsLongs().lanewise(LSHL, 16).reinterpretAsBytes(), SECOND);
      c = a.reinterpretAsLongs().lanewise(LSHR, 16).reinterpretAsBytes().blend(c, SECOND);
      a = t;
      t = b.blend(d.reinterpretAsLongs().lanewise(LSHL, 16).reinterpretAsBytes(), SECOND);
      d = b.reinterpretAsLongs().lanewise(LSHR, 16).reinterpretAsBytes().blend(d, SECOND);
      b = t;
      t = e.blend(g.reinterpretAsLongs().lanewise(LSHL, 16).reinterpretAsBytes(), SECOND);
      g = e.reinterpretAsLongs().lanewise(LSHR, 16).reinterpretAsBytes().blend(g, SECOND);
      e = t;
      t = f.blend(h.reinterpretAsLongs().lanewise(LSHL, 16).reinterpretAsBytes(), SECOND);
      h = f.reinterpretAsLongs().lanewise(LSHR, 16).reinterpretAsBytes().blend(h, SECOND);
      f = t;
      t = a.blend(b.reinterpretAsLongs().lanewise(LSHL, 8).reinterpretAsBytes(), ODD);
      b = a.reinterpretAsLongs().lanewise(LSHR, 8).reinterpretAsBytes().blend(b, ODD);
      a = t;
      t = c.blend(d.reinterpretAsLongs().lanewise(LSHL, 8).reinterpretAsBytes(), ODD);
      d = c.reinterpretAsLongs().lanewise(LSHR, 8).reinterpretAsBytes().blend(d, ODD);
      c = t;
      t = e.blend(f.reinterpretAsLongs().lanewise(LSHL, 8).reinterpretAsBytes(), ODD);
      f = e.reinterpretAsLongs().lanewise(LSHR, 8).reinterpretAsBytes().blend(f, ODD);
      e = t;
      t = g.blend(h.reinterpretAsLongs().lanewise(LSHL, 8).reinterpretAsBytes(), ODD);
      h = g.reinterpretAsLongs().lanewise(LSHR, 8).reinterpretAsBytes().blend(h, ODD);
      g = t;
      a.reinterpretAsLongs().intoArray(words, at);
      b.reinterpretAsLongs().intoArray(words, at + step);
      c.reinterpretAsLongs().intoArray(words, at + 2 * step);
      d.reinterpretAsLongs().intoArray(words, at + 3 * step);
      e.reinterpretAsLongs().intoArray(words, at + 4 * step);
      f.reinterpretAsLongs().intoArray(words, at + 5 * step);
      g.reinterpretAsLongs().intoArray(words, at + 6 * step);
      h.reinterpretAsLongs().intoArray(words, at + 7 * step);
    }
  }
}
