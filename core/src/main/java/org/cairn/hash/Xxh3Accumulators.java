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

/** What XXH3 does with its eight accumulators besides feeding them. */
final class Xxh3Accumulators {

  private static final long[] LOW_SECRET = Xxh3Secret.words(11, 8);
  private static final long[] HIGH_SECRET = Xxh3Secret.words(192 - 64 - 11, 8);

  private static final long[] INITIAL = {
    PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1
  };

  /**
   * An array a thread, not one a block: hashing must not make garbage in proportion to the data.
   */
  private static final ThreadLocal<long[]> LANES = ThreadLocal.withInitial(() -> new long[8]);

  private static final ThreadLocal<long[]> PAIRS = ThreadLocal.withInitial(() -> new long[16]);

  private Xxh3Accumulators() {}

  /** The accumulators before the first stripe; good until this thread asks again. */
  static long[] initial() {
    long[] lanes = LANES.get();
    begin(lanes);
    return lanes;
  }

  /** Makes accumulators what they are before the first stripe. */
  static void begin(long[] lanes) {
    System.arraycopy(INITIAL, 0, lanes, 0, 8);
  }

  /** The accumulators of two inputs, one behind the other; good until this thread asks again. */
  static long[] initialPair() {
    long[] pair = PAIRS.get();
    System.arraycopy(INITIAL, 0, pair, 0, 8);
    System.arraycopy(INITIAL, 0, pair, 8, 8);
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
      sum += ShortXxh3.foldedProduct(acc[lane + i] ^ secret[i], acc[lane + i + 1] ^ secret[i + 1]);
    }
    return ShortXxh3.avalanche(sum);
  }
}
