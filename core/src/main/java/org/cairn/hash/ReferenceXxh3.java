// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import static org.cairn.hash.Xxh3Secret.PRIME32_1;
import static org.cairn.hash.Xxh3Secret.PRIME32_2;
import static org.cairn.hash.Xxh3Secret.PRIME32_3;
import static org.cairn.hash.Xxh3Secret.PRIME64_1;
import static org.cairn.hash.Xxh3Secret.PRIME64_2;
import static org.cairn.hash.Xxh3Secret.PRIME64_3;
import static org.cairn.hash.Xxh3Secret.PRIME64_4;
import static org.cairn.hash.Xxh3Secret.PRIME64_5;
import static org.cairn.hash.Xxh3Secret.PRIME_MX1;
import static org.cairn.hash.Xxh3Secret.PRIME_MX2;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * XXH3-128 of any length, written down a second time: the twin that {@link SecondOpinion} asks.
 *
 * <p>It shares nothing with the kernels but the constants, and is written to be compiled in another
 * way: words are put together from single bytes, and the upper half of a product from products of
 * 32 bits. It is several times slower than the kernels, which does not matter where it is used.
 */
final class ReferenceXxh3 {
  private static final int STRIPE = 64;
  private static final int STRIPES = 16;
  private static final long LOW_32 = 0xFFFFFFFFL;

  private final MemorySegment data;
  private final long from;
  private final long length;
  private long low;
  private long high;

  private ReferenceXxh3(MemorySegment data, long from, long length) {
    this.data = data;
    this.from = from;
    this.length = length;
  }

  /** The digest of a range, to {@code digest[0]} (low half) and {@code digest[1]}. */
  static void digest(MemorySegment data, long from, long length, long[] digest) {
    ReferenceXxh3 twin = new ReferenceXxh3(data, from, length);
    twin.compute();
    digest[0] = twin.low;
    digest[1] = twin.high;
  }

  private void compute() {
    if (length == 0) {
      low = oldAvalanche(secret(64) ^ secret(72));
      high = oldAvalanche(secret(80) ^ secret(88));
    } else if (length <= 3) {
      upTo3();
    } else if (length <= 8) {
      upTo8();
    } else if (length <= 16) {
      upTo16();
    } else if (length <= 240) {
      upTo240();
    } else {
      more();
    }
  }

  private void upTo3() {
    long word = at(0, 1) << 16 | at(length / 2, 1) << 24 | at(length - 1, 1) | length << 8;
    long turned = Integer.rotateLeft(Integer.reverseBytes((int) word), 13) & LOW_32;
    low = oldAvalanche(word ^ ((secret(0) ^ (secret(0) >>> 32)) & LOW_32));
    high = oldAvalanche(turned ^ ((secret(8) ^ (secret(8) >>> 32)) & LOW_32));
  }

  private void upTo8() {
    long keyed = (at(0, 4) + (at(length - 4, 4) << 32)) ^ secret(16) ^ secret(24);
    long factor = PRIME64_1 + 4 * length;
    long product = keyed * factor;
    high = upperHalf(keyed, factor) + 2 * product;
    low = product ^ (high >>> 3);
    low = (low ^ (low >>> 35)) * PRIME_MX2;
    low ^= low >>> 28;
    high = avalanche(high);
  }

  private void upTo16() {
    long last = at(length - 8, 8);
    long keyed = at(0, 8) ^ last ^ secret(32) ^ secret(40);
    long flipped = last ^ secret(48) ^ secret(56);
    long upperFlipped = flipped >>> 32 << 32;
    // The specification has it so; the kernel has the same sum in another order.
    long h = upperHalf(keyed, PRIME64_1) + upperFlipped + (flipped - upperFlipped) * PRIME32_2;
    long l = keyed * PRIME64_1 + ((length - 1) << 54);
    l ^= Long.reverseBytes(h);
    low = avalanche(l * PRIME64_2);
    high = avalanche(upperHalf(l, PRIME64_2) + h * PRIME64_2);
  }

  private void upTo240() {
    low = length * PRIME64_1;
    if (length <= 128) {
      for (long i = (length - 1) / 32; i >= 0; i--) {
        mix(16 * i, length - 16 * (i + 1), 32 * (int) i);
      }
    } else {
      for (int i = 0; i < 4; i++) {
        mix(32L * i, 32L * i + 16, 32 * i);
      }
      low = avalanche(low);
      high = avalanche(high);
      for (int i = 4; i < length / 32; i++) {
        mix(32L * i, 32L * i + 16, 3 + 32 * (i - 4));
      }
      mix(length - 16, length - 32, 136 - 17 - 16);
    }
    long sum = low + high;
    high = -avalanche(low * PRIME64_1 + high * PRIME64_4 + length * PRIME64_2);
    low = avalanche(sum);
  }

  private void mix(long p, long q, int key) {
    long plainP = at(p, 8) + at(p + 8, 8);
    long plainQ = at(q, 8) + at(q + 8, 8);
    low = (low + folded(at(p, 8) ^ secret(key), at(p + 8, 8) ^ secret(key + 8))) ^ plainQ;
    high = (high + folded(at(q, 8) ^ secret(key + 16), at(q + 8, 8) ^ secret(key + 24))) ^ plainP;
  }

  private void more() {
    long[] lanes = {
      PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1
    };
    long whole = (length - 1) / STRIPE;
    for (long stripe = 0; stripe < whole; stripe++) {
      int inRound = (int) (stripe % STRIPES);
      absorb(lanes, stripe * STRIPE, 8 * inRound);
      if (inRound == STRIPES - 1) {
        scramble(lanes);
      }
    }
    absorb(lanes, length - STRIPE, 192 - STRIPE - 7);
    low = merged(lanes, 11, length * PRIME64_1);
    high = merged(lanes, 192 - STRIPE - 11, ~(length * PRIME64_2));
  }

  private void absorb(long[] lanes, long stripe, int key) {
    for (int lane = 0; lane < 8; lane++) {
      long word = at(stripe + 8L * lane, 8);
      long keyed = word ^ secret(key + 8 * lane);
      lanes[lane ^ 1] += word;
      lanes[lane] += (keyed & LOW_32) * (keyed >>> 32);
    }
  }

  private static void scramble(long[] lanes) {
    for (int lane = 0; lane < 8; lane++) {
      long value = lanes[lane];
      lanes[lane] = (value ^ (value >>> 47) ^ secret(192 - STRIPE + 8 * lane)) * PRIME32_1;
    }
  }

  private static long merged(long[] lanes, int key, long start) {
    long sum = start;
    for (int lane = 0; lane < 8; lane += 2) {
      int at = key + 8 * lane;
      sum += folded(lanes[lane] ^ secret(at), lanes[lane + 1] ^ secret(at + 8));
    }
    return avalanche(sum);
  }

  private static long folded(long a, long b) {
    return (a * b) ^ upperHalf(a, b);
  }

  /** The upper 64 bits of an unsigned product. */
  private static long upperHalf(long a, long b) {
    long lowLow = (a & LOW_32) * (b & LOW_32);
    long highLow = (a >>> 32) * (b & LOW_32);
    long lowHigh = (a & LOW_32) * (b >>> 32);
    long middle = (lowLow >>> 32) + (highLow & LOW_32) + lowHigh;
    return (a >>> 32) * (b >>> 32) + (highLow >>> 32) + (middle >>> 32);
  }

  private static long avalanche(long value) {
    long h = (value ^ (value >>> 37)) * PRIME_MX1;
    return h ^ (h >>> 32);
  }

  private static long oldAvalanche(long value) {
    long h = (value ^ (value >>> 33)) * PRIME64_2;
    h = (h ^ (h >>> 29)) * PRIME64_3;
    return h ^ (h >>> 32);
  }

  private static long secret(int at) {
    return Xxh3Secret.word(at);
  }

  /** A little-endian number of so many bytes. */
  private long at(long offset, int bytes) {
    long word = 0;
    for (int i = bytes - 1; i >= 0; i--) {
      word = word << 8 | (data.get(ValueLayout.JAVA_BYTE, from + offset + i) & 0xFFL);
    }
    return word;
  }
}
