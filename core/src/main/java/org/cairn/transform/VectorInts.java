// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.XOR;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/**
 * Words of four bytes in vectors of 128 bits, as {@link VectorLongs} has them: eight elements are
 * two vectors, and one round of choices brings bytes 0 and 2 into one, and bytes 1 and 3. Its loops
 * call nothing but the Vector API, for the same reason.
 */
final class VectorInts implements IntKernel {
  private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_128;
  private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_128;
  private static final VectorSpecies<Long> LONGS = LongVector.SPECIES_128;

  /** For what is done to words one by one, in vectors as wide as they are. */
  private static final VectorSpecies<Integer> ANY = IntVector.SPECIES_PREFERRED;

  private static final int LANES = ANY.length();
  private static final int ROW = Rows.ROW_OF_INTS;
  private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;

  private static final VectorMask<Byte> ODD = mask(1);
  private static final VectorMask<Byte> UPPER = mask(8);

  /** Neighbours change places. */
  private static final byte[] SWAPPED = new byte[16];

  /** For u = 0, 1, 16 bytes: where byte u of the eight elements is, then byte u + 2. */
  private static final byte[] GATHER = gather();

  private static final byte[] SCATTER = new byte[2 * 16];

  static {
    for (int i = 0; i < 16; i++) {
      SWAPPED[i] = (byte) (i ^ 1);
    }
    for (int i = 0; i < SCATTER.length; i++) {
      SCATTER[i / 16 * 16 + GATHER[i]] = (byte) (i % 16);
    }
  }

  private static VectorMask<Byte> mask(int bit) {
    boolean[] chosen = new boolean[16];
    for (int place = 0; place < 16; place++) {
      chosen[place] = (place & bit) != 0;
    }
    return VectorMask.fromArray(BYTES, chosen, 0);
  }

  /** The upper four elements are at odd places where u is 0, at even ones where it is 1. */
  private static byte[] gather() {
    byte[] places = new byte[2 * 16];
    for (int i = 0; i < places.length; i++) {
      int u = i / 16;
      int element = i % 8;
      int half = i / 8 % 2;
      places[i] = (byte) (element % 4 * 4 + half * 2 + (element / 4 ^ u));
    }
    return places;
  }

  @Override
  public int step() {
    return WideInts.PRESENT ? WideInts.STEP : 8;
  }

  @Override
  public boolean reaches(MemorySegment memory) {
    return memory.isNative() && !memory.isMapped();
  }

  @Override
  public void shuffle(int[] words, int groups, long[] rows) {
    if (isWide(8 * groups)) {
      WideInts.shuffle(words, 8 * groups, rows);
    } else {
      shuffleGroups(words, groups, rows);
    }
  }

  private static boolean isWide(int n) {
    return WideInts.PRESENT && n % WideInts.STEP == 0;
  }

  private static void shuffleGroups(int[] words, int groups, long[] rows) {
    for (int i = 0; i < groups; i++) {
      ByteVector a = IntVector.fromArray(INTS, words, 8 * i).reinterpretAsBytes();
      ByteVector b =
          ByteVector.fromArray(BYTES, SWAPPED, 0)
              .selectFrom(IntVector.fromArray(INTS, words, 8 * i + 4).reinterpretAsBytes());
      LongVector c =
          ByteVector.fromArray(BYTES, GATHER, 0).selectFrom(a.blend(b, ODD)).reinterpretAsLongs();
      LongVector d =
          ByteVector.fromArray(BYTES, GATHER, 16).selectFrom(b.blend(a, ODD)).reinterpretAsLongs();
      c.intoArray(rows, i);
      d.intoArray(rows, ROW + i);
      rows[2 * ROW + i] = c.lane(1);
      rows[3 * ROW + i] = d.lane(1);
    }
  }

  @Override
  public void shuffle(MemorySegment memory, long offset, int groups, int[] words, long[] rows) {
    if (isWide(8 * groups)) {
      WideInts.shuffle(memory, offset, 8 * groups, words, rows);
    } else {
      shuffleGroups(memory, offset, groups, rows);
    }
  }

  private static void shuffleGroups(MemorySegment memory, long offset, int groups, long[] rows) {
    MemorySegment words = memory.asSlice(offset, 32L * groups);
    for (int i = 0; i < groups; i++) {
      int at = 32 * i;
      ByteVector a = ByteVector.fromMemorySegment(BYTES, words, at, LITTLE);
      ByteVector b =
          ByteVector.fromArray(BYTES, SWAPPED, 0)
              .selectFrom(ByteVector.fromMemorySegment(BYTES, words, at + 16, LITTLE));
      LongVector c =
          ByteVector.fromArray(BYTES, GATHER, 0).selectFrom(a.blend(b, ODD)).reinterpretAsLongs();
      LongVector d =
          ByteVector.fromArray(BYTES, GATHER, 16).selectFrom(b.blend(a, ODD)).reinterpretAsLongs();
      c.intoArray(rows, i);
      d.intoArray(rows, ROW + i);
      rows[2 * ROW + i] = c.lane(1);
      rows[3 * ROW + i] = d.lane(1);
    }
  }

  @Override
  public void unshuffle(long[] rows, int groups, int[] words) {
    for (int i = 0; i < groups; i++) {
      ByteVector c =
          LongVector.fromArray(LONGS, rows, i)
              .reinterpretAsBytes()
              .blend(
                  LongVector.fromArray(LONGS, rows, 2 * ROW + i - 1).reinterpretAsBytes(), UPPER);
      ByteVector d =
          LongVector.fromArray(LONGS, rows, ROW + i)
              .reinterpretAsBytes()
              .blend(
                  LongVector.fromArray(LONGS, rows, 3 * ROW + i - 1).reinterpretAsBytes(), UPPER);
      c = ByteVector.fromArray(BYTES, SCATTER, 0).selectFrom(c);
      d = ByteVector.fromArray(BYTES, SCATTER, 16).selectFrom(d);
      ByteVector a = c.blend(d, ODD);
      ByteVector b = ByteVector.fromArray(BYTES, SWAPPED, 0).selectFrom(d.blend(c, ODD));
      a.reinterpretAsInts().intoArray(words, 8 * i);
      b.reinterpretAsInts().intoArray(words, 8 * i + 4);
    }
  }

  @Override
  public boolean reachesRows(MemorySegment memory, int n) {
    return isWide(n) && reaches(memory);
  }

  @Override
  public void unshuffle(MemorySegment memory, long first, long row, int n, int[] words) {
    WideInts.unshuffle(memory, first, row, n, words);
  }

  @Override
  public int unshuffleToSums(
      MemorySegment memory, long first, long row, int n, int before, int[] words) {
    return WideInts.unshuffleToSums(memory, first, row, n, before, words);
  }

  @Override
  public int sums(MemorySegment memory, long offset, int n, int before, int[] words) {
    return WideInts.sums(memory, offset, n, before, words);
  }

  @Override
  public void order(MemorySegment memory, long offset, boolean big, int[] to, int at, int n) {
    if (big) {
      order(memory, offset, ByteOrder.BIG_ENDIAN, to, at, n);
    } else {
      order(memory, offset, LITTLE, to, at, n);
    }
  }

  private static void order(
      MemorySegment memory, long offset, ByteOrder order, int[] to, int at, int n) {
    MemorySegment words = memory.asSlice(offset, 4L * n); // so that its class is known here
    for (int i = 0; i < n; i += LANES) {
      int from = 4 * i;
      IntVector bits = IntVector.fromMemorySegment(ANY, words, from, order);
      IntVector sign = bits.lanewise(ASHR, 31);
      bits.lanewise(XOR, sign.or(Integer.MIN_VALUE)).intoArray(to, at + i);
    }
  }

  @Override
  public void residuals(int[] values, int at, int before, int[] to, int toAt, int n) {
    int whole = n / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      IntVector rest =
          IntVector.fromArray(ANY, values, at + i)
              .sub(IntVector.fromArray(ANY, values, before + i));
      rest.lanewise(LSHL, 1).lanewise(XOR, rest.lanewise(ASHR, 31)).intoArray(to, toAt + i);
    }
    PlainInts.residual(values, at + whole, before + whole, to, toAt + whole, n - whole);
  }

  @Override
  public void residuals(
      int[] values, int at, int left, int above, int corner, int[] to, int toAt, int n) {
    int whole = n / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      IntVector beside =
          IntVector.fromArray(ANY, values, at + i).sub(IntVector.fromArray(ANY, values, left + i));
      IntVector beyond =
          IntVector.fromArray(ANY, values, above + i)
              .sub(IntVector.fromArray(ANY, values, corner + i));
      IntVector rest = beside.sub(beyond);
      rest.lanewise(LSHL, 1).lanewise(XOR, rest.lanewise(ASHR, 31)).intoArray(to, toAt + i);
    }
    PlainInts.residual(
        values,
        at + whole,
        left + whole,
        above + whole,
        corner + whole,
        to,
        toAt + whole,
        n - whole);
  }

  @Override
  public void subtract(int[] values, int at, int before, int[] to, int toAt, int n) {
    int whole = n / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      IntVector.fromArray(ANY, values, at + i)
          .sub(IntVector.fromArray(ANY, values, before + i))
          .intoArray(to, toAt + i);
    }
    PlainInts.difference(values, at + whole, before + whole, to, toAt + whole, n - whole);
  }

  @Override
  public void add(int[] words, int wordsAt, int[] sums, int at, int before, int n) {
    boolean own = at > before && at - before < LANES; // sums of the same vector
    int whole = own ? 0 : n / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      IntVector.fromArray(ANY, words, wordsAt + i)
          .add(IntVector.fromArray(ANY, sums, before + i))
          .intoArray(sums, at + i);
    }
    PlainInts.sum(words, wordsAt + whole, sums, at + whole, before + whole, n - whole);
  }

  @Override
  public void addUnordered(
      int[] words, int wordsAt, int[] sums, int at, int before, int[] to, int toAt, int n) {
    boolean own = at > before && at - before < LANES; // sums of the same vector
    int whole = own ? 0 : n / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      IntVector sum =
          IntVector.fromArray(ANY, words, wordsAt + i)
              .add(IntVector.fromArray(ANY, sums, before + i));
      sum.intoArray(sums, at + i);
      sum.lanewise(XOR, sum.not().lanewise(ASHR, 31).or(Integer.MIN_VALUE)).intoArray(to, toAt + i);
    }
    PlainInts.sumUnordered(
        words, wordsAt + whole, sums, at + whole, before + whole, to, toAt + whole, n - whole);
  }
}
