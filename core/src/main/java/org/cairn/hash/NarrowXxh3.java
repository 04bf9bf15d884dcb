// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.XOR;
import static org.cairn.hash.Xxh3Secret.PRIME32_1;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.nio.ByteOrder;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * XXH3-128 of long input where vectors have 128 bits and cannot multiply 64-bit lanes: ARM without
 * SVE. Products are made by the scalar units, and the vector units take work off them.
 *
 * <p>On these cores a 64-bit multiplication occupies its unit for three cycles, a signed 32-bit one
 * with a 64-bit result for one. C2 uses the second for {@code (long) int * (long) int}, but has no
 * unsigned form, so two of four lanes go a detour. Let {@code a} and {@code b} be the unsigned
 * halves of a keyed word, and {@code a'} and {@code b'} the same bits with the uppermost flipped,
 * read as signed numbers: {@code a' = a - 2^31}. Then
 *
 * <pre>
 *   a * b = (a' + 2^31) * (b' + 2^31) = a' * b' + 2^31 * (a + b) - 2^62
 * </pre>
 *
 * The flip costs nothing when it is part of the secret. The sum of all {@code a + b} of a round
 * comes from two vector sums: of the keyed words, {@code s}, and of their upper halves, {@code t};
 * since each word is {@code a + 2^32 * b}, it is {@code s - 2^32 * t + t}. The 2^62 add up to a
 * multiple of 2^64 in sixteen stripes. The other two lanes use the 64-bit multiplication; all units
 * are then busy about equally.
 *
 * <p>A round is read through a slice of constant size: one check covers it, and the checks of its
 * words vanish. That needs {@code asSlice} to be inlined, see {@link #introduceSlices}.
 */
final class NarrowXxh3 extends LongXxh3 {

  private static final Specialization COPY =
      Specialization.of(MethodHandles.lookup(), new Specialization(MemoryKind.HIDDEN, 128));

  private static final VectorSpecies<Long> SPECIES = LongVector.SPECIES_128;
  private static final VectorSpecies<?> LOADED = VectorWidth.loadable(SPECIES, COPY.kind());
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final long LOW = 0xFFFFFFFFL;
  private static final long FLIP = 0x8000000080000000L;
  private static final long[] LOW_SECRET = Xxh3Secret.words(0, STRIPES + 3);
  private static final long[] HIGH_SECRET = Xxh3Secret.words(32, STRIPES + 3);
  private static final long[] LOW_FLIPPED = flipped(LOW_SECRET);
  private static final long[] HIGH_FLIPPED = flipped(HIGH_SECRET);
  private static final long[] SCRAMBLE = Xxh3Secret.scramble();

  /** Accumulators start from here: from a constant vector C2 makes slow code. */
  private static final long[] ZEROES = new long[2];

  /** Keeps C2 from dropping the slices that are made for nothing. */
  private static volatile long introduced;

  private final LongXxh3 plain;

  /** {@code plain} does the last, incomplete round; it sees the same kind of memory as this. */
  NarrowXxh3(LongXxh3 plain) {
    this.plain = plain;
  }

  /**
   * Shows C2 that there are slices of several kinds of memory, before it compiles a kernel.
   *
   * <p>The implementation of {@code asSlice} is shared by all kinds. If it has met one kind only
   * when it is first compiled, its profile says that other kinds never occur, and kernels for these
   * are compiled with a call for each round: half the speed, for the rest of the run. A few hundred
   * slices of each kind (two milliseconds) prevent that.
   */
  static void introduceSlices() {
    MemorySegment[] kinds = {
      MemorySegment.NULL,
      MemorySegment.ofArray(new byte[0]),
      MemorySegment.ofArray(new int[0]),
      MemorySegment.ofArray(new long[0]),
      MemorySegment.ofArray(new float[0]),
      MemorySegment.ofArray(new double[0])
    };
    long size = 0;
    for (int i = 0; i < 500; i++) {
      for (MemorySegment kind : kinds) {
        size += kind.asSlice(0, 0).byteSize();
      }
    }
    introduced = size;
  }

  private static long[] flipped(long[] secret) {
    long[] flipped = secret.clone();
    for (int i = 0; i < flipped.length; i++) {
      flipped[i] ^= FLIP;
    }
    return flipped;
  }

  @Override
  void absorb(MemorySegment data, long from, int stripes, long[] acc) {
    int rounds = stripes / STRIPES;
    fourLanes(data, from, rounds, 0, LOW_SECRET, LOW_FLIPPED, acc);
    fourLanes(data, from + 32, rounds, 4, HIGH_SECRET, HIGH_FLIPPED, acc);
    if (stripes % STRIPES > 0) {
      plain.absorb(data, from + (long) rounds * ROUND, stripes % STRIPES, acc);
    }
  }

  @Override
  void absorbLast(MemorySegment data, long from, long[] acc, int lane) {
    plain.absorbLast(data, from, acc, lane);
  }

  /** Lanes 0 and 1 by the detour, 2 and 3 by 64-bit products; two stripes per turn. */
  private static void fourLanes(
      MemorySegment data,
      long from,
      int rounds,
      int lane,
      long[] secret,
      long[] flipped,
      long[] acc) {
    long a = acc[lane];
    long b = acc[lane + 1];
    long c = acc[lane + 2];
    long d = acc[lane + 3];
    for (int r = 0; r < rounds; r++) {
      MemorySegment round = data.asSlice(from + (long) ROUND * r, ROUND - 32);
      LongVector words = LongVector.fromArray(SPECIES, ZEROES, 0);
      LongVector keys = LongVector.fromArray(SPECIES, ZEROES, 0);
      LongVector upperHalves = LongVector.fromArray(SPECIES, ZEROES, 0);
      for (int n = 0; n < STRIPES; n += 2) {
        int p = n * STRIPE;
        long k = round.get(LONG, p) ^ flipped[n];
        a += (long) (int) k * (long) (int) (k >>> 32);
        k = round.get(LONG, p + 8) ^ flipped[n + 1];
        b += (long) (int) k * (long) (int) (k >>> 32);
        LongVector v =
            LOADED.fromMemorySegment(round, p, ByteOrder.LITTLE_ENDIAN).reinterpretAsLongs();
        words = words.add(v);
        v = v.lanewise(XOR, LongVector.fromArray(SPECIES, secret, n));
        keys = keys.add(v);
        upperHalves = upperHalves.add(v.lanewise(LSHR, 32));
        long e = round.get(LONG, p + 16);
        long f = round.get(LONG, p + 24);
        k = e ^ secret[n + 2];
        c += f;
        c += (k & LOW) * (k >>> 32);
        k = f ^ secret[n + 3];
        d += e;
        d += (k & LOW) * (k >>> 32);

        k = round.get(LONG, p + 64) ^ flipped[n + 1];
        a += (long) (int) k * (long) (int) (k >>> 32);
        k = round.get(LONG, p + 72) ^ flipped[n + 2];
        b += (long) (int) k * (long) (int) (k >>> 32);
        v = LOADED.fromMemorySegment(round, p + 64, ByteOrder.LITTLE_ENDIAN).reinterpretAsLongs();
        words = words.add(v);
        v = v.lanewise(XOR, LongVector.fromArray(SPECIES, secret, n + 1));
        keys = keys.add(v);
        upperHalves = upperHalves.add(v.lanewise(LSHR, 32));
        e = round.get(LONG, p + 80);
        f = round.get(LONG, p + 88);
        k = e ^ secret[n + 3];
        c += f;
        c += (k & LOW) * (k >>> 32);
        k = f ^ secret[n + 4];
        d += e;
        d += (k & LOW) * (k >>> 32);
      }
      LongVector halves = keys.sub(upperHalves.lanewise(LSHL, 32)).add(upperHalves);
      halves = halves.lanewise(LSHL, 31);
      a += halves.lane(0) + words.lane(1);
      b += halves.lane(1) + words.lane(0);
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
}
