// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Adler-32 of RFC 1950, eight bytes at a time. */
final class AdlerKernel implements ChecksumKernel {

  private static final int MODULUS = 65521;

  /** After so many bytes the sums are reduced; unreduced they stay far below 2^63. */
  private static final int BYTES_PER_REDUCTION = 1 << 24;

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  @Override
  public long checksum(MemorySegment data, long from, int length) {
    long state = 1;
    for (int done = 0; done < length; ) {
      int size = Math.min(BYTES_PER_REDUCTION, length - done);
      state = add(data, from + done, size, state);
      done += size;
    }
    return state;
  }

  private static long add(MemorySegment data, long from, int size, long state) {
    long sum = state & 0xFFFF;
    long sumOfSums = state >>> 16;
    int i = 0;
    for (; i <= size - 8; i += 8) {
      long word = data.get(LONG, from + i);
      // Each byte enters the second sum as often as there are bytes from it to the end.
      sumOfSums += 8 * sum + weighted(word);
      sum += byteSum(word);
    }
    for (; i < size; i++) {
      sum += data.get(ValueLayout.JAVA_BYTE, from + i) & 0xFF;
      sumOfSums += sum;
    }
    return sumOfSums % MODULUS << 16 | sum % MODULUS;
  }

  /** The sum of the eight bytes: four sums of pairs, added up by a multiplication. */
  private static long byteSum(long word) {
    long pairs = (word & 0x00FF00FF00FF00FFL) + (word >>> 8 & 0x00FF00FF00FF00FFL);
    return pairs * 0x0001000100010001L >>> 48;
  }

  /** {@code 8 * b0 + 7 * b1 + ... + b7}, with the even and the odd bytes apart. */
  private static long weighted(long word) {
    long even = word & 0x00FF00FF00FF00FFL;
    long odd = word >>> 8 & 0x00FF00FF00FF00FFL;
    return (even * 0x0008000600040002L >>> 48) + (odd * 0x0007000500030001L >>> 48);
  }
}
