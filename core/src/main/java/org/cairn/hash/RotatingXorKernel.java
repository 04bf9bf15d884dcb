// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Rotating XOR over 64-bit words; see {@link WeakHash#ROTATING_XOR} for the definition. */
final class RotatingXorKernel implements ChecksumKernel {

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  @Override
  public long checksum(MemorySegment data, long from, int length) {
    long hash = 0;
    int i = 0;
    for (; i <= length - 8; i += 8) {
      hash = Long.rotateLeft(hash, 1) ^ data.get(LONG, from + i);
    }
    return i == length ? hash : Long.rotateLeft(hash, 1) ^ lastWord(data, from + i, length - i);
  }

  private static long lastWord(MemorySegment data, long from, int left) {
    long word = 0;
    for (int i = 0; i < left; i++) {
      word |= (data.get(ValueLayout.JAVA_BYTE, from + i) & 0xFFL) << (8 * i);
    }
    return word;
  }
}
