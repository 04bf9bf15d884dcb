// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import static org.cairn.hash.Xxh3Secret.PRIME32_1;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * XXH3-128 of long input for a process that is cold: it copies a tile into an array and hashes
 * that.
 *
 * <p>To read a segment word by word takes layers of calls that only the second compiler sees
 * through; until it has, {@link PlainXxh3} runs at 0.3 to 0.7 GB/s. Copying is fast from the first
 * call on, and what the first compiler makes of a loop over an array is good: 2.2 GB/s. When all is
 * compiled the copy is what is lost, a fifth. One instance serves all kinds of memory.
 */
final class TiledXxh3 extends LongXxh3 {
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** A whole number of rounds, and small: it is to stay in the innermost cache. */
  private static final int TILE = 2 * STRIPES;

  private static final int WORDS = STRIPE / Long.BYTES;

  private static final long[] SECRET = Xxh3Secret.words(0, STRIPES + 7);
  private static final long[] LAST_SECRET = Xxh3Secret.lastStripe();
  private static final long[] SCRAMBLE = Xxh3Secret.scramble();

  private static final ThreadLocal<long[]> TILES =
      ThreadLocal.withInitial(() -> new long[TILE * WORDS]);

  @Override
  void absorb(MemorySegment data, long from, int stripes, long[] acc) {
    long[] tile = TILES.get();
    for (int done = 0; done < stripes; done += TILE) {
      int next = Math.min(TILE, stripes - done);
      MemorySegment.copy(data, LONG, from + (long) done * STRIPE, tile, 0, next * WORDS);
      fourLanes(tile, next, 0, acc);
      fourLanes(tile, next, 4, acc);
    }
  }

  /** No calls in the loop, and no constants that would have to be looked up: see above. */
  private static void fourLanes(long[] words, int stripes, int lane, long[] acc) {
    long[] secret = SECRET;
    long a = acc[lane];
    long b = acc[lane + 1];
    long c = acc[lane + 2];
    long d = acc[lane + 3];
    for (int s = 0; s < stripes; s++) {
      int p = s * WORDS + lane;
      int n = (s & (STRIPES - 1)) + lane;
      long e = words[p];
      long f = words[p + 1];
      long g = words[p + 2];
      long h = words[p + 3];
      long v = e ^ secret[n];
      long w = f ^ secret[n + 1];
      long x = g ^ secret[n + 2];
      long y = h ^ secret[n + 3];
      a += f + (v & 0xFFFFFFFFL) * (v >>> 32);
      b += e + (w & 0xFFFFFFFFL) * (w >>> 32);
      c += h + (x & 0xFFFFFFFFL) * (x >>> 32);
      d += g + (y & 0xFFFFFFFFL) * (y >>> 32);
      if ((s & (STRIPES - 1)) == STRIPES - 1) {
        a = (a ^ (a >>> 47) ^ SCRAMBLE[lane]) * PRIME32_1;
        b = (b ^ (b >>> 47) ^ SCRAMBLE[lane + 1]) * PRIME32_1;
        c = (c ^ (c >>> 47) ^ SCRAMBLE[lane + 2]) * PRIME32_1;
        d = (d ^ (d >>> 47) ^ SCRAMBLE[lane + 3]) * PRIME32_1;
      }
    }
    acc[lane] = a;
    acc[lane + 1] = b;
    acc[lane + 2] = c;
    acc[lane + 3] = d;
  }

  @Override
  void absorbLast(MemorySegment data, long from, long[] acc, int lane) {
    long[] words = TILES.get();
    MemorySegment.copy(data, LONG, from, words, 0, WORDS);
    for (int i = 0; i < WORDS; i++) {
      long keyed = words[i] ^ LAST_SECRET[i];
      acc[lane + i] += (keyed & 0xFFFFFFFFL) * (keyed >>> 32);
      acc[lane + (i ^ 1)] += words[i];
    }
  }
}
