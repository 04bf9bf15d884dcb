package org.cairn.hash;

import java.lang.foreign.MemorySegment;

/**
 * XXH3-128 of more than {@link ShortXxh3#LONGEST} bytes.
 *
 * <p>The input is eaten in stripes of 64 bytes, one word for each of eight accumulators ("lanes"). A
 * lane adds the product of the two halves of its keyed word, and the plain word of its neighbour:
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
 * in how they get the products. What all of them obey, because C2 rewards it:
 *
 * <ol>
 *   <li>A round is read through a slice of constant size: one check covers it, and the checks of the
 *       single words vanish. Over the whole segment each word has its own, and setting those up costs
 *       a third of the time of a 16 KiB block.
 *   <li>Plain lanes are done four at a time, for several rounds, then the other four: eight with
 *       their data and keys do not fit into the registers.
 *   <li>No helper methods in the innermost loop: beyond a limit C2 inlines only what the JDK marks
 *       for it, and a call there costs a factor of three.
 * </ol>
 */
abstract class LongXxh3 implements Xxh3Kernel {

  static final int STRIPE = 64;
  static final int STRIPES = 16;
  static final int ROUND = STRIPE * STRIPES;

  /** So many rounds are done in one call: lanes 4 to 7 must find in cache what 0 to 3 have read. */
  private static final int ROUNDS_PER_CALL = 16;

  private static final long[] SECRET = Xxh3Secret.words(0, STRIPES + 7);
  private static final long[] LAST_SECRET = Xxh3Secret.words(192 - 64 - 7, 8);

  /** Adds {@code rounds} rounds from {@code from} on to the lanes, and scrambles after each. */
  abstract void rounds(MemorySegment data, long from, int rounds, long[] acc);

  /** As {@link #rounds}, for two inputs {@code distance} apart, with lanes 0-7 and 8-15. */
  void roundsOfPair(MemorySegment data, long from, long distance, int rounds, long[] acc) {
    throw new UnsupportedOperationException("This kernel does one input at a time");
  }

  /** Adds {@code count} stripes without scrambling; stripe 0 is keyed with {@code secret[0..7]}. */
  abstract void stripes(
      MemorySegment data, long from, int count, long[] secret, long[] acc, int lane);

  @Override
  public void digest(MemorySegment data, long from, long length, long[] digests, int at) {
    long[] acc = Xxh3Accumulators.initial();
    int rounds;
    for (long done = 0; (rounds = roundsFrom(done, length)) > 0; done += (long) rounds * ROUND) {
      rounds(data, from + done, rounds, acc);
    }
    finish(data, from, length, acc, 0, digests, at);
  }

  /** {@link #digestPair} for kernels that have {@link #roundsOfPair}. */
  final void digestInterleaved(
      MemorySegment data, long from, long length, long[] digests, int at) {
    long[] acc = Xxh3Accumulators.initialPair();
    int rounds;
    for (long done = 0; (rounds = roundsFrom(done, length)) > 0; done += (long) rounds * ROUND) {
      roundsOfPair(data, from + done, length, rounds, acc);
    }
    finish(data, from, length, acc, 0, digests, at);
    finish(data, from + length, length, acc, 8, digests, at + 1);
  }

  /** How many rounds to do next. The last stripe is not part of any, hence the -1. */
  private static int roundsFrom(long done, long length) {
    return (int) Math.min(ROUNDS_PER_CALL, (length - 1 - done) / ROUND);
  }

  private void finish(
      MemorySegment data, long from, long length, long[] acc, int lane, long[] digests, int at) {
    int rest = (int) ((length - 1) % ROUND) / STRIPE;
    stripes(data, from + (length - 1) / ROUND * ROUND, rest, SECRET, acc, lane);
    stripes(data, from + length - STRIPE, 1, LAST_SECRET, acc, lane);
    Xxh3Accumulators.merge(acc, lane, length, digests, at);
  }
}
