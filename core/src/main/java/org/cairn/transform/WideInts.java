// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.XOR;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Arrays;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Words of four bytes in vectors of 256 bits and more, as {@link WideLongs} has words of eight:
 * four vectors at a time, with every fourth element in each while they stand. They have more lanes
 * than there are vectors, so the upper lanes are exchanged, and lanes change places within each
 * vector.
 */
final class WideInts {
  private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Byte> BYTES = INTS.withLanes(byte.class);
  private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;
  private static final int LANES = INTS.length();
  private static final int QUARTER = Math.max(1, LANES / 4);
  private static final int BYTES_EACH = BYTES.length();
  private static final int MOST_LANES = 16;
  private static final int ROW = Rows.ROW_OF_INTS;

  /** So many elements are done at a time. */
  static final int STEP = 4 * LANES;

  /** Smaller vectors have better ways, larger ones would need more exchanges. */
  static final boolean PRESENT = LANES == 8 || LANES == 16;

  private static final VectorMask<Byte> ODD = bytes(1);
  private static final VectorMask<Byte> SECOND = bytes(2);

  private static final VectorMask<Integer> UPPER_HALF = lanes(LANES / 2);
  private static final VectorMask<Integer> ODD_QUARTER = lanes(QUARTER);
  private static final VectorShuffle<Integer> BY_HALF = exchanged(LANES / 2);
  private static final VectorShuffle<Integer> BY_QUARTER = exchanged(QUARTER);

  /** From lanes that have quarters of elements side by side to those that have elements so. */
  private static final VectorShuffle<Integer> LAID_DOWN =
      INTS.shuffleFromOp(lane -> (lane & 3) * QUARTER + (lane >> 2));

  private static final VectorShuffle<Integer> STOOD_UP =
      INTS.shuffleFromOp(lane -> lane % QUARTER * 4 + lane / QUARTER);

  private static final VectorShuffle<Integer> UP_1 = up(1);
  private static final VectorShuffle<Integer> UP_2 = up(2);
  private static final VectorShuffle<Integer> UP_4 = up(4);
  private static final VectorShuffle<Integer> UP_8 = up(8);
  private static final VectorShuffle<Integer> LAST = INTS.shuffleFromOp(_ -> LANES - 1);

  /**
   * Nothing, and then all bits: from so many lanes before the middle, lanes are kept from there.
   */
  private static final int[] FROM = new int[2 * MOST_LANES];

  static {
    Arrays.fill(FROM, MOST_LANES, 2 * MOST_LANES, -1);
  }

  private WideInts() {}

  private static VectorMask<Byte> bytes(int bit) {
    boolean[] chosen = new boolean[BYTES.length()];
    for (int place = 0; place < chosen.length; place++) {
      chosen[place] = (place & bit) != 0;
    }
    return VectorMask.fromArray(BYTES, chosen, 0);
  }

  private static VectorMask<Integer> lanes(int bit) {
    boolean[] chosen = new boolean[LANES];
    for (int lane = 0; lane < LANES; lane++) {
      chosen[lane] = (lane & bit) != 0;
    }
    return VectorMask.fromArray(INTS, chosen, 0);
  }

  private static VectorShuffle<Integer> exchanged(int bit) {
    return INTS.shuffleFromOp(lane -> (lane ^ bit) & LANES - 1);
  }

  private static VectorShuffle<Integer> up(int by) {
    return INTS.shuffleFromOp(lane -> lane - by & LANES - 1);
  }

  /** As {@link WideLongs#unshuffle}. */
  static void unshuffle(MemorySegment memory, long first, long row, int n, int[] words) {
    putTogether(memory, first, row, n, words);
    layDown(words, n);
  }

  /** As {@link WideLongs#unshuffleToSums}. */
  static int unshuffleToSums(
      MemorySegment memory, long first, long row, int n, int before, int[] words) {
    putTogether(memory, first, row, n, words);
    return sumAndLayDown(words, n, before);
  }

  /** As {@link WideLongs#sums}. */
  static int sums(MemorySegment memory, long offset, int n, int before, int[] words) {
    MemorySegment differences = memory.asSlice(offset, 4L * n); // so that its class is known here
    IntVector carried = IntVector.broadcast(INTS, before);
    for (int at = 0; at < n; at += LANES) {
      IntVector a = IntVector.fromMemorySegment(INTS, differences, 4L * at, LITTLE);
      a = a.lanewise(LSHR, 1).lanewise(XOR, a.and(1).neg());
      a = a.add(a.rearrange(UP_1).and(IntVector.fromArray(INTS, FROM, MOST_LANES - 1)));
      a = a.add(a.rearrange(UP_2).and(IntVector.fromArray(INTS, FROM, MOST_LANES - 2)));
      a = a.add(a.rearrange(UP_4).and(IntVector.fromArray(INTS, FROM, MOST_LANES - 4)));
      if (LANES > 8) {
        a = a.add(a.rearrange(UP_8).and(IntVector.fromArray(INTS, FROM, MOST_LANES - 8)));
      }
      a.add(carried).intoArray(words, at);
      carried = carried.add(a.rearrange(LAST));
    }
    return carried.lane(0);
  }

  /** As {@link WideLongs#shuffle(long[], int, long[])}. */
  static void shuffle(int[] words, int n, long[] rows) {
    standUp(words, n);
    takeApart(words, n, rows);
  }

  /** Words in memory become rows. */
  static void shuffle(MemorySegment memory, long offset, int n, int[] words, long[] rows) {
    standUp(memory.asSlice(offset, 4L * n), n, words);
    takeApart(words, n, rows);
  }

  /**
   * Byte k of all elements, in vector k, becomes byte k of each: elements are across vectors then.
   */
  private static void putTogether(MemorySegment memory, long first, long row, int n, int[] words) {
    MemorySegment as = memory.asSlice(first, n);
    MemorySegment bs = memory.asSlice(first + row, n);
    MemorySegment cs = memory.asSlice(first + 2 * row, n);
    MemorySegment ds = memory.asSlice(first + 3 * row, n);
    for (int at = 0; at < n; at += STEP) {
      ByteVector a = ByteVector.fromMemorySegment(BYTES, as, at, LITTLE);
      ByteVector b = ByteVector.fromMemorySegment(BYTES, bs, at, LITTLE);
      ByteVector c = ByteVector.fromMemorySegment(BYTES, cs, at, LITTLE);
      ByteVector d = ByteVector.fromMemorySegment(BYTES, ds, at, LITTLE);
      ByteVector t;
      t = a.blend(c.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsBytes(), SECOND);
      c = a.reinterpretAsInts().lanewise(LSHR, 16).reinterpretAsBytes().blend(c, SECOND);
      a = t;
      t = b.blend(d.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsBytes(), SECOND);
      d = b.reinterpretAsInts().lanewise(LSHR, 16).reinterpretAsBytes().blend(d, SECOND);
      b = t;
      t = a.blend(b.reinterpretAsInts().lanewise(LSHL, 8).reinterpretAsBytes(), ODD);
      b = a.reinterpretAsInts().lanewise(LSHR, 8).reinterpretAsBytes().blend(b, ODD);
      a = t;
      t = c.blend(d.reinterpretAsInts().lanewise(LSHL, 8).reinterpretAsBytes(), ODD);
      d = c.reinterpretAsInts().lanewise(LSHR, 8).reinterpretAsBytes().blend(d, ODD);
      c = t;
      a.reinterpretAsInts().intoArray(words, at);
      b.reinterpretAsInts().intoArray(words, at + LANES);
      c.reinterpretAsInts().intoArray(words, at + 2 * LANES);
      d.reinterpretAsInts().intoArray(words, at + 3 * LANES);
    }
  }

  /** The inverse of {@link #putTogether}. */
  private static void takeApart(int[] words, int n, long[] rows) {
    for (int at = 0; at < n; at += STEP) {
      ByteVector a = IntVector.fromArray(INTS, words, at).reinterpretAsBytes();
      ByteVector b = IntVector.fromArray(INTS, words, at + LANES).reinterpretAsBytes();
      ByteVector c = IntVector.fromArray(INTS, words, at + 2 * LANES).reinterpretAsBytes();
      ByteVector d = IntVector.fromArray(INTS, words, at + 3 * LANES).reinterpretAsBytes();
      ByteVector t;
      t = a.blend(c.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsBytes(), SECOND);
      c = a.reinterpretAsInts().lanewise(LSHR, 16).reinterpretAsBytes().blend(c, SECOND);
      a = t;
      t = b.blend(d.reinterpretAsInts().lanewise(LSHL, 16).reinterpretAsBytes(), SECOND);
      d = b.reinterpretAsInts().lanewise(LSHR, 16).reinterpretAsBytes().blend(d, SECOND);
      b = t;
      t = a.blend(b.reinterpretAsInts().lanewise(LSHL, 8).reinterpretAsBytes(), ODD);
      b = a.reinterpretAsInts().lanewise(LSHR, 8).reinterpretAsBytes().blend(b, ODD);
      a = t;
      t = c.blend(d.reinterpretAsInts().lanewise(LSHL, 8).reinterpretAsBytes(), ODD);
      d = c.reinterpretAsInts().lanewise(LSHR, 8).reinterpretAsBytes().blend(d, ODD);
      c = t;
      int to = at / 8;
      a.reinterpretAsLongs().intoArray(rows, to);
      b.reinterpretAsLongs().intoArray(rows, ROW + to);
      c.reinterpretAsLongs().intoArray(rows, 2 * ROW + to);
      d.reinterpretAsLongs().intoArray(rows, 3 * ROW + to);
    }
  }

  /** Elements that are across vectors come to lie side by side. */
  private static void layDown(int[] words, int n) {
    for (int at = 0; at < n; at += STEP) {
      IntVector a = IntVector.fromArray(INTS, words, at);
      IntVector b = IntVector.fromArray(INTS, words, at + LANES);
      IntVector c = IntVector.fromArray(INTS, words, at + 2 * LANES);
      IntVector d = IntVector.fromArray(INTS, words, at + 3 * LANES);
      IntVector t;
      t = a.blend(c.rearrange(BY_HALF), UPPER_HALF);
      c = a.rearrange(BY_HALF).blend(c, UPPER_HALF);
      a = t;
      t = b.blend(d.rearrange(BY_HALF), UPPER_HALF);
      d = b.rearrange(BY_HALF).blend(d, UPPER_HALF);
      b = t;
      t = a.blend(b.rearrange(BY_QUARTER), ODD_QUARTER);
      b = a.rearrange(BY_QUARTER).blend(b, ODD_QUARTER);
      a = t;
      t = c.blend(d.rearrange(BY_QUARTER), ODD_QUARTER);
      d = c.rearrange(BY_QUARTER).blend(d, ODD_QUARTER);
      c = t;
      a.rearrange(LAID_DOWN).intoArray(words, at);
      b.rearrange(LAID_DOWN).intoArray(words, at + LANES);
      c.rearrange(LAID_DOWN).intoArray(words, at + 2 * LANES);
      d.rearrange(LAID_DOWN).intoArray(words, at + 3 * LANES);
    }
  }

  /** {@link #layDown}, when each has become the sum of all before it and itself. */
  private static int sumAndLayDown(int[] words, int n, int before) {
    IntVector carried = IntVector.broadcast(INTS, before);
    for (int at = 0; at < n; at += STEP) {
      IntVector a = IntVector.fromArray(INTS, words, at);
      IntVector b = IntVector.fromArray(INTS, words, at + LANES);
      IntVector c = IntVector.fromArray(INTS, words, at + 2 * LANES);
      IntVector d = IntVector.fromArray(INTS, words, at + 3 * LANES);
      a = a.lanewise(LSHR, 1).lanewise(XOR, a.and(1).neg());
      b = b.lanewise(LSHR, 1).lanewise(XOR, b.and(1).neg());
      c = c.lanewise(LSHR, 1).lanewise(XOR, c.and(1).neg());
      d = d.lanewise(LSHR, 1).lanewise(XOR, d.and(1).neg());
      b = b.add(a);
      c = c.add(b);
      d = d.add(c);
      IntVector sums = d;
      sums = sums.add(sums.rearrange(UP_1).and(IntVector.fromArray(INTS, FROM, MOST_LANES - 1)));
      sums = sums.add(sums.rearrange(UP_2).and(IntVector.fromArray(INTS, FROM, MOST_LANES - 2)));
      sums = sums.add(sums.rearrange(UP_4).and(IntVector.fromArray(INTS, FROM, MOST_LANES - 4)));
      if (LANES > 8) {
        sums = sums.add(sums.rearrange(UP_8).and(IntVector.fromArray(INTS, FROM, MOST_LANES - 8)));
      }
      IntVector all =
          sums.rearrange(UP_1).and(IntVector.fromArray(INTS, FROM, MOST_LANES - 1)).add(carried);
      carried = carried.add(sums.rearrange(LAST));
      a = a.add(all);
      b = b.add(all);
      c = c.add(all);
      d = d.add(all);
      IntVector t;
      t = a.blend(c.rearrange(BY_HALF), UPPER_HALF);
      c = a.rearrange(BY_HALF).blend(c, UPPER_HALF);
      a = t;
      t = b.blend(d.rearrange(BY_HALF), UPPER_HALF);
      d = b.rearrange(BY_HALF).blend(d, UPPER_HALF);
      b = t;
      t = a.blend(b.rearrange(BY_QUARTER), ODD_QUARTER);
      b = a.rearrange(BY_QUARTER).blend(b, ODD_QUARTER);
      a = t;
      t = c.blend(d.rearrange(BY_QUARTER), ODD_QUARTER);
      d = c.rearrange(BY_QUARTER).blend(d, ODD_QUARTER);
      c = t;
      a.rearrange(LAID_DOWN).intoArray(words, at);
      b.rearrange(LAID_DOWN).intoArray(words, at + LANES);
      c.rearrange(LAID_DOWN).intoArray(words, at + 2 * LANES);
      d.rearrange(LAID_DOWN).intoArray(words, at + 3 * LANES);
    }
    return carried.lane(0);
  }

  /** The inverse of {@link #layDown}. */
  private static void standUp(int[] words, int n) {
    for (int at = 0; at < n; at += STEP) {
      IntVector a = IntVector.fromArray(INTS, words, at).rearrange(STOOD_UP);
      IntVector b = IntVector.fromArray(INTS, words, at + LANES).rearrange(STOOD_UP);
      IntVector c = IntVector.fromArray(INTS, words, at + 2 * LANES).rearrange(STOOD_UP);
      IntVector d = IntVector.fromArray(INTS, words, at + 3 * LANES).rearrange(STOOD_UP);
      IntVector t;
      t = a.blend(c.rearrange(BY_HALF), UPPER_HALF);
      c = a.rearrange(BY_HALF).blend(c, UPPER_HALF);
      a = t;
      t = b.blend(d.rearrange(BY_HALF), UPPER_HALF);
      d = b.rearrange(BY_HALF).blend(d, UPPER_HALF);
      b = t;
      t = a.blend(b.rearrange(BY_QUARTER), ODD_QUARTER);
      b = a.rearrange(BY_QUARTER).blend(b, ODD_QUARTER);
      a = t;
      t = c.blend(d.rearrange(BY_QUARTER), ODD_QUARTER);
      d = c.rearrange(BY_QUARTER).blend(d, ODD_QUARTER);
      c = t;
      a.intoArray(words, at);
      b.intoArray(words, at + LANES);
      c.intoArray(words, at + 2 * LANES);
      d.intoArray(words, at + 3 * LANES);
    }
  }

  /** The same of words in memory. */
  private static void standUp(MemorySegment memory, int n, int[] words) {
    for (int at = 0; at < n; at += STEP) {
      int from = Integer.BYTES * at;
      IntVector a = IntVector.fromMemorySegment(INTS, memory, from, LITTLE).rearrange(STOOD_UP);
      IntVector b =
          IntVector.fromMemorySegment(INTS, memory, from + 1 * BYTES_EACH, LITTLE)
              .rearrange(STOOD_UP);
      IntVector c =
          IntVector.fromMemorySegment(INTS, memory, from + 2 * BYTES_EACH, LITTLE)
              .rearrange(STOOD_UP);
      IntVector d =
          IntVector.fromMemorySegment(INTS, memory, from + 3 * BYTES_EACH, LITTLE)
              .rearrange(STOOD_UP);
      IntVector t;
      t = a.blend(c.rearrange(BY_HALF), UPPER_HALF);
      c = a.rearrange(BY_HALF).blend(c, UPPER_HALF);
      a = t;
      t = b.blend(d.rearrange(BY_HALF), UPPER_HALF);
      d = b.rearrange(BY_HALF).blend(d, UPPER_HALF);
      b = t;
      t = a.blend(b.rearrange(BY_QUARTER), ODD_QUARTER);
      b = a.rearrange(BY_QUARTER).blend(b, ODD_QUARTER);
      a = t;
      t = c.blend(d.rearrange(BY_QUARTER), ODD_QUARTER);
      d = c.rearrange(BY_QUARTER).blend(d, ODD_QUARTER);
      c = t;
      a.intoArray(words, at);
      b.intoArray(words, at + LANES);
      c.intoArray(words, at + 2 * LANES);
      d.intoArray(words, at + 3 * LANES);
    }
  }
}
