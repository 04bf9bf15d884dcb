// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.S2B;
import static jdk.incubator.vector.VectorOperators.ZERO_EXTEND_B2S;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** Elements of two bytes in vectors: the twin of the loops of {@link PairTiles}. */
final class VectorPairs {
  private static final VectorSpecies<Short> SHORTS = ShortVector.SPECIES_PREFERRED;
  private static final int LANES = SHORTS.length();

  /** There are no vectors of 32 bits, nor larger ones that end where a tile does. */
  private static final boolean PRESENT = LANES == 8 || LANES == 16 || LANES == 32;

  /** Half as long. */
  private static final VectorSpecies<Byte> BYTES =
      PRESENT
          ? VectorSpecies.of(byte.class, VectorShape.forBitSize(LANES * Byte.SIZE))
          : ByteVector.SPECIES_64;

  private static final ByteOrder LITTLE = ByteOrder.LITTLE_ENDIAN;

  /** As {@link LongKernel#reaches}. */
  boolean reaches(MemorySegment memory) {
    return PRESENT && memory.isNative() && !memory.isMapped();
  }

  /**
   * The lower bytes of elements, and their upper ones.
   *
   * @param n a multiple of the lanes of any vector
   */
  void shuffle(MemorySegment memory, long offset, int n, byte[] low, byte[] high) {
    MemorySegment elements = memory.asSlice(offset, 2L * n);
    for (int i = 0; i < n; i += LANES) {
      ShortVector both = ShortVector.fromMemorySegment(SHORTS, elements, 2L * i, LITTLE);
      ((ByteVector) both.convertShape(S2B, BYTES, 0)).intoArray(low, i);
      ((ByteVector) both.lanewise(LSHR, 8).convertShape(S2B, BYTES, 0)).intoArray(high, i);
    }
  }

  /** The inverse of {@link #shuffle}, of bytes at two places. */
  void unshuffle(MemorySegment memory, long lowAt, long highAt, int n, short[] elements) {
    MemorySegment low = memory.asSlice(lowAt, n);
    MemorySegment high = memory.asSlice(highAt, n);
    for (int i = 0; i < n; i += LANES) {
      ShortVector a =
          (ShortVector)
              ByteVector.fromMemorySegment(BYTES, low, i, LITTLE)
                  .convertShape(ZERO_EXTEND_B2S, SHORTS, 0);
      ShortVector b =
          (ShortVector)
              ByteVector.fromMemorySegment(BYTES, high, i, LITTLE)
                  .convertShape(ZERO_EXTEND_B2S, SHORTS, 0);
      a.or(b.lanewise(LSHL, 8)).intoArray(elements, i);
    }
  }
}
