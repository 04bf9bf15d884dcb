// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.XOR;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Arrays;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Words of eight bytes in vectors of 256 bits and more, as many as fill eight vectors at a time.
 *
 * <p>There is no instruction that moves bytes everywhere in such a vector, but there are shifts of
 * words and choices between two vectors, place by place. So what {@link Transposition} does to
 * eight words is done to eight vectors of them: pairs of vectors exchange halves of words, pairs of
 * bytes, bytes. Vector k had byte k of all elements, eight to a word; now it has every eighth
 * element, from k on: they <em>stand</em> across the vectors. In the same way pairs of vectors
 * exchange lanes, and elements <em>lie</em> side by side.
 *
 * <p>While they stand sums are cheap: adding one vector to the next makes sums of eight elements in
 * every lane, and only one vector of totals is left to be added up across its lanes.
 *
 * <p>Its loops call nothing but the Vector API, for the reason that {@link VectorLongs} has.
 */
final class WideLongs {
  private static final VectorSpecies<Long> LONGS = LongVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Byte> BYTES = LONGS.withLanes(byte.class);
  private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;
  private static final int LANES = LONGS.length();
  private static final int MOST_LANES = 8;
  private static final int ROW = Rows.ROW_OF_LONGS;

  /** So many elements are done at a time. */
  static final int STEP = 8 * LANES;

  /** Smaller vectors have better ways, larger ones would need more exchanges. */
  static final boolean PRESENT = LANES == 4 || LANES == 8;

  private static final VectorMask<Byte> ODD = bytes(1);
  private static final VectorMask<Byte> SECOND = bytes(2);
  private static final VectorMask<Byte> FOURTH = bytes(4);

  private static final VectorMask<Long> LANE_ONE = lanes(1);
  private static final VectorMask<Long> LANE_TWO = lanes(2);
  private static final VectorMask<Long> LANE_FOUR = lanes(4);
  private static final VectorShuffle<Long> BY_ONE = exchanged(1);
  private static final VectorShuffle<Long> BY_TWO = exchanged(2);
  private static final VectorShuffle<Long> BY_FOUR = exchanged(4);

  private static final VectorShuffle<Long> UP_1 = up(1);
  private static final VectorShuffle<Long> UP_2 = up(2);
  private static final VectorShuffle<Long> UP_4 = up(4);
  private static final VectorShuffle<Long> LAST = LONGS.shuffleFromOp(_ -> LANES - 1);

  /**
   * Nothing, and then all bits: from so many lanes before the middle, lanes are kept from there.
   */
  private static final long[] FROM = new long[2 * MOST_LANES];

  static {
    Arrays.fill(FROM, MOST_LANES, 2 * MOST_LANES, -1);
  }

  // Where vectors of lying elements are: numbers of vectors have bits that lanes have no more.
  private static final int P0 = place(0);
  private static final int P1 = place(1);
  private static final int P2 = place(2);
  private static final int P3 = place(3);
  private static final int P4 = place(4);
  private static final int P5 = place(5);
  private static final int P6 = place(6);
  private static final int P7 = place(7);

  private WideLongs() {}

  private static VectorMask<Byte> bytes(int bit) {
    boolean[] chosen = new boolean[BYTES.length()];
    for (int place = 0; place < chosen.length; place++) {
      chosen[place] = (place & bit) != 0;
    }
    return VectorMask.fromArray(BYTES, chosen, 0);
  }

  private static VectorMask<Long> lanes(int bit) {
    boolean[] chosen = new boolean[LANES];
    for (int lane = 0; lane < LANES; lane++) {
      chosen[lane] = (lane & bit) != 0;
    }
    return VectorMask.fromArray(LONGS, chosen, 0);
  }

  private static VectorShuffle<Long> exchanged(int bit) {
    return LONGS.shuffleFromOp(lane -> (lane ^ bit) & LANES - 1);
  }

  private static VectorShuffle<Long> up(int by) {
    return LONGS.shuffleFromOp(lane -> lane - by & LANES - 1);
  }

  private static int place(int vector) {
    return LANES * (LANES == 4 ? (vector & 3) << 1 | vector >> 2 : vector);
  }

  /**
   * Elements from rows in memory.
   *
   * @param first where the first row begins
   * @param row how far it is to the next; may be negative
   * @param n a multiple of {@link #STEP}
   */
  static void unshuffle(MemorySegment memory, long first, long row, int n, long[] words) {
    putTogether(memory, first, row, n, words);
    layDown(words, n);
  }

  /**
   * The same; then differences without a sign become numbers, and each the sum of those before it,
   * {@code before} and itself.
   *
   * @return the last of them
   */
  static long unshuffleToSums(
      MemorySegment memory, long first, long row, int n, long before, long[] words) {
    putTogether(memory, first, row, n, words);
    return sumAndLayDown(words, n, before);
  }

  /**
   * Differences in memory, without a sign, become numbers, and each the sum of those before it,
   * {@code before} and itself. They lie as they are: sums across the lanes of each vector take less
   * than to let elements stand up and lie down.
   *
   * @return the last of them
   */
  static long sums(MemorySegment memory, long offset, int n, long before, long[] words) {
    MemorySegment differences = memory.asSlice(offset, 8L * n); // so that its class is known here
    LongVector carried = LongVector.broadcast(LONGS, before);
    for (int at = 0; at < n; at += LANES) {
      LongVector a = LongVector.fromMemorySegment(LONGS, differences, 8L * at, LITTLE);
      a = a.lanewise(LSHR, 1).lanewise(XOR, a.and(1).neg());
      a = a.add(a.rearrange(UP_1).and(LongVector.fromArray(LONGS, FROM, MOST_LANES - 1)));
      a = a.add(a.rearrange(UP_2).and(LongVector.fromArray(LONGS, FROM, MOST_LANES - 2)));
      if (LANES > 4) {
        a = a.add(a.rearrange(UP_4).and(LongVector.fromArray(LONGS, FROM, MOST_LANES - 4)));
      }
      a.add(carried).intoArray(words, at);
      carried = carried.add(a.rearrange(LAST));
    }
    return carried.lane(0);
  }

  /** Words become rows; of the words nothing is left. */
  static void shuffle(long[] words, int n, long[] rows) {
    standUp(words, n);
    takeApart(words, n, rows);
  }

  /** Words in memory become rows. */
  static void shuffle(MemorySegment memory, long offset, int n, long[] words, long[] rows) {
    standUp(memory.asSlice(offset, 8L * n), n, words);
    takeApart(words, n, rows);
  }

  /**
   * Byte k of all elements, in vector k, becomes byte k of each: elements are across vectors then.
   */
  private static void putTogether(MemorySegment memory, long first, long row, int n, long[] words) {
    MemorySegment as = memory.asSlice(first, n);
    MemorySegment bs = memory.asSlice(first + row, n);
    MemorySegment cs = memory.asSlice(first + 2 * row, n);
    MemorySegment ds = memory.asSlice(first + 3 * row, n);
    MemorySegment es = memory.asSlice(first + 4 * row, n);
    MemorySegment fs = memory.asSlice(first + 5 * row, n);
    MemorySegment gs = memory.asSlice(first + 6 * row, n);
    MemorySegment hs = memory.asSlice(first + 7 * row, n);
    for (int at = 0; at < n; at += STEP) {
      ByteVector a = ByteVector.fromMemorySegment(BYTES, as, at, LITTLE);
      ByteVector b = ByteVector.fromMemorySegment(BYTES, bs, at, LITTLE);
      ByteVector c = ByteVector.fromMemorySegment(BYTES, cs, at, LITTLE);
      ByteVector d = ByteVector.fromMemorySegment(BYTES, ds, at, LITTLE);
      ByteVector e = ByteVector.fromMemorySegment(BYTES, es, at, LITTLE);
      ByteVector f = ByteVector.fromMemorySegment(BYTES, fs, at, LITTLE);
      ByteVector g = ByteVector.fromMemorySegment(BYTES, gs, at, LITTLE);
      ByteVector h = ByteVector.fromMemorySegment(BYTES, hs, at, LITTLE);
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
      b.reinterpretAsLongs().intoArray(words, at + LANES);
      c.reinterpretAsLongs().intoArray(words, at + 2 * LANES);
      d.reinterpretAsLongs().intoArray(words, at + 3 * LANES);
      e.reinterpretAsLongs().intoArray(words, at + 4 * LANES);
      f.reinterpretAsLongs().intoArray(words, at + 5 * LANES);
      g.reinterpretAsLongs().intoArray(words, at + 6 * LANES);
      h.reinterpretAsLongs().intoArray(words, at + 7 * LANES);
    }
  }

  /** The inverse of {@link #putTogether}. */
  private static void takeApart(long[] words, int n, long[] rows) {
    for (int at = 0; at < n; at += STEP) {
      ByteVector a = LongVector.fromArray(LONGS, words, at).reinterpretAsBytes();
      ByteVector b = LongVector.fromArray(LONGS, words, at + LANES).reinterpretAsBytes();
      ByteVector c = LongVector.fromArray(LONGS, words, at + 2 * LANES).reinterpretAsBytes();
      ByteVector d = LongVector.fromArray(LONGS, words, at + 3 * LANES).reinterpretAsBytes();
      ByteVector e = LongVector.fromArray(LONGS, words, at + 4 * LANES).reinterpretAsBytes();
      ByteVector f = LongVector.fromArray(LONGS, words, at + 5 * LANES).reinterpretAsBytes();
      ByteVector g = LongVector.fromArray(LONGS, words, at + 6 * LANES).reinterpretAsBytes();
      ByteVector h = LongVector.fromArray(LONGS, words, at + 7 * LANES).reinterpretAsBytes();
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
      int to = at / 8;
      a.reinterpretAsLongs().intoArray(rows, to);
      b.reinterpretAsLongs().intoArray(rows, ROW + to);
      c.reinterpretAsLongs().intoArray(rows, 2 * ROW + to);
      d.reinterpretAsLongs().intoArray(rows, 3 * ROW + to);
      e.reinterpretAsLongs().intoArray(rows, 4 * ROW + to);
      f.reinterpretAsLongs().intoArray(rows, 5 * ROW + to);
      g.reinterpretAsLongs().intoArray(rows, 6 * ROW + to);
      h.reinterpretAsLongs().intoArray(rows, 7 * ROW + to);
    }
  }

  /** Elements that are across vectors come to lie side by side. */
  private static void layDown(long[] words, int n) {
    for (int at = 0; at < n; at += STEP) {
      LongVector a = LongVector.fromArray(LONGS, words, at);
      LongVector b = LongVector.fromArray(LONGS, words, at + LANES);
      LongVector c = LongVector.fromArray(LONGS, words, at + 2 * LANES);
      LongVector d = LongVector.fromArray(LONGS, words, at + 3 * LANES);
      LongVector e = LongVector.fromArray(LONGS, words, at + 4 * LANES);
      LongVector f = LongVector.fromArray(LONGS, words, at + 5 * LANES);
      LongVector g = LongVector.fromArray(LONGS, words, at + 6 * LANES);
      LongVector h = LongVector.fromArray(LONGS, words, at + 7 * LANES);
      LongVector t;
      if (LANES > 4) {
        t = a.blend(e.rearrange(BY_FOUR), LANE_FOUR);
        e = a.rearrange(BY_FOUR).blend(e, LANE_FOUR);
        a = t;
        t = b.blend(f.rearrange(BY_FOUR), LANE_FOUR);
        f = b.rearrange(BY_FOUR).blend(f, LANE_FOUR);
        b = t;
        t = c.blend(g.rearrange(BY_FOUR), LANE_FOUR);
        g = c.rearrange(BY_FOUR).blend(g, LANE_FOUR);
        c = t;
        t = d.blend(h.rearrange(BY_FOUR), LANE_FOUR);
        h = d.rearrange(BY_FOUR).blend(h, LANE_FOUR);
        d = t;
      }
      t = a.blend(c.rearrange(BY_TWO), LANE_TWO);
      c = a.rearrange(BY_TWO).blend(c, LANE_TWO);
      a = t;
      t = b.blend(d.rearrange(BY_TWO), LANE_TWO);
      d = b.rearrange(BY_TWO).blend(d, LANE_TWO);
      b = t;
      t = e.blend(g.rearrange(BY_TWO), LANE_TWO);
      g = e.rearrange(BY_TWO).blend(g, LANE_TWO);
      e = t;
      t = f.blend(h.rearrange(BY_TWO), LANE_TWO);
      h = f.rearrange(BY_TWO).blend(h, LANE_TWO);
      f = t;
      t = a.blend(b.rearrange(BY_ONE), LANE_ONE);
      b = a.rearrange(BY_ONE).blend(b, LANE_ONE);
      a = t;
      t = c.blend(d.rearrange(BY_ONE), LANE_ONE);
      d = c.rearrange(BY_ONE).blend(d, LANE_ONE);
      c = t;
      t = e.blend(f.rearrange(BY_ONE), LANE_ONE);
      f = e.rearrange(BY_ONE).blend(f, LANE_ONE);
      e = t;
      t = g.blend(h.rearrange(BY_ONE), LANE_ONE);
      h = g.rearrange(BY_ONE).blend(h, LANE_ONE);
      g = t;
      a.intoArray(words, at + P0);
      b.intoArray(words, at + P1);
      c.intoArray(words, at + P2);
      d.intoArray(words, at + P3);
      e.intoArray(words, at + P4);
      f.intoArray(words, at + P5);
      g.intoArray(words, at + P6);
      h.intoArray(words, at + P7);
    }
  }

  /** {@link #layDown}, when each has become the sum of all before it and itself. */
  private static long sumAndLayDown(long[] words, int n, long before) {
    LongVector carried = LongVector.broadcast(LONGS, before);
    for (int at = 0; at < n; at += STEP) {
      LongVector a = LongVector.fromArray(LONGS, words, at);
      LongVector b = LongVector.fromArray(LONGS, words, at + LANES);
      LongVector c = LongVector.fromArray(LONGS, words, at + 2 * LANES);
      LongVector d = LongVector.fromArray(LONGS, words, at + 3 * LANES);
      LongVector e = LongVector.fromArray(LONGS, words, at + 4 * LANES);
      LongVector f = LongVector.fromArray(LONGS, words, at + 5 * LANES);
      LongVector g = LongVector.fromArray(LONGS, words, at + 6 * LANES);
      LongVector h = LongVector.fromArray(LONGS, words, at + 7 * LANES);
      a = a.lanewise(LSHR, 1).lanewise(XOR, a.and(1).neg());
      b = b.lanewise(LSHR, 1).lanewise(XOR, b.and(1).neg());
      c = c.lanewise(LSHR, 1).lanewise(XOR, c.and(1).neg());
      d = d.lanewise(LSHR, 1).lanewise(XOR, d.and(1).neg());
      e = e.lanewise(LSHR, 1).lanewise(XOR, e.and(1).neg());
      f = f.lanewise(LSHR, 1).lanewise(XOR, f.and(1).neg());
      g = g.lanewise(LSHR, 1).lanewise(XOR, g.and(1).neg());
      h = h.lanewise(LSHR, 1).lanewise(XOR, h.and(1).neg());
      b = b.add(a);
      c = c.add(b);
      d = d.add(c);
      e = e.add(d);
      f = f.add(e);
      g = g.add(f);
      h = h.add(g);
      LongVector sums = h;
      sums = sums.add(sums.rearrange(UP_1).and(LongVector.fromArray(LONGS, FROM, MOST_LANES - 1)));
      sums = sums.add(sums.rearrange(UP_2).and(LongVector.fromArray(LONGS, FROM, MOST_LANES - 2)));
      if (LANES > 4) {
        sums =
            sums.add(sums.rearrange(UP_4).and(LongVector.fromArray(LONGS, FROM, MOST_LANES - 4)));
      }
      LongVector all =
          sums.rearrange(UP_1).and(LongVector.fromArray(LONGS, FROM, MOST_LANES - 1)).add(carried);
      carried = carried.add(sums.rearrange(LAST));
      a = a.add(all);
      b = b.add(all);
      c = c.add(all);
      d = d.add(all);
      e = e.add(all);
      f = f.add(all);
      g = g.add(all);
      h = h.add(all);
      LongVector t;
      if (LANES > 4) {
        t = a.blend(e.rearrange(BY_FOUR), LANE_FOUR);
        e = a.rearrange(BY_FOUR).blend(e, LANE_FOUR);
        a = t;
        t = b.blend(f.rearrange(BY_FOUR), LANE_FOUR);
        f = b.rearrange(BY_FOUR).blend(f, LANE_FOUR);
        b = t;
        t = c.blend(g.rearrange(BY_FOUR), LANE_FOUR);
        g = c.rearrange(BY_FOUR).blend(g, LANE_FOUR);
        c = t;
        t = d.blend(h.rearrange(BY_FOUR), LANE_FOUR);
        h = d.rearrange(BY_FOUR).blend(h, LANE_FOUR);
        d = t;
      }
      t = a.blend(c.rearrange(BY_TWO), LANE_TWO);
      c = a.rearrange(BY_TWO).blend(c, LANE_TWO);
      a = t;
      t = b.blend(d.rearrange(BY_TWO), LANE_TWO);
      d = b.rearrange(BY_TWO).blend(d, LANE_TWO);
      b = t;
      t = e.blend(g.rearrange(BY_TWO), LANE_TWO);
      g = e.rearrange(BY_TWO).blend(g, LANE_TWO);
      e = t;
      t = f.blend(h.rearrange(BY_TWO), LANE_TWO);
      h = f.rearrange(BY_TWO).blend(h, LANE_TWO);
      f = t;
      t = a.blend(b.rearrange(BY_ONE), LANE_ONE);
      b = a.rearrange(BY_ONE).blend(b, LANE_ONE);
      a = t;
      t = c.blend(d.rearrange(BY_ONE), LANE_ONE);
      d = c.rearrange(BY_ONE).blend(d, LANE_ONE);
      c = t;
      t = e.blend(f.rearrange(BY_ONE), LANE_ONE);
      f = e.rearrange(BY_ONE).blend(f, LANE_ONE);
      e = t;
      t = g.blend(h.rearrange(BY_ONE), LANE_ONE);
      h = g.rearrange(BY_ONE).blend(h, LANE_ONE);
      g = t;
      a.intoArray(words, at + P0);
      b.intoArray(words, at + P1);
      c.intoArray(words, at + P2);
      d.intoArray(words, at + P3);
      e.intoArray(words, at + P4);
      f.intoArray(words, at + P5);
      g.intoArray(words, at + P6);
      h.intoArray(words, at + P7);
    }
    return carried.lane(0);
  }

  /** The inverse of {@link #layDown}. */
  private static void standUp(long[] words, int n) {
    for (int at = 0; at < n; at += STEP) {
      LongVector a = LongVector.fromArray(LONGS, words, at + P0);
      LongVector b = LongVector.fromArray(LONGS, words, at + P1);
      LongVector c = LongVector.fromArray(LONGS, words, at + P2);
      LongVector d = LongVector.fromArray(LONGS, words, at + P3);
      LongVector e = LongVector.fromArray(LONGS, words, at + P4);
      LongVector f = LongVector.fromArray(LONGS, words, at + P5);
      LongVector g = LongVector.fromArray(LONGS, words, at + P6);
      LongVector h = LongVector.fromArray(LONGS, words, at + P7);
      LongVector t;
      if (LANES > 4) {
        t = a.blend(e.rearrange(BY_FOUR), LANE_FOUR);
        e = a.rearrange(BY_FOUR).blend(e, LANE_FOUR);
        a = t;
        t = b.blend(f.rearrange(BY_FOUR), LANE_FOUR);
        f = b.rearrange(BY_FOUR).blend(f, LANE_FOUR);
        b = t;
        t = c.blend(g.rearrange(BY_FOUR), LANE_FOUR);
        g = c.rearrange(BY_FOUR).blend(g, LANE_FOUR);
        c = t;
        t = d.blend(h.rearrange(BY_FOUR), LANE_FOUR);
        h = d.rearrange(BY_FOUR).blend(h, LANE_FOUR);
        d = t;
      }
      t = a.blend(c.rearrange(BY_TWO), LANE_TWO);
      c = a.rearrange(BY_TWO).blend(c, LANE_TWO);
      a = t;
      t = b.blend(d.rearrange(BY_TWO), LANE_TWO);
      d = b.rearrange(BY_TWO).blend(d, LANE_TWO);
      b = t;
      t = e.blend(g.rearrange(BY_TWO), LANE_TWO);
      g = e.rearrange(BY_TWO).blend(g, LANE_TWO);
      e = t;
      t = f.blend(h.rearrange(BY_TWO), LANE_TWO);
      h = f.rearrange(BY_TWO).blend(h, LANE_TWO);
      f = t;
      t = a.blend(b.rearrange(BY_ONE), LANE_ONE);
      b = a.rearrange(BY_ONE).blend(b, LANE_ONE);
      a = t;
      t = c.blend(d.rearrange(BY_ONE), LANE_ONE);
      d = c.rearrange(BY_ONE).blend(d, LANE_ONE);
      c = t;
      t = e.blend(f.rearrange(BY_ONE), LANE_ONE);
      f = e.rearrange(BY_ONE).blend(f, LANE_ONE);
      e = t;
      t = g.blend(h.rearrange(BY_ONE), LANE_ONE);
      h = g.rearrange(BY_ONE).blend(h, LANE_ONE);
      g = t;
      a.intoArray(words, at);
      b.intoArray(words, at + LANES);
      c.intoArray(words, at + 2 * LANES);
      d.intoArray(words, at + 3 * LANES);
      e.intoArray(words, at + 4 * LANES);
      f.intoArray(words, at + 5 * LANES);
      g.intoArray(words, at + 6 * LANES);
      h.intoArray(words, at + 7 * LANES);
    }
  }

  /** The same of words in memory. */
  private static void standUp(MemorySegment memory, int n, long[] words) {
    for (int at = 0; at < n; at += STEP) {
      int from = Long.BYTES * at;
      LongVector a = LongVector.fromMemorySegment(LONGS, memory, from, LITTLE);
      LongVector b = LongVector.fromMemorySegment(LONGS, memory, from + Long.BYTES * P1, LITTLE);
      LongVector c = LongVector.fromMemorySegment(LONGS, memory, from + Long.BYTES * P2, LITTLE);
      LongVector d = LongVector.fromMemorySegment(LONGS, memory, from + Long.BYTES * P3, LITTLE);
      LongVector e = LongVector.fromMemorySegment(LONGS, memory, from + Long.BYTES * P4, LITTLE);
      LongVector f = LongVector.fromMemorySegment(LONGS, memory, from + Long.BYTES * P5, LITTLE);
      LongVector g = LongVector.fromMemorySegment(LONGS, memory, from + Long.BYTES * P6, LITTLE);
      LongVector h = LongVector.fromMemorySegment(LONGS, memory, from + Long.BYTES * P7, LITTLE);
      LongVector t;
      if (LANES > 4) {
        t = a.blend(e.rearrange(BY_FOUR), LANE_FOUR);
        e = a.rearrange(BY_FOUR).blend(e, LANE_FOUR);
        a = t;
        t = b.blend(f.rearrange(BY_FOUR), LANE_FOUR);
        f = b.rearrange(BY_FOUR).blend(f, LANE_FOUR);
        b = t;
        t = c.blend(g.rearrange(BY_FOUR), LANE_FOUR);
        g = c.rearrange(BY_FOUR).blend(g, LANE_FOUR);
        c = t;
        t = d.blend(h.rearrange(BY_FOUR), LANE_FOUR);
        h = d.rearrange(BY_FOUR).blend(h, LANE_FOUR);
        d = t;
      }
      t = a.blend(c.rearrange(BY_TWO), LANE_TWO);
      c = a.rearrange(BY_TWO).blend(c, LANE_TWO);
      a = t;
      t = b.blend(d.rearrange(BY_TWO), LANE_TWO);
      d = b.rearrange(BY_TWO).blend(d, LANE_TWO);
      b = t;
      t = e.blend(g.rearrange(BY_TWO), LANE_TWO);
      g = e.rearrange(BY_TWO).blend(g, LANE_TWO);
      e = t;
      t = f.blend(h.rearrange(BY_TWO), LANE_TWO);
      h = f.rearrange(BY_TWO).blend(h, LANE_TWO);
      f = t;
      t = a.blend(b.rearrange(BY_ONE), LANE_ONE);
      b = a.rearrange(BY_ONE).blend(b, LANE_ONE);
      a = t;
      t = c.blend(d.rearrange(BY_ONE), LANE_ONE);
      d = c.rearrange(BY_ONE).blend(d, LANE_ONE);
      c = t;
      t = e.blend(f.rearrange(BY_ONE), LANE_ONE);
      f = e.rearrange(BY_ONE).blend(f, LANE_ONE);
      e = t;
      t = g.blend(h.rearrange(BY_ONE), LANE_ONE);
      h = g.rearrange(BY_ONE).blend(h, LANE_ONE);
      g = t;
      a.intoArray(words, at);
      b.intoArray(words, at + LANES);
      c.intoArray(words, at + 2 * LANES);
      d.intoArray(words, at + 3 * LANES);
      e.intoArray(words, at + 4 * LANES);
      f.intoArray(words, at + 5 * LANES);
      g.intoArray(words, at + 6 * LANES);
      h.intoArray(words, at + 7 * LANES);
    }
  }
}
