// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;

/**
 * XXH3-128 of more than {@link ShortXxh3#LONGEST} bytes.
 *
 * <p>The input is eaten in stripes of 64 bytes, one word for each of eight accumulators ("lanes").
 * A lane adds the product of the two halves of its keyed word, and the plain word of its neighbour:
 *
 * <pre>
 *   key = word[i] ^ secret[n + i]
 *   acc[i] += low32(key) * high32(key);   acc[i ^ 1] += word[i]
 * </pre>
 *
 * Stripe {@code n} of a round is keyed with the secret from its word {@code n} on. Sixteen stripes
 * make a round of 1024 bytes, after which the lanes are scrambled; the last stripe ends with the
 * input, has a key of its own, and may overlap the stripe before it.
 *
 * <p>This class walks through the input; what happens to the bytes is left to kernels, which differ
 * in how they get the products. What they have in common, because C2 rewards it:
 *
 * <ol>
 *   <li>Words are read in a loop over {@code int} that covers as much as possible, with few reads
 *       in its body: C2 moves the checks of a segment out of such a loop, but to set that up costs
 *       some twenty instructions for each read.
 *   <li>Scalar lanes are done four at a time, for many stripes, then the other four: eight with
 *       their words and keys do not fit into the registers.
 *   <li>Keys are indexed so that their range is evident ({@code n & 15}); they need no checks then.
 * </ol>
 */
abstract class LongXxh3 implements DigestKernel {

  static final int STRIPE = 64;
  static final int STRIPES = 16;
  static final int ROUND = STRIPE * STRIPES;

  /** So much is done in one call: lanes 4 to 7 must find in the cache what 0 to 3 have read. */
  static final int STRIPES_PER_CALL = 16 * STRIPES;

  /**
   * Adds stripes, the first of which starts a round, to lanes 0 to 7 of {@code acc}, and scrambles
   * after each complete round.
   */
  abstract void absorb(MemorySegment data, long from, int stripes, long[] acc);

  /** Adds the last stripe to the eight lanes from {@code lane} on. */
  abstract void absorbLast(MemorySegment data, long from, long[] acc, int lane);

  @Override
  public void digest(MemorySegment data, long from, long length, long[] digests, int at) {
    long[] acc = Xxh3Accumulators.initial();
    // The last stripe, complete or not, has a key of its own; hence the -1.
    absorbAll(data, from, (length - 1) / STRIPE, acc);
    absorbLast(data, from + length - STRIPE, acc, 0);
    Xxh3Accumulators.merge(acc, 0, length, digests, at);
  }

  /** {@link #absorb} in portions. */
  final void absorbAll(MemorySegment data, long from, long stripes, long[] acc) {
    for (long done = 0; done < stripes; done += STRIPES_PER_CALL) {
      int next = (int) Math.min(STRIPES_PER_CALL, stripes - done);
      absorb(data, from + done * STRIPE, next, acc);
    }
  }
}
