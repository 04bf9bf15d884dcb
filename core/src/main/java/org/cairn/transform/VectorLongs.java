// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/**
 * Words of eight bytes in vectors of 128 bits. Touch it only where the module {@code
 * jdk.incubator.vector} is present; {@link TransformPath} sees to that.
 *
 * <p>The Vector API has no instruction that mixes bytes of two vectors other than choosing, place by
 * place, from one of them ({@code blend}). So eight elements, two to a vector, are transposed along
 * diagonals: let j be the number of a vector, and u the low two bits of the place of a byte in its
 * element. Within vector j everything moves by j places in groups of four; then bytes that belong
 * together are at different places of different vectors, and two rounds of choices bring them into
 * one: first at odd places from the next vector, then at places with the second bit from the next
 * but one. Vector m then has, at a place q, what lay at q in vector m + q, which is byte u = -m. A
 * last move within each vector brings byte u of all eight elements to its low half, and byte u + 4
 * to the other.
 *
 * <p>A row takes the low half only: 16 bytes are written, and the upper half is written over by the
 * next eight elements.
 */
final class VectorLongs implements LongKernel {
  private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_128;
  private static final VectorSpecies<Long> LONGS = LongVector.SPECIES_128;
  private static final int LANES = LONGS.length();

  private static final VectorMask<Byte> ODD = mask(1);
  private static final VectorMask<Byte> SECOND = mask(2);
  private static final VectorMask<Byte> UPPER = mask(8);

  /** What comes to a place when all of vector j moves by j; and back. */
  private static final byte[] MOVED = moved(1);

  private static final byte[] MOVED_BACK = moved(-1);

  /** For each u, 16 bytes: where byte u of the eight elements is, then byte u + 4. */
  private static final byte[] GATHER = gather(0);

  /** The same with u + 4 first. */
  private static final byte[] GATHER_UPPER = gather(1);

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

  private static byte[] gather(int firstHalf) {
    byte[] places = new byte[4 * 16];
    for (int i = 0; i < places.length; i++) {
      int u = i / 16;
      int element = i % 8;
      int half = i / 8 % 2 ^ firstHalf;
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

  private static ByteVector constant(byte[] table, int number) {
    return ByteVector.fromArray(BYTES, table, 16 * number);
  }

  @Override
  public void shuffle(long[] words, int groups, long[] rows, int row) {
    ByteVector moved1 = constant(MOVED, 1);
    ByteVector moved2 = constant(MOVED, 2);
    ByteVector moved3 = constant(MOVED, 3);
    for (int i = 0; i < groups; i++) {
      ByteVector a = load(words, 8 * i);
      ByteVector b = moved1.selectFrom(load(words, 8 * i + 2));
      ByteVector c = moved2.selectFrom(load(words, 8 * i + 4));
      ByteVector d = moved3.selectFrom(load(words, 8 * i + 6));
      ByteVector e = a.blend(b, ODD);
      ByteVector f = b.blend(c, ODD);
      ByteVector g = c.blend(d, ODD);
      ByteVector h = d.blend(a, ODD);
      a = e.blend(g, SECOND);
      b = h.blend(f, SECOND);
      c = g.blend(e, SECOND);
      d = f.blend(h, SECOND);
      store(constant(GATHER, 0).selectFrom(a), rows, i);
      store(constant(GATHER, 1).selectFrom(b), rows, row + i);
      store(constant(GATHER, 2).selectFrom(c), rows, 2 * row + i);
      store(constant(GATHER, 3).selectFrom(d), rows, 3 * row + i);
      store(constant(GATHER_UPPER, 0).selectFrom(a), rows, 4 * row + i);
      store(constant(GATHER_UPPER, 1).selectFrom(b), rows, 5 * row + i);
      store(constant(GATHER_UPPER, 2).selectFrom(c), rows, 6 * row + i);
      store(constant(GATHER_UPPER, 3).selectFrom(d), rows, 7 * row + i);
    }
  }

  /** Row u gives its next eight bytes to the low half of a vector, row u + 4 to the other. */
  @Override
  public void unshuffle(long[] rows, int row, long[] words, int groups) {
    for (int i = 0; i < groups; i++) {
      ByteVector a = scattered(rows, i, row, 0);
      ByteVector b = scattered(rows, i, row, 1);
      ByteVector c = scattered(rows, i, row, 2);
      ByteVector d = scattered(rows, i, row, 3);
      ByteVector e = a.blend(b, ODD);
      ByteVector f = b.blend(c, ODD);
      ByteVector g = c.blend(d, ODD);
      ByteVector h = d.blend(a, ODD);
      a = e.blend(g, SECOND);
      b = h.blend(f, SECOND);
      c = g.blend(e, SECOND);
      d = f.blend(h, SECOND);
      store(a, words, 8 * i);
      store(constant(MOVED_BACK, 1).selectFrom(b), words, 8 * i + 2);
      store(constant(MOVED_BACK, 2).selectFrom(c), words, 8 * i + 4);
      store(constant(MOVED_BACK, 3).selectFrom(d), words, 8 * i + 6);
    }
  }

  private static ByteVector scattered(long[] rows, int i, int row, int u) {
    ByteVector low = load(rows, u * row + i);
    ByteVector high = load(rows, (u + 4) * row + i - 1);
    return constant(SCATTER, u).selectFrom(low.blend(high, UPPER));
  }

  private static ByteVector load(long[] words, int at) {
    return LongVector.fromArray(LONGS, words, at).reinterpretAsBytes();
  }

  private static void store(ByteVector vector, long[] words, int at) {
    vector.reinterpretAsLongs().intoArray(words, at);
  }

  @Override
  public void subtract(long[] values, int at, int before, long[] to, int toAt, int n) {
    int whole = n / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      LongVector.fromArray(LONGS, values, at + i)
          .sub(LongVector.fromArray(LONGS, values, before + i))
          .intoArray(to, toAt + i);
    }
    PlainLongs.difference(values, at + whole, before + whole, to, toAt + whole, n - whole);
  }

  @Override
  public void add(long[] words, int wordsAt, long[] sums, int at, int before, int n) {
    boolean own = at > before && at - before < LANES; // sums of the same vector
    int whole = own ? 0 : n / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      LongVector.fromArray(LONGS, words, wordsAt + i)
          .add(LongVector.fromArray(LONGS, sums, before + i))
          .intoArray(sums, at + i);
    }
    PlainLongs.sum(words, wordsAt + whole, sums, at + whole, before + whole, n - whole);
  }
}
