// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Fletcher-32 over little-endian 16-bit words, four at a time; see {@link
 * WeakHash#FLETCHER_32_MOD_65535} for the definition.
 */
final class FletcherKernel implements ChecksumKernel {

  /** After so many bytes the sums are reduced; unreduced they stay below 2^63. */
  private static final int BYTES_PER_REDUCTION = 1 << 23;

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final int modulus;

  FletcherKernel(int modulus) {
    this.modulus = modulus;
  }

  @Override
  public long checksum(MemorySegment data, long from, int length) {
    long state = 0;
    for (int done = 0; done < length; ) {
      int size = Math.min(BYTES_PER_REDUCTION, length - done);
      state = add(data, from + done, size, state);
      done += size;
    }
    return state;
  }

  private long add(MemorySegment data, long from, int size, long state) {
    long sum = state & 0xFFFF;
    long sumOfSums = state >>> 16;
    int i = 0;
    for (; i <= size - 8; i += 8) {
      long four = data.get(LONG, from + i);
      long a = four & 0xFFFF;
      long b = four >>> 16 & 0xFFFF;
      long c = four >>> 32 & 0xFFFF;
      long d = four >>> 48;
      sumOfSums += 4 * (sum + a) + 3 * b + 2 * c + d;
      sum += a + b + c + d;
    }
    for (; i < size; i += 2) {
      sum += word(data, from + i, size - i);
      sumOfSums += sum;
    }
    return sumOfSums % modulus << 16 | sum % modulus;
  }

  /** The word at {@code from}, whose upper byte is zero where only one byte is left. */
  private static int word(MemorySegment data, long from, int left) {
    int low = data.get(ValueLayout.JAVA_BYTE, from) & 0xFF;
    return left == 1 ? low : low | (data.get(ValueLayout.JAVA_BYTE, from + 1) & 0xFF) << 8;
  }
}
