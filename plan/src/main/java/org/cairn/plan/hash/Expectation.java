// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.OptionalDouble;

/**
 * How often a hash should miss a change, where that can be told without trying: exactly for sums
 * and one bit, exactly for what consists of XOR and shifts, and 2^-bits for hashes that mix.
 */
final class Expectation {
  private static final ValueLayout.OfLong ELEMENT =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Expectation() {}

  static OptionalDouble of(StudiedHash hash, Change change, int block) {
    return switch (hash.nature()) {
      case StudiedHash.Nature.Mixing _ -> OptionalDouble.of(Math.scalb(1.0, -hash.bits()));
      case StudiedHash.Nature.Affine _ ->
          change instanceof Change.Xor xor
              ? OptionalDouble.of(ofAffine(hash, xor, block))
              : OptionalDouble.empty();
      case StudiedHash.Nature.Sums sums ->
          change instanceof Change.Xor xor
                  && xor.pattern() == 1
                  && block / Long.BYTES < sums.modulus()
              ? OptionalDouble.of(OneBit.chance(block / Long.BYTES, sums.step(), sums.modulus()))
              : OptionalDouble.empty();
    };
  }

  private static double ofAffine(StudiedHash hash, Change.Xor xor, int block) {
    if (!xor.isRandom()) {
      return image(hash, xor.pattern(), block) == 0 ? 1 : 0;
    }
    int rank = rank(hash, block);
    return rank == Long.SIZE ? 0 : Math.scalb(1.0, -rank);
  }

  /** What a pattern does to the digest of any block: all data cancel. */
  private static long image(StudiedHash hash, long pattern, int block) {
    byte[] bytes = new byte[block];
    MemorySegment data = MemorySegment.ofArray(bytes);
    long[] digest = new long[2];
    hash.hash(data, 0, block, block, digest);
    long ofZeros = digest[0];
    for (int at = 0; at < block; at += Long.BYTES) {
      data.set(ELEMENT, at, pattern);
    }
    hash.hash(data, 0, block, block, digest);
    return digest[0] ^ ofZeros;
  }

  /** How many bits of a random pattern have a say in the digest. */
  private static int rank(StudiedHash hash, int block) {
    long[] rows = new long[Long.SIZE];
    Arrays.setAll(rows, bit -> image(hash, 1L << bit, block));
    int rank = 0;
    for (int bit = 0; bit < Long.SIZE; bit++) {
      int pivot = rank;
      while (pivot < rows.length && (rows[pivot] >>> bit & 1) == 0) {
        pivot++;
      }
      if (pivot == rows.length) {
        continue;
      }
      long row = rows[pivot];
      rows[pivot] = rows[rank];
      rows[rank++] = row;
      for (int i = rank; i < rows.length; i++) {
        rows[i] ^= (rows[i] >>> bit & 1) == 0 ? 0 : row;
      }
    }
    return rank;
  }
}
