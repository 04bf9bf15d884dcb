// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import static org.cairn.hash.LongXxh3.STRIPE;
import static org.cairn.hash.LongXxh3.STRIPES;
import static org.cairn.hash.Xxh3Secret.PRIME32_1;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * XXH3-128 of long input for a process that is cold: it copies into an array and hashes that.
 *
 * <p>To read a segment word by word takes layers of calls that only the second compiler sees
 * through; until it has, {@link PlainXxh3} runs at 0.3 to 0.7 GB/s. Copying is fast from the first
 * call on, and what the first compiler makes of a loop over an array is good: 2.2 GB/s. When all is
 * compiled the copy is what is lost, a fifth. One instance serves all kinds of memory.
 *
 * <p>In a process that has just begun the cores are busy with compiling. The second compiler looks
 * through all calls to segments, and what has such calls took it ten times as long as the loop. So
 * what is called for every block knows arrays only, and segments are spoken to so seldom that
 * nobody ever asks it to compile that: once for as many blocks as fit into {@link #COPIED}.
 */
final class TiledXxh3 implements DigestKernel {
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** So much of one input is in the innermost cache when lanes 4 to 7 are done after 0 to 3. */
  private static final int TILE = 16 * STRIPES;

  /** So many bytes are copied at once; they are to stay in the second cache. */
  private static final int COPIED = 128 << 10;

  private static final int WORDS = STRIPE / Long.BYTES;

  private static final long[] SECRET = Xxh3Secret.words(0, STRIPES + 7);
  private static final long[] LAST_SECRET = Xxh3Secret.lastStripe();
  private static final long[] SCRAMBLE = Xxh3Secret.scramble();

  /** With room for the last stripe behind. */
  private static final ThreadLocal<long[]> COPIES =
      ThreadLocal.withInitial(() -> new long[COPIED / Long.BYTES + WORDS]);

  @Override
  public void digestAll(
      MemorySegment data, long from, int blocks, int blockSize, long[] digests, int at) {
    if (blockSize > COPIED || blockSize % Long.BYTES != 0) {
      for (int block = 0; block < blocks; block++) {
        digest(data, from + (long) block * blockSize, blockSize, digests, at + block);
      }
      return;
    }
    long[] copy = COPIES.get();
    long[] acc = Xxh3Accumulators.initial();
    int words = blockSize / Long.BYTES;
    int most = COPIED / blockSize;
    for (int done = 0; done < blocks; done += most) {
      int some = Math.min(most, blocks - done);
      MemorySegment.copy(data, LONG, from + (long) done * blockSize, copy, 0, some * words);
      for (int block = 0; block < some; block++) {
        digest(copy, block * words, words, acc, digests, at + done + block);
      }
    }
  }

  /** The digest of words of an array; see above for why it does not go through a segment. */
  private static void digest(long[] copy, int from, int words, long[] acc, long[] digests, int at) {
    Xxh3Accumulators.begin(acc);
    absorb(copy, from, (words - 1) / WORDS, acc);
    lastStripe(copy, from + words - WORDS, acc);
    Xxh3Accumulators.merge(acc, 0, (long) words * Long.BYTES, digests, at);
  }

  @Override
  public void digest(MemorySegment data, long from, long length, long[] digests, int at) {
    long[] acc = Xxh3Accumulators.initial();
    long[] copy = COPIES.get();
    // The last stripe, complete or not, has a key of its own; hence the -1.
    long stripes = (length - 1) / STRIPE;
    for (long done = 0; done < stripes; done += COPIED / STRIPE) {
      int next = (int) Math.min(COPIED / STRIPE, stripes - done);
      MemorySegment.copy(data, LONG, from + done * STRIPE, copy, 0, next * WORDS);
      absorb(copy, 0, next, acc);
    }
    MemorySegment.copy(data, LONG, from + length - STRIPE, copy, 0, WORDS);
    lastStripe(copy, 0, acc);
    Xxh3Accumulators.merge(acc, 0, length, digests, at);
  }

  private static void absorb(long[] words, int from, int stripes, long[] acc) {
    for (int done = 0; done < stripes; done += TILE) {
      int next = Math.min(TILE, stripes - done);
      fourLanes(words, from + done * WORDS, next, 0, acc);
      fourLanes(words, from + done * WORDS, next, 4, acc);
    }
  }

  /** No calls in the loop, and no constants that would have to be looked up: see above. */
  private static void fourLanes(long[] words, int from, int stripes, int lane, long[] acc) {
    long[] secret = SECRET;
    long a = acc[lane];
    long b = acc[lane + 1];
    long c = acc[lane + 2];
    long d = acc[lane + 3];
    for (int s = 0; s < stripes; s++) {
      int p = from + s * WORDS + lane;
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
