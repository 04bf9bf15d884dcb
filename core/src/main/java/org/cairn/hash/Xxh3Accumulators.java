package org.cairn.hash;

import static org.cairn.hash.Xxh3Secret.PRIME32_1;
import static org.cairn.hash.Xxh3Secret.PRIME32_2;
import static org.cairn.hash.Xxh3Secret.PRIME32_3;
import static org.cairn.hash.Xxh3Secret.PRIME64_1;
import static org.cairn.hash.Xxh3Secret.PRIME64_2;
import static org.cairn.hash.Xxh3Secret.PRIME64_3;
import static org.cairn.hash.Xxh3Secret.PRIME64_4;
import static org.cairn.hash.Xxh3Secret.PRIME64_5;

/** What XXH3 does with its eight accumulators besides feeding them. */
final class Xxh3Accumulators {

  private static final long[] LOW_SECRET = Xxh3Secret.words(11, 8);
  private static final long[] HIGH_SECRET = Xxh3Secret.words(192 - 64 - 11, 8);

  private Xxh3Accumulators() {}

  /** The accumulators before the first stripe. */
  static long[] initial() {
    return new long[] {
      PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1
    };
  }

  /** The accumulators of two inputs, one behind the other. */
  static long[] initialPair() {
    long[] pair = new long[16];
    System.arraycopy(initial(), 0, pair, 0, 8);
    System.arraycopy(initial(), 0, pair, 8, 8);
    return pair;
  }

  /** Folds eight accumulators, from {@code lane} on, into the digest of an input of this length. */
  static void merge(long[] acc, int lane, long length, long[] digests, int at) {
    digests[2 * at] = merged(acc, lane, LOW_SECRET, length * PRIME64_1);
    digests[2 * at + 1] = merged(acc, lane, HIGH_SECRET, ~(length * PRIME64_2));
  }

  private static long merged(long[] acc, int lane, long[] secret, long start) {
    long sum = start;
    for (int i = 0; i < 8; i += 2) {
      sum +=
          ShortXxh3.foldedProduct(acc[lane + i] ^ secret[i], acc[lane + i + 1] ^ secret[i + 1]);
    }
    return ShortXxh3.avalanche(sum);
  }
}
