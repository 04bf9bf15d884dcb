// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import static org.cairn.hash.Xxh3Secret.PRIME32_2;
import static org.cairn.hash.Xxh3Secret.PRIME64_1;
import static org.cairn.hash.Xxh3Secret.PRIME64_2;
import static org.cairn.hash.Xxh3Secret.PRIME64_3;
import static org.cairn.hash.Xxh3Secret.PRIME64_4;
import static org.cairn.hash.Xxh3Secret.PRIME_MX1;
import static org.cairn.hash.Xxh3Secret.PRIME_MX2;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * XXH3-128 of at most {@value #LONGEST} bytes, for which the algorithm has a formula per range of
 * lengths. The names of the variables that have no meaning of their own follow the specification.
 */
final class ShortXxh3 implements DigestKernel {

  static final int LONGEST = 240;

  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final long EMPTY_LOW = Xxh3Secret.word(64) ^ Xxh3Secret.word(72);
  private static final long EMPTY_HIGH = Xxh3Secret.word(80) ^ Xxh3Secret.word(88);
  private static final int FLIP_3_LOW =
      (int) Xxh3Secret.word(0) ^ (int) (Xxh3Secret.word(0) >>> 32);
  private static final int FLIP_3_HIGH =
      (int) Xxh3Secret.word(8) ^ (int) (Xxh3Secret.word(8) >>> 32);
  private static final long FLIP_8 = Xxh3Secret.word(16) ^ Xxh3Secret.word(24);
  private static final long FLIP_16_LOW = Xxh3Secret.word(32) ^ Xxh3Secret.word(40);
  private static final long FLIP_16_HIGH = Xxh3Secret.word(48) ^ Xxh3Secret.word(56);

  /** Words of the secret for the first 128 bytes; from 129 on, later bytes use it shifted by 3. */
  private static final long[] SECRET = Xxh3Secret.words(0, 16);

  private static final long[] SHIFTED_SECRET = Xxh3Secret.words(3, 16);
  private static final long[] LAST_SECRET = Xxh3Secret.words(136 - 17 - 16, 4);

  @Override
  public void digest(MemorySegment data, long from, long length, long[] digests, int at) {
    int n = (int) length;
    if (n > 16) {
      digestMixed(data, from, n, digests, at);
    } else if (n > 8) {
      digest16(data, from, n, digests, at);
    } else if (n > 3) {
      digest8(data, from, n, digests, at);
    } else if (n > 0) {
      digest3(data, from, n, digests, at);
    } else {
      store(digests, at, oldAvalanche(EMPTY_LOW), oldAvalanche(EMPTY_HIGH));
    }
  }

  /** 1 to 3 bytes: the first, middle and last byte and the length make a 32-bit word. */
  private static void digest3(MemorySegment data, long from, int length, long[] digests, int at) {
    int first = data.get(ValueLayout.JAVA_BYTE, from) & 0xFF;
    int middle = data.get(ValueLayout.JAVA_BYTE, from + (length >> 1)) & 0xFF;
    int last = data.get(ValueLayout.JAVA_BYTE, from + length - 1) & 0xFF;
    int low = first << 16 | middle << 24 | last | length << 8;
    int high = Integer.rotateLeft(Integer.reverseBytes(low), 13);
    store(
        digests,
        at,
        oldAvalanche(Integer.toUnsignedLong(low ^ FLIP_3_LOW)),
        oldAvalanche(Integer.toUnsignedLong(high ^ FLIP_3_HIGH)));
  }

  /** 4 to 8 bytes: the first and the last four, which may overlap. */
  private static void digest8(MemorySegment data, long from, int length, long[] digests, int at) {
    long first = Integer.toUnsignedLong(data.get(INT, from));
    long last = data.get(INT, from + length - 4);
    long keyed = (first + (last << 32)) ^ FLIP_8;
    long factor = PRIME64_1 + ((long) length << 2);
    long low = keyed * factor;
    long high = Math.unsignedMultiplyHigh(keyed, factor) + (low << 1);
    low ^= high >>> 3;
    low = (low ^ (low >>> 35)) * PRIME_MX2;
    store(digests, at, low ^ (low >>> 28), avalanche(high));
  }

  /** 9 to 16 bytes: the first and the last eight, which may overlap. */
  private static void digest16(MemorySegment data, long from, int length, long[] digests, int at) {
    long first = data.get(LONG, from);
    long last = data.get(LONG, from + length - 8);
    long keyed = first ^ last ^ FLIP_16_LOW;
    long low = keyed * PRIME64_1 + ((length - 1L) << 54);
    long flipped = last ^ FLIP_16_HIGH;
    // The lower half of flipped, times the prime: see docs/design/hashing.md for why it looks so.
    long product = Math.unsignedMultiplyHigh(flipped << 32, (PRIME32_2 - 1) << 32);
    long high = Math.unsignedMultiplyHigh(keyed, PRIME64_1) + flipped + product;
    low ^= Long.reverseBytes(high);
    long mixedHigh = Math.unsignedMultiplyHigh(low, PRIME64_2) + high * PRIME64_2;
    store(digests, at, avalanche(low * PRIME64_2), avalanche(mixedHigh));
  }

  /** 17 to 240 bytes: pairs of 16 bytes are multiplied into two sums. */
  private static void digestMixed(
      MemorySegment data, long from, int length, long[] digests, int at) {
    digests[2 * at] = length * PRIME64_1;
    digests[2 * at + 1] = 0;
    if (length <= 128) {
      mixInwards(data, from, length, digests, at);
    } else {
      mixForwards(data, from, length, digests, at);
    }
    long low = digests[2 * at];
    long high = digests[2 * at + 1];
    long mixedHigh = low * PRIME64_1 + high * PRIME64_4 + length * PRIME64_2;
    store(digests, at, avalanche(low + high), -avalanche(mixedHigh));
  }

  /** 17 to 128 bytes: 16 from the front with 16 from the back, the innermost first. */
  private static void mixInwards(
      MemorySegment data, long from, int length, long[] digests, int at) {
    for (int i = (length - 1) / 32; i >= 0; i--) {
      long back = from + length - 16L * (i + 1);
      mix(data, from + 16L * i, back, SECRET, 4 * i, digests, at);
    }
  }

  /** 129 to 240 bytes: 32 at a time from front to back, then the last 32. */
  private static void mixForwards(
      MemorySegment data, long from, int length, long[] digests, int at) {
    for (int i = 0; i < 4; i++) {
      mix(data, from + 32L * i, from + 32L * i + 16, SECRET, 4 * i, digests, at);
    }
    store(digests, at, avalanche(digests[2 * at]), avalanche(digests[2 * at + 1]));
    for (int i = 4; i < length / 32; i++) {
      mix(data, from + 32L * i, from + 32L * i + 16, SHIFTED_SECRET, 4 * (i - 4), digests, at);
    }
    mix(data, from + length - 16, from + length - 32, LAST_SECRET, 0, digests, at);
  }

  private static void mix(
      MemorySegment data, long p, long q, long[] secret, int word, long[] digests, int at) {
    long p0 = data.get(LONG, p);
    long p1 = data.get(LONG, p + 8);
    long q0 = data.get(LONG, q);
    long q1 = data.get(LONG, q + 8);
    long low = digests[2 * at] + foldedProduct(p0 ^ secret[word], p1 ^ secret[word + 1]);
    long high = digests[2 * at + 1] + foldedProduct(q0 ^ secret[word + 2], q1 ^ secret[word + 3]);
    store(digests, at, low ^ (q0 + q1), high ^ (p0 + p1));
  }

  private static void store(long[] digests, int at, long low, long high) {
    digests[2 * at] = low;
    digests[2 * at + 1] = high;
  }

  /** The 128-bit product with its halves xored. */
  static long foldedProduct(long a, long b) {
    return (a * b) ^ Math.unsignedMultiplyHigh(a, b);
  }

  static long avalanche(long value) {
    long h = (value ^ (value >>> 37)) * PRIME_MX1;
    return h ^ (h >>> 32);
  }

  /** The finish of XXH64, which XXH3 keeps for the shortest input. */
  private static long oldAvalanche(long value) {
    long h = (value ^ (value >>> 33)) * PRIME64_2;
    h = (h ^ (h >>> 29)) * PRIME64_3;
    return h ^ (h >>> 32);
  }
}
