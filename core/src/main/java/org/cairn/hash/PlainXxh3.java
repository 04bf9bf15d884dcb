package org.cairn.hash;

import static org.cairn.hash.Xxh3Secret.PRIME32_1;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** XXH3-128 of long input in plain Java: what the vector kernels are compared with. */
final class PlainXxh3 extends LongXxh3 {

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final long[] LOW_SECRET = Xxh3Secret.words(0, STRIPES + 3);
  private static final long[] HIGH_SECRET = Xxh3Secret.words(32, STRIPES + 3);
  private static final long[] SCRAMBLE = Xxh3Accumulators.scrambleSecret();

  @Override
  void rounds(MemorySegment data, long from, int rounds, long[] acc) {
    fourLanes(data, from, rounds, 0, LOW_SECRET, acc);
    fourLanes(data, from, rounds, 4, HIGH_SECRET, acc);
  }

  private static void fourLanes(
      MemorySegment data, long from, int rounds, int lane, long[] secret, long[] acc) {
    long a = acc[lane];
    long b = acc[lane + 1];
    long c = acc[lane + 2];
    long d = acc[lane + 3];
    for (int r = 0; r < rounds; r++) {
      MemorySegment round = data.asSlice(from + (long) ROUND * r + 8L * lane, ROUND - 32);
      for (int n = 0; n < STRIPES; n++) {
        long e = round.get(LONG, n * STRIPE);
        long f = round.get(LONG, n * STRIPE + 8);
        long g = round.get(LONG, n * STRIPE + 16);
        long h = round.get(LONG, n * STRIPE + 24);
        a += f + product(e ^ secret[n]);
        b += e + product(f ^ secret[n + 1]);
        c += h + product(g ^ secret[n + 2]);
        d += g + product(h ^ secret[n + 3]);
      }
      a = (a ^ (a >>> 47) ^ SCRAMBLE[lane]) * PRIME32_1;
      b = (b ^ (b >>> 47) ^ SCRAMBLE[lane + 1]) * PRIME32_1;
      c = (c ^ (c >>> 47) ^ SCRAMBLE[lane + 2]) * PRIME32_1;
      d = (d ^ (d >>> 47) ^ SCRAMBLE[lane + 3]) * PRIME32_1;
    }
    acc[lane] = a;
    acc[lane + 1] = b;
    acc[lane + 2] = c;
    acc[lane + 3] = d;
  }

  @Override
  void stripes(MemorySegment data, long from, int count, long[] secret, long[] acc, int lane) {
    for (int pair = 0; pair < 8; pair += 2) {
      twoLanes(data, from + 8L * pair, count, secret, pair, acc, lane + pair);
    }
  }

  private static void twoLanes(
      MemorySegment data, long from, int count, long[] secret, int word, long[] acc, int lane) {
    long a = acc[lane];
    long b = acc[lane + 1];
    for (int n = 0; n < count; n++) {
      long e = data.get(LONG, from + (long) n * STRIPE);
      long f = data.get(LONG, from + (long) n * STRIPE + 8);
      a += f + product(e ^ secret[word + n]);
      b += e + product(f ^ secret[word + n + 1]);
    }
    acc[lane] = a;
    acc[lane + 1] = b;
  }

  /** The product of the two halves of a keyed word, both unsigned. */
  private static long product(long keyed) {
    return (keyed & 0xFFFFFFFFL) * (keyed >>> 32);
  }
}
