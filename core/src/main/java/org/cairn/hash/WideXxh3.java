package org.cairn.hash;

import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.XOR;
import static org.cairn.hash.Xxh3Secret.PRIME32_1;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.nio.ByteOrder;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * XXH3-128 of long input on vectors of 512 or 256 bits, two inputs at once so that one computes while
 * the other waits for its multiplication.
 *
 * <p>C2 compiles the product of two vectors of 32-bit values in 64-bit lanes to one instruction on
 * x86 ({@code VPMULUDQ}); it recognises the mask and the shift. The words that a lane gets from its
 * neighbour are summed up apart and change sides once per round instead of once per stripe.
 *
 * <p>Species are constants of each copy of this class, see {@link Specialization}, because vectors of
 * a species that C2 does not know at compile time live on the heap. All species are correct on all
 * machines; those the machine lacks are slow.
 */
final class WideXxh3 extends LongXxh3 {

  private static final Specialization COPY =
      Specialization.of(
          MethodHandles.lookup(),
          new Specialization(MemoryKind.HIDDEN, VectorWidth.preferredBits()));

  private static final VectorSpecies<Long> SPECIES = VectorWidth.species(COPY.bits());
  private static final VectorSpecies<?> LOADED = VectorWidth.loadable(SPECIES, COPY.kind());
  private static final VectorShuffle<Long> NEIGHBOURS =
      VectorShuffle.fromOp(SPECIES, lane -> lane ^ 1);

  private static final long LOW = 0xFFFFFFFFL;
  private static final long[] SECRET = Xxh3Secret.words(0, STRIPES + 7);
  private static final long[] SCRAMBLE = Xxh3Accumulators.scrambleSecret();

  /** Accumulators start from here: from a constant vector C2 makes slow code. */
  private static final long[] ZEROES = new long[8];

  @Override
  public void digestPair(MemorySegment data, long from, long length, long[] digests, int at) {
    digestInterleaved(data, from, length, digests, at);
  }

  @Override
  void rounds(MemorySegment data, long from, int rounds, long[] acc) {
    for (int lane = 0; lane < 8; lane += SPECIES.length()) {
      lanes(data, from + 8L * lane, rounds, lane, acc);
    }
  }

  @Override
  void roundsOfPair(MemorySegment data, long from, long distance, int rounds, long[] acc) {
    for (int lane = 0; lane < 8; lane += SPECIES.length()) {
      lanesOfPair(data, from + 8L * lane, distance, rounds, lane, acc);
    }
  }

  private static void lanesOfPair(
      MemorySegment data, long from, long distance, int rounds, int lane, long[] acc) {
    LongVector a = LongVector.fromArray(SPECIES, acc, lane);
    LongVector b = LongVector.fromArray(SPECIES, acc, lane + 8);
    LongVector scramble = LongVector.fromArray(SPECIES, SCRAMBLE, lane);
    for (int r = 0; r < rounds; r++) {
      long at = from + (long) ROUND * r;
      MemorySegment first = data.asSlice(at, ROUND - STRIPE + SPECIES.vectorByteSize());
      MemorySegment second = data.asSlice(at + distance, ROUND - STRIPE + SPECIES.vectorByteSize());
      LongVector sumOfFirst = LongVector.fromArray(SPECIES, ZEROES, 0);
      LongVector sumOfSecond = LongVector.fromArray(SPECIES, ZEROES, 0);
      for (int n = 0; n < STRIPES; n++) {
        LongVector secret = LongVector.fromArray(SPECIES, SECRET, n + lane);
        LongVector x = word(first, n);
        LongVector y = word(second, n);
        LongVector k = x.lanewise(XOR, secret);
        LongVector l = y.lanewise(XOR, secret);
        sumOfFirst = sumOfFirst.add(x);
        sumOfSecond = sumOfSecond.add(y);
        a = a.add(k.and(LOW).mul(k.lanewise(LSHR, 32)));
        b = b.add(l.and(LOW).mul(l.lanewise(LSHR, 32)));
      }
      a = scrambled(a.add(sumOfFirst.rearrange(NEIGHBOURS)), scramble);
      b = scrambled(b.add(sumOfSecond.rearrange(NEIGHBOURS)), scramble);
    }
    a.intoArray(acc, lane);
    b.intoArray(acc, lane + 8);
  }

  private static void lanes(MemorySegment data, long from, int rounds, int lane, long[] acc) {
    LongVector a = LongVector.fromArray(SPECIES, acc, lane);
    LongVector scramble = LongVector.fromArray(SPECIES, SCRAMBLE, lane);
    for (int r = 0; r < rounds; r++) {
      MemorySegment round =
          data.asSlice(from + (long) ROUND * r, ROUND - STRIPE + SPECIES.vectorByteSize());
      LongVector sum = LongVector.fromArray(SPECIES, ZEROES, 0);
      for (int n = 0; n < STRIPES; n++) {
        LongVector x = word(round, n);
        LongVector k = x.lanewise(XOR, LongVector.fromArray(SPECIES, SECRET, n + lane));
        sum = sum.add(x);
        a = a.add(k.and(LOW).mul(k.lanewise(LSHR, 32)));
      }
      a = scrambled(a.add(sum.rearrange(NEIGHBOURS)), scramble);
    }
    a.intoArray(acc, lane);
  }

  private static LongVector word(MemorySegment round, int stripe) {
    return LOADED
        .fromMemorySegment(round, (long) stripe * STRIPE, ByteOrder.LITTLE_ENDIAN)
        .reinterpretAsLongs();
  }

  private static LongVector scrambled(LongVector a, LongVector secret) {
    return a.lanewise(XOR, a.lanewise(LSHR, 47)).lanewise(XOR, secret).mul(PRIME32_1);
  }

  @Override
  void stripes(MemorySegment data, long from, int count, long[] secret, long[] acc, int lane) {
    for (int word = 0; word < 8; word += SPECIES.length()) {
      addStripes(data, from + 8L * word, count, secret, word, acc, lane + word);
    }
  }

  private static void addStripes(
      MemorySegment data, long from, int count, long[] secret, int word, long[] acc, int lane) {
    LongVector a = LongVector.fromArray(SPECIES, acc, lane);
    LongVector sum = LongVector.fromArray(SPECIES, ZEROES, 0);
    for (int n = 0; n < count; n++) {
      LongVector x =
          LOADED
              .fromMemorySegment(data, from + (long) n * STRIPE, ByteOrder.LITTLE_ENDIAN)
              .reinterpretAsLongs();
      LongVector k = x.lanewise(XOR, LongVector.fromArray(SPECIES, secret, n + word));
      sum = sum.add(x);
      a = a.add(k.and(LOW).mul(k.lanewise(LSHR, 32)));
    }
    a.add(sum.rearrange(NEIGHBOURS)).intoArray(acc, lane);
  }
}
