// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.XOR;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/**
 * Words of eight bytes in vectors of 128 bits. Touch it only where the module {@code
 * jdk.incubator.vector} is present; {@link TransformPath} sees to that.
 *
 * <p>The Vector API has no instruction that mixes bytes of two vectors other than choosing, place
 * by place, from one of them ({@code blend}). So eight elements, two to a vector, are transposed
 * along diagonals: let j be the number of a vector, and u the low two bits of the place of a byte
 * in its element. Within vector j everything moves by j places in groups of four; then bytes that
 * belong together are at different places of different vectors, and two rounds of choices bring
 * them into one: first at odd places from the next vector, then at places with the second bit from
 * the next but one. Vector m then has, at a place q, what lay at q in vector m + q, which is byte u
 * = -m. A last move within each vector brings byte u of all eight elements to its low half, and
 * byte u + 4 to the other.
 *
 * <p>Row u takes the low half: all of the vector is written, and what is too much is written over
 * by the next eight elements. Row u + 4 takes the other as a word.
 */
final class VectorLongs implements LongKernel {
  private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_128;
  private static final VectorSpecies<Long> LONGS = LongVector.SPECIES_128;

  /** For what is done to words one by one, in vectors as wide as they are. */
  private static final VectorSpecies<Long> ANY = LongVector.SPECIES_PREFERRED;

  private static final int LANES = ANY.length();
  private static final int ROW = Rows.ROW_OF_LONGS;
  private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;

  private static final VectorMask<Byte> ODD = mask(1);
  private static final VectorMask<Byte> SECOND = mask(2);
  private static final VectorMask<Byte> UPPER = mask(8);

  /** What comes to a place when all of vector j moves by j; and back. */
  private static final byte[] MOVED = moved(1);

  private static final byte[] MOVED_BACK = moved(-1);

  /** For each u, 16 bytes: where byte u of the eight elements is, then byte u + 4. */
  private static final byte[] GATHER = gather();

  /** Where a byte of the vectors comes from in what {@link #GATHER} made. */
  private static final byte[] SCATTER = inverse(GATHER);

  private static VectorMask<Byte> mask(int bit) {
    boolean[] chosen = new boolean[16];
    for (int place = 0; place < 16; place++) {
      chosen[place] = (place & bit) != 0;
    }
    return VectorMask.fromArray(BYTES, chosen, 0);
  }

  private static byte[] moved(int sign) {
    byte[] places = new byte[4 * 16];
    for (int i = 0; i < places.length; i++) {
      int vector = i / 16;
      places[i] = (byte) (i & 12 | i - sign * vector & 3);
    }
    return places;
  }

  private static byte[] gather() {
    byte[] places = new byte[4 * 16];
    for (int i = 0; i < places.length; i++) {
      int u = i / 16;
      int element = i % 8;
      int half = i / 8 % 2;
      places[i] = (byte) (element % 2 * 8 + half * 4 + (element / 2 + u & 3));
    }
    return places;
  }

  private static byte[] inverse(byte[] gathered) {
    byte[] places = new byte[gathered.length];
    for (int i = 0; i < gathered.length; i++) {
      places[i / 16 * 16 + gathered[i]] = (byte) (i % 16);
    }
    return places;
  }

  @Override
  public int step() {
    return WideLongs.PRESENT ? WideLongs.STEP : 8;
  }

  /**
   * One class of segments only: see {@code org.cairn.hash.MemoryKind}. They are not written where
   * they are: C2 compiles that with a check that it then finds to fail, and again without it, at
   * half the speed.
   */
  @Override
  public boolean reaches(MemorySegment memory) {
    return memory.isNative() && !memory.isMapped();
  }

  // The loops that follow repeat themselves and call nothing but the Vector API. C2 puts these
  // loops
  // into their callers, and when such a method has grown large (NodeCountInliningCutoff) it leaves
  // calls of ours as calls, in the middle of a loop: every vector that goes through one becomes an
  // object, and the loop takes ten times as long. One process in four had that. Methods of the
  // Vector API are put in all the same.

  @Override
  public void shuffle(long[] words, int groups, long[] rows) {
    if (isWide(8 * groups)) {
      WideLongs.shuffle(words, 8 * groups, rows);
    } else {
      shuffleGroups(words, groups, rows);
    }
  }

  private static boolean isWide(int n) {
    return WideLongs.PRESENT && n % WideLongs.STEP == 0;
  }

  private static void shuffleGroups(long[] words, int groups, long[] rows) {
    for (int i = 0; i < groups; i++) {
      ByteVector a = LongVector.fromArray(LONGS, words, 8 * i).reinterpretAsBytes();
      ByteVector b =
          ByteVector.fromArray(BYTES, MOVED, 16)
              .selectFrom(LongVector.fromArray(LONGS, words, 8 * i + 2).reinterpretAsBytes());
      ByteVector c =
          ByteVector.fromArray(BYTES, MOVED, 32)
              .selectFrom(LongVector.fromArray(LONGS, words, 8 * i + 4).reinterpretAsBytes());
      ByteVector d =
          ByteVector.fromArray(BYTES, MOVED, 48)
              .selectFrom(LongVector.fromArray(LONGS, words, 8 * i + 6).reinterpretAsBytes());
      ByteVector e = a.blend(b, ODD);
      ByteVector f = b.blend(c, ODD);
      ByteVector g = c.blend(d, ODD);
      ByteVector h = d.blend(a, ODD);
      LongVector p =
          ByteVector.fromArray(BYTES, GATHER, 0)
              .selectFrom(e.blend(g, SECOND))
              .reinterpretAsLongs();
      LongVector q =
          ByteVector.fromArray(BYTES, GATHER, 16)
              .selectFrom(h.blend(f, SECOND))
              .reinterpretAsLongs();
      LongVector r =
          ByteVector.fromArray(BYTES, GATHER, 32)
              .selectFrom(g.blend(e, SECOND))
              .reinterpretAsLongs();
      LongVector s =
          ByteVector.fromArray(BYTES, GATHER, 48)
              .selectFrom(f.blend(h, SECOND))
              .reinterpretAsLongs();
      p.intoArray(rows, i);
      rows[4 * ROW + i] = p.lane(1);
      q.intoArray(rows, ROW + i);
      rows[5 * ROW + i] = q.lane(1);
      r.intoArray(rows, 2 * ROW + i);
      rows[6 * ROW + i] = r.lane(1);
      s.intoArray(rows, 3 * ROW + i);
      rows[7 * ROW + i] = s.lane(1);
    }
  }

  @Override
  public void shuffle(MemorySegment memory, long offset, int groups, long[] words, long[] rows) {
    if (isWide(8 * groups)) {
      WideLongs.shuffle(memory, offset, 8 * groups, words, rows);
    } else {
      shuffleGroups(memory, offset, groups, rows);
    }
  }

  private static void shuffleGroups(MemorySegment memory, long offset, int groups, long[] rows) {
    MemorySegment words = memory.asSlice(offset, 64L * groups);
    for (int i = 0; i < groups; i++) {
      int at = 64 * i;
      ByteVector a = ByteVector.fromMemorySegment(BYTES, words, at, LITTLE);
      ByteVector b =
          ByteVector.fromArray(BYTES, MOVED, 16)
              .selectFrom(ByteVector.fromMemorySegment(BYTES, words, at + 16, LITTLE));
      ByteVector c =
          ByteVector.fromArray(BYTES, MOVED, 32)
              .selectFrom(ByteVector.fromMemorySegment(BYTES, words, at + 32, LITTLE));
      ByteVector d =
          ByteVector.fromArray(BYTES, MOVED, 48)
              .selectFrom(ByteVector.fromMemorySegment(BYTES, words, at + 48, LITTLE));
      ByteVector e = a.blend(b, ODD);
      ByteVector f = b.blend(c, ODD);
      ByteVector g = c.blend(d, ODD);
      ByteVector h = d.blend(a, ODD);
      LongVector p =
          ByteVector.fromArray(BYTES, GATHER, 0)
              .selectFrom(e.blend(g, SECOND))
              .reinterpretAsLongs();
      LongVector q =
          ByteVector.fromArray(BYTES, GATHER, 16)
              .selectFrom(h.blend(f, SECOND))
              .reinterpretAsLongs();
      LongVector r =
          ByteVector.fromArray(BYTES, GATHER, 32)
              .selectFrom(g.blend(e, SECOND))
              .reinterpretAsLongs();
      LongVector s =
          ByteVector.fromArray(BYTES, GATHER, 48)
              .selectFrom(f.blend(h, SECOND))
              .reinterpretAsLongs();
      p.intoArray(rows, i);
      rows[4 * ROW + i] = p.lane(1);
      q.intoArray(rows, ROW + i);
      rows[5 * ROW + i] = q.lane(1);
      r.intoArray(rows, 2 * ROW + i);
      rows[6 * ROW + i] = r.lane(1);
      s.intoArray(rows, 3 * ROW + i);
      rows[7 * ROW + i] = s.lane(1);
    }
  }

  @Override
  public void unshuffle(long[] rows, int groups, long[] words) {
    for (int i = 0; i < groups; i++) {
      // Row u gives its next eight bytes to the low half of a vector, row u + 4 to the other.
      ByteVector a =
          LongVector.fromArray(LONGS, rows, i)
              .reinterpretAsBytes()
              .blend(
                  LongVector.fromArray(LONGS, rows, 4 * ROW + i - 1).reinterpretAsBytes(), UPPER);
      ByteVector b =
          LongVector.fromArray(LONGS, rows, ROW + i)
              .reinterpretAsBytes()
              .blend(
                  LongVector.fromArray(LONGS, rows, 5 * ROW + i - 1).reinterpretAsBytes(), UPPER);
      ByteVector c =
          LongVector.fromArray(LONGS, rows, 2 * ROW + i)
              .reinterpretAsBytes()
              .blend(
                  LongVector.fromArray(LONGS, rows, 6 * ROW + i - 1).reinterpretAsBytes(), UPPER);
      ByteVector d =
          LongVector.fromArray(LONGS, rows, 3 * ROW + i)
              .reinterpretAsBytes()
              .blend(
                  LongVector.fromArray(LONGS, rows, 7 * ROW + i - 1).reinterpretAsBytes(), UPPER);
      a = ByteVector.fromArray(BYTES, SCATTER, 0).selectFrom(a);
      b = ByteVector.fromArray(BYTES, SCATTER, 16).selectFrom(b);
      c = ByteVector.fromArray(BYTES, SCATTER, 32).selectFrom(c);
      d = ByteVector.fromArray(BYTES, SCATTER, 48).selectFrom(d);
      ByteVector e = a.blend(b, ODD);
      ByteVector f = b.blend(c, ODD);
      ByteVector g = c.blend(d, ODD);
      ByteVector h = d.blend(a, ODD);
      a = e.blend(g, SECOND);
      b = ByteVector.fromArray(BYTES, MOVED_BACK, 16).selectFrom(h.blend(f, SECOND));
      c = ByteVector.fromArray(BYTES, MOVED_BACK, 32).selectFrom(g.blend(e, SECOND));
      d = ByteVector.fromArray(BYTES, MOVED_BACK, 48).selectFrom(f.blend(h, SECOND));
      a.reinterpretAsLongs().intoArray(words, 8 * i);
      b.reinterpretAsLongs().intoArray(words, 8 * i + 2);
      c.reinterpretAsLongs().intoArray(words, 8 * i + 4);
      d.reinterpretAsLongs().intoArray(words, 8 * i + 6);
    }
  }

  @Override
  public boolean reachesRows(MemorySegment memory, int n) {
    return isWide(n) && reaches(memory);
  }

  @Override
  public void unshuffle(MemorySegment memory, long first, long row, int n, long[] words) {
    WideLongs.unshuffle(memory, first, row, n, words);
  }

  @Override
  public long unshuffleToSums(
      MemorySegment memory, long first, long row, int n, long before, long[] words) {
    return WideLongs.unshuffleToSums(memory, first, row, n, before, words);
  }

  @Override
  public long sums(MemorySegment memory, long offset, int n, long before, long[] words) {
    return WideLongs.sums(memory, offset, n, before, words);
  }

  @Override
  public void order(MemorySegment memory, long offset, boolean big, long[] to, int at, int n) {
    if (big) {
      order(memory, offset, ByteOrder.BIG_ENDIAN, to, at, n);
    } else {
      order(memory, offset, LITTLE, to, at, n);
    }
  }

  private static void order(
      MemorySegment memory, long offset, ByteOrder order, long[] to, int at, int n) {
    MemorySegment words = memory.asSlice(offset, 8L * n); // so that its class is known here
    for (int i = 0; i < n; i += LANES) {
      int from = 8 * i;
      LongVector bits = LongVector.fromMemorySegment(ANY, words, from, order);
      LongVector sign = bits.lanewise(ASHR, 63);
      bits.lanewise(XOR, sign.or(Long.MIN_VALUE)).intoArray(to, at + i);
    }
  }

  @Override
  public void residuals(long[] values, int at, int before, long[] to, int toAt, int n) {
    int whole = n / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      LongVector rest =
          LongVector.fromArray(ANY, values, at + i)
              .sub(LongVector.fromArray(ANY, values, before + i));
      rest.lanewise(LSHL, 1).lanewise(XOR, rest.lanewise(ASHR, 63)).intoArray(to, toAt + i);
    }
    PlainLongs.residual(values, at + whole, before + whole, to, toAt + whole, n - whole);
  }

  @Override
  public void residuals(
      long[] values, int at, int left, int above, int corner, long[] to, int toAt, int n) {
    int whole = n / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      LongVector beside =
          LongVector.fromArray(ANY, values, at + i)
              .sub(LongVector.fromArray(ANY, values, left + i));
      LongVector beyond =
          LongVector.fromArray(ANY, values, above + i)
              .sub(LongVector.fromArray(ANY, values, corner + i));
      LongVector rest = beside.sub(beyond);
      rest.lanewise(LSHL, 1).lanewise(XOR, rest.lanewise(ASHR, 63)).intoArray(to, toAt + i);
    }
    PlainLongs.residual(
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
  public void subtract(long[] values, int at, int before, long[] to, int toAt, int n) {
    int whole = n / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      LongVector.fromArray(ANY, values, at + i)
          .sub(LongVector.fromArray(ANY, values, before + i))
          .intoArray(to, toAt + i);
    }
    PlainLongs.difference(values, at + whole, before + whole, to, toAt + whole, n - whole);
  }

  @Override
  public void add(long[] words, int wordsAt, long[] sums, int at, int before, int n) {
    boolean own = at > before && at - before < LANES; // sums of the same vector
    int whole = own ? 0 : n / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      LongVector.fromArray(ANY, words, wordsAt + i)
          .add(LongVector.fromArray(ANY, sums, before + i))
          .intoArray(sums, at + i);
    }
    PlainLongs.sum(words, wordsAt + whole, sums, at + whole, before + whole, n - whole);
  }

  @Override
  public void addUnordered(
      long[] words, int wordsAt, long[] sums, int at, int before, long[] to, int toAt, int n) {
    boolean own = at > before && at - before < LANES; // sums of the same vector
    int whole = own ? 0 : n / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      LongVector sum =
          LongVector.fromArray(ANY, words, wordsAt + i)
              .add(LongVector.fromArray(ANY, sums, before + i));
      sum.intoArray(sums, at + i);
      sum.lanewise(XOR, sum.not().lanewise(ASHR, 63).or(Long.MIN_VALUE)).intoArray(to, toAt + i);
    }
    PlainLongs.sumUnordered(
        words, wordsAt + whole, sums, at + whole, before + whole, to, toAt + whole, n - whole);
  }
}
