// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import static org.cairn.hash.Xxh3Secret.PRIME32_1;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** XXH3-128 of long input in plain Java: what the vector kernels are compared with. */
final class PlainXxh3 extends LongXxh3 {

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final long[] SECRET = Xxh3Secret.words(0, STRIPES + 7);
  private static final long[] LAST_SECRET = Xxh3Secret.lastStripe();
  private static final long[] SCRAMBLE = Xxh3Secret.scramble();

  @Override
  void absorb(MemorySegment data, long from, int stripes, long[] acc) {
    fourLanes(data, from, stripes, 0, acc);
    fourLanes(data, from + 32, stripes, 1, acc);
  }

  private static void fourLanes(MemorySegment data, long from, int stripes, int half, long[] acc) {
    int lane = (half & 1) * 4;
    long a = acc[lane];
    long b = acc[lane + 1];
    long c = acc[lane + 2];
    long d = acc[lane + 3];
    for (int s = 0; s < stripes; s++) {
      long p = from + (long) s * STRIPE;
      int n = (s & (STRIPES - 1)) + lane;
      long e = data.get(LONG, p);
      long f = data.get(LONG, p + 8);
      long g = data.get(LONG, p + 16);
      long h = data.get(LONG, p + 24);
      a += f;
      a += product(e ^ SECRET[n]);
      b += e;
      b += product(f ^ SECRET[n + 1]);
      c += h;
      c += product(g ^ SECRET[n + 2]);
      d += g;
      d += product(h ^ SECRET[n + 3]);
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
    for (int i = 0; i < 8; i++) {
      long word = data.get(LONG, from + 8L * i);
      acc[lane + i] += product(word ^ LAST_SECRET[i]);
      acc[lane + (i ^ 1)] += word;
    }
  }

  /** The product of the two halves of a keyed word, both unsigned. */
  private static long product(long keyed) {
    return (keyed & 0xFFFFFFFFL) * (keyed >>> 32);
  }
}
