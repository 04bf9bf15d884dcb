// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A reflected CRC of 32 bits by tables, eight bytes at a time ("slicing by 8": Kounavis and Berry,
 * <i>Novel Table Lookup-Based Algorithms for High-Performance CRC Generation</i>, 2008).
 */
final class CrcKernel implements ChecksumKernel {

  /** The reflected polynomials. */
  static final int CRC32 = 0xEDB88320;

  static final int CRC32C = 0x82F63B78;

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** Entry {@code 256 * k + b} is what byte {@code b} becomes after {@code k} more zero bytes. */
  private final int[] table = new int[8 * 256];

  CrcKernel(int polynomial) {
    for (int b = 0; b < 256; b++) {
      table[b] = divided(b, polynomial);
    }
    for (int i = 256; i < table.length; i++) {
      table[i] = next(table[i - 256], 0);
    }
  }

  private static int divided(int remainder, int polynomial) {
    int r = remainder;
    for (int bit = 0; bit < 8; bit++) {
      r = (r >>> 1) ^ ((r & 1) == 0 ? 0 : polynomial);
    }
    return r;
  }

  private int next(int crc, int value) {
    return (crc >>> 8) ^ table[(crc ^ value) & 0xFF];
  }

  @Override
  public long checksum(MemorySegment data, long from, int length) {
    int crc = words(data, from, length >>> 3, -1);
    for (int i = length & -8; i < length; i++) {
      crc = next(crc, data.get(ValueLayout.JAVA_BYTE, from + i));
    }
    return Integer.toUnsignedLong(~crc);
  }

  private int words(MemorySegment data, long from, int count, int start) {
    int[] t = table;
    int crc = start;
    for (int i = 0; i < count; i++) {
      long word = data.get(LONG, from + 8L * i) ^ Integer.toUnsignedLong(crc);
      int low = (int) word;
      int high = (int) (word >>> 32);
      crc =
          t[7 * 256 + (low & 0xFF)]
              ^ t[6 * 256 + (low >>> 8 & 0xFF)]
              ^ t[5 * 256 + (low >>> 16 & 0xFF)]
              ^ t[4 * 256 + (low >>> 24)]
              ^ t[3 * 256 + (high & 0xFF)]
              ^ t[2 * 256 + (high >>> 8 & 0xFF)]
              ^ t[256 + (high >>> 16 & 0xFF)]
              ^ t[high >>> 24];
    }
    return crc;
  }
}
