// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/**
 * Words of four bytes in vectors of 128 bits, as {@link VectorLongs} has them: eight elements are
 * two vectors, and one round of choices brings bytes 0 and 2 into one, and bytes 1 and 3.
 */
final class VectorInts implements IntKernel {
  private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_128;
  private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_128;
  private static final VectorSpecies<Long> LONGS = LongVector.SPECIES_128;
  private static final int LANES = INTS.length();

  private static final VectorMask<Byte> ODD = mask(1);
  private static final VectorMask<Byte> UPPER = mask(8);

  /** Neighbours change places. */
  private static final byte[] SWAPPED = new byte[16];

  /** For u = 0, 1, 16 bytes: where byte u of the eight elements is, then byte u + 2. */
  private static final byte[] GATHER = gather(0);

  /** The same with u + 2 first. */
  private static final byte[] GATHER_UPPER = gather(1);

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
  private static byte[] gather(int firstHalf) {
    byte[] places = new byte[2 * 16];
    for (int i = 0; i < places.length; i++) {
      int u = i / 16;
      int element = i % 8;
      int half = i / 8 % 2 ^ firstHalf;
      places[i] = (byte) (element % 4 * 4 + half * 2 + (element / 4 ^ u));
    }
    return places;
  }

  private static ByteVector constant(byte[] table, int number) {
    return ByteVector.fromArray(BYTES, table, 16 * number);
  }

  @Override
  public void shuffle(int[] words, int groups, long[] rows, int row) {
    ByteVector swapped = constant(SWAPPED, 0);
    for (int i = 0; i < groups; i++) {
      ByteVector a = load(words, 8 * i);
      ByteVector b = swapped.selectFrom(load(words, 8 * i + 4));
      ByteVector c = a.blend(b, ODD);
      ByteVector d = b.blend(a, ODD);
      store(constant(GATHER, 0).selectFrom(c), rows, i);
      store(constant(GATHER, 1).selectFrom(d), rows, row + i);
      store(constant(GATHER_UPPER, 0).selectFrom(c), rows, 2 * row + i);
      store(constant(GATHER_UPPER, 1).selectFrom(d), rows, 3 * row + i);
    }
  }

  @Override
  public void unshuffle(long[] rows, int row, int[] words, int groups) {
    ByteVector swapped = constant(SWAPPED, 0);
    for (int i = 0; i < groups; i++) {
      ByteVector c = scattered(rows, i, row, 0);
      ByteVector d = scattered(rows, i, row, 1);
      ByteVector a = c.blend(d, ODD);
      ByteVector b = swapped.selectFrom(d.blend(c, ODD));
      a.reinterpretAsInts().intoArray(words, 8 * i);
      b.reinterpretAsInts().intoArray(words, 8 * i + 4);
    }
  }

  private static ByteVector scattered(long[] rows, int i, int row, int u) {
    ByteVector low = LongVector.fromArray(LONGS, rows, u * row + i).reinterpretAsBytes();
    ByteVector high =
        LongVector.fromArray(LONGS, rows, (u + 2) * row + i - 1).reinterpretAsBytes();
    return constant(SCATTER, u).selectFrom(low.blend(high, UPPER));
  }

  private static ByteVector load(int[] words, int at) {
    return IntVector.fromArray(INTS, words, at).reinterpretAsBytes();
  }

  private static void store(ByteVector vector, long[] rows, int at) {
    vector.reinterpretAsLongs().intoArray(rows, at);
  }

  @Override
  public void subtract(int[] values, int at, int before, int[] to, int toAt, int n) {
    int whole = n / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      IntVector.fromArray(INTS, values, at + i)
          .sub(IntVector.fromArray(INTS, values, before + i))
          .intoArray(to, toAt + i);
    }
    PlainInts.difference(values, at + whole, before + whole, to, toAt + whole, n - whole);
  }

  @Override
  public void add(int[] words, int wordsAt, int[] sums, int at, int before, int n) {
    boolean own = at > before && at - before < LANES; // sums of the same vector
    int whole = own ? 0 : n / LANES * LANES;
    for (int i = 0; i < whole; i += LANES) {
      IntVector.fromArray(INTS, words, wordsAt + i)
          .add(IntVector.fromArray(INTS, sums, before + i))
          .intoArray(sums, at + i);
    }
    PlainInts.sum(words, wordsAt + whole, sums, at + whole, before + whole, n - whole);
  }
}
