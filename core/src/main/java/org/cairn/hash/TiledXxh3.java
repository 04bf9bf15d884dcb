// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import static org.cairn.hash.LongXxh3.STRIPE;
import static org.cairn.hash.LongXxh3.STRIPES;
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
 *
 * <p>What is around the loop is one method, and nothing of it is written twice: the second compiler
 * looks through all calls to segments, and where the last stripe had a copy of its own, and each
 * layer above was compiled with all below, it took several times as long as for the loop. In a
 * process that has just begun the cores are busy with that.
 */
final class TiledXxh3 implements DigestKernel {
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** A whole number of rounds, and small: it is to stay in the innermost cache. */
  private static final int TILE = 4 * STRIPES;

  private static final int WORDS = STRIPE / Long.BYTES;

  private static final long[] SECRET = Xxh3Secret.words(0, STRIPES + 7);
  private static final long[] LAST_SECRET = Xxh3Secret.lastStripe();
  private static final long[] SCRAMBLE = Xxh3Secret.scramble();

  /** With room for the last stripe behind. */
  private static final ThreadLocal<long[]> TILES =
      ThreadLocal.withInitial(() -> new long[(TILE + 1) * WORDS]);

  @Override
  public void digest(MemorySegment data, long from, long length, long[] digests, int at) {
    long[] acc = Xxh3Accumulators.initial();
    long[] tile = TILES.get();
    // The last stripe, complete or not, has a key of its own; hence the -1.
    long stripes = (length - 1) / STRIPE;
    boolean isWhole = length % STRIPE == 0;
    int last = 0;
    for (long done = 0; done < stripes; done += TILE) {
      int next = (int) Math.min(TILE, stripes - done);
      // A last stripe that is complete follows; it is not used where more stripes do.
      int copied = isWhole ? next + 1 : next;
      MemorySegment.copy(data, LONG, from + done * STRIPE, tile, 0, copied * WORDS);
      fourLanes(tile, next, 0, acc);
      fourLanes(tile, next, 4, acc);
      last = next * WORDS;
    }
    if (!isWhole) {
      MemorySegment.copy(data, LONG, from + length - STRIPE, tile, last, WORDS);
    }
    lastStripe(tile, last, acc);
    Xxh3Accumulators.merge(acc, 0, length, digests, at);
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

  private static void lastStripe(long[] words, int from, long[] acc) {
    for (int i = 0; i < WORDS; i++) {
      long word = words[from + i];
      long keyed = word ^ LAST_SECRET[i];
      acc[i] += (keyed & 0xFFFFFFFFL) * (keyed >>> 32);
      acc[i ^ 1] += word;
    }
  }
}
