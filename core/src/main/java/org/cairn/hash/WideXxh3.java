// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.XOR;
import static org.cairn.hash.LongXxh3.STRIPE;
import static org.cairn.hash.LongXxh3.STRIPES;
import static org.cairn.hash.LongXxh3.STRIPES_PER_CALL;
import static org.cairn.hash.Xxh3Secret.PRIME32_1;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.nio.ByteOrder;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;
import org.jspecify.annotations.Nullable;

/**
 * XXH3-128 of long input on vectors of 512 or 256 bits, two inputs at once so that one computes
 * while the other waits for its multiplication.
 *
 * <p>The halves are cut out by a mask and a shift in the form that C2 should recognise on x86,
 * where it can then use one instruction for the product ({@code VPMULUDQ}). The words that a lane
 * gets from its neighbour are summed up apart and change sides once per round instead of once per
 * stripe.
 *
 * <p>A single input is done as if it were two, both the same: from memory that is a fifth slower
 * than a kernel for one would be. But such a kernel would have to be compiled and warmed up as this
 * one is, and each of them leaves some fifty megabytes of vectors on the heap before it is.
 *
 * <p>Species are constants of each copy of this class, see {@link Specialization}, because vectors
 * of a species that C2 does not know at compile time live on the heap. All species are correct on
 * all machines; those the machine lacks are slow.
 */
final class WideXxh3 implements DigestKernel {

  private static final Specialization COPY =
      Specialization.of(
          MethodHandles.lookup(),
          new Specialization(MemoryKind.HIDDEN, VectorWidth.preferredBits()));

  private static final VectorSpecies<Long> SPECIES = VectorWidth.species(COPY.bits());
  private static final VectorSpecies<?> LOADED = VectorWidth.loadable(SPECIES, COPY.kind());
  private static final @Nullable Class<?> SEGMENTS = COPY.kind().segments();
  private static final VectorShuffle<Long> NEIGHBOURS =
      VectorShuffle.fromOp(SPECIES, lane -> lane ^ 1);

  private static final long LOW = 0xFFFFFFFFL;
  private static final long[] SECRET = Xxh3Secret.words(0, STRIPES + 7);
  private static final long[] LAST_SECRET = Xxh3Secret.lastStripe();
  private static final long[] SCRAMBLE = Xxh3Secret.scramble();

  /** Sums start from here: from a constant vector C2 makes slow code. */
  private static final long[] ZEROES = new long[8];

  @Override
  public void digest(MemorySegment data, long from, long length, long[] digests, int at) {
    Xxh3Accumulators.merge(accumulated(data, from, 0, length), 0, length, digests, at);
  }

  @Override
  public void digestPair(MemorySegment data, long from, long length, long[] digests, int at) {
    long[] acc = accumulated(data, from, length, length);
    Xxh3Accumulators.merge(acc, 0, length, digests, at);
    Xxh3Accumulators.merge(acc, 8, length, digests, at + 1);
  }

  /** Lanes 0 to 7 of one input, and 8 to 15 of another one {@code distance} behind it. */
  private static long[] accumulated(MemorySegment data, long from, long distance, long length) {
    long[] acc = Xxh3Accumulators.initialPair();
    // The last stripe, complete or not, has a key of its own; hence the -1.
    long stripes = (length - 1) / STRIPE;
    for (long done = 0; done < stripes; done += STRIPES_PER_CALL) {
      int next = (int) Math.min(STRIPES_PER_CALL, stripes - done);
      absorbPair(data, from + done * STRIPE, distance, next, acc);
    }
    absorbLast(data, from + length - STRIPE, acc, 0);
    absorbLast(data, from + distance + length - STRIPE, acc, 8);
    return acc;
  }

  private static void absorbPair(
      MemorySegment data, long from, long distance, int stripes, long[] acc) {
    for (int lane = 0; lane < 8; lane += SPECIES.length()) {
      lanesOfPair(data, from + 8L * lane, distance, stripes, lane, acc);
    }
  }

  private static void lanesOfPair(
      MemorySegment memory, long from, long distance, int stripes, int lane, long[] acc) {
    MemorySegment data = ofKnownClass(memory);
    LongVector a = LongVector.fromArray(SPECIES, acc, lane);
    LongVector b = LongVector.fromArray(SPECIES, acc, lane + 8);
    LongVector sumOfX = LongVector.fromArray(SPECIES, ZEROES, 0);
    LongVector sumOfY = LongVector.fromArray(SPECIES, ZEROES, 0);
    LongVector scramble = LongVector.fromArray(SPECIES, SCRAMBLE, lane);
    for (int s = 0; s < stripes; s++) {
      long p = from + (long) s * STRIPE;
      LongVector secret = LongVector.fromArray(SPECIES, SECRET, (s & (STRIPES - 1)) + lane);
      LongVector x = words(data, p);
      LongVector y = words(data, p + distance);
      a = a.add(product(x.lanewise(XOR, secret)));
      b = b.add(product(y.lanewise(XOR, secret)));
      sumOfX = sumOfX.add(x);
      sumOfY = sumOfY.add(y);
      if ((s & (STRIPES - 1)) == STRIPES - 1) {
        a = scrambled(a.add(sumOfX.rearrange(NEIGHBOURS)), scramble);
        b = scrambled(b.add(sumOfY.rearrange(NEIGHBOURS)), scramble);
        sumOfX = LongVector.fromArray(SPECIES, ZEROES, 0);
        sumOfY = LongVector.fromArray(SPECIES, ZEROES, 0);
      }
    }
    a.add(sumOfX.rearrange(NEIGHBOURS)).intoArray(acc, lane);
    b.add(sumOfY.rearrange(NEIGHBOURS)).intoArray(acc, lane + 8);
  }

  private static void absorbLast(MemorySegment data, long from, long[] acc, int lane) {
    for (int i = 0; i < 8; i += SPECIES.length()) {
      LongVector x = words(data, from + 8L * i);
      LongVector.fromArray(SPECIES, acc, lane + i)
          .add(product(x.lanewise(XOR, LongVector.fromArray(SPECIES, LAST_SECRET, i))))
          .add(x.rearrange(NEIGHBOURS))
          .intoArray(acc, lane + i);
    }
  }

  /**
   * Loads are compiled from code that all of a JVM shares; where that has met three kinds of memory
   * a load from a segment whose class C2 does not know takes two calls. So it is told the class.
   * Where there is none to tell it gets a slice, whose class it knows by the profile of this very
   * call; but C2 makes an object of each slice, 40 bytes for every two blocks.
   */
  private static MemorySegment ofKnownClass(MemorySegment memory) {
    return SEGMENTS == null ? memory.asSlice(0) : (MemorySegment) SEGMENTS.cast(memory);
  }

  private static LongVector words(MemorySegment data, long at) {
    return LOADED.fromMemorySegment(data, at, ByteOrder.LITTLE_ENDIAN).reinterpretAsLongs();
  }

  private static LongVector product(LongVector keyed) {
    return keyed.and(LOW).mul(keyed.lanewise(LSHR, 32));
  }

  private static LongVector scrambled(LongVector a, LongVector secret) {
    return a.lanewise(XOR, a.lanewise(LSHR, 47)).lanewise(XOR, secret).mul(PRIME32_1);
  }
}
