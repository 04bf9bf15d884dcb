// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Values of one and two bytes, brought to words and back. */
final class SmallWords {
  private static final ValueLayout.OfShort LITTLE =
      JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfShort BIG =
      JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private final byte[] bytes = new byte[IntTiles.TILE];
  private final short[] shorts = new short[IntTiles.TILE];
  private final long[] pair = new long[2];

  void load(MemorySegment source, int at, int n, int width, boolean big, int[] to, int place) {
    if (width == 1) {
      MemorySegment.copy(source, JAVA_BYTE, at, bytes, 0, n);
      for (int i = 0; i < n; i++) {
        to[place + i] = bytes[i] & 0xFF;
      }
    } else {
      MemorySegment.copy(source, big ? BIG : LITTLE, 2L * at, shorts, 0, n);
      for (int i = 0; i < n; i++) {
        to[place + i] = shorts[i] & 0xFFFF;
      }
    }
  }

  void store(int[] words, int n, int width, boolean big, MemorySegment target, int at) {
    if (width == 1) {
      for (int i = 0; i < n; i++) {
        bytes[i] = (byte) words[i];
      }
      MemorySegment.copy(bytes, 0, target, JAVA_BYTE, at, n);
    } else {
      for (int i = 0; i < n; i++) {
        shorts[i] = (short) words[i];
      }
      MemorySegment.copy(shorts, 0, target, big ? BIG : LITTLE, 2L * at, n);
    }
  }

  /** Groups of eight words become one word in each row. */
  static void shuffle(int[] words, int groups, int width, long[] rows, int row) {
    for (int i = 0; i < groups; i++) {
      if (width == 1) {
        rows[i] = fourBytes(words, 8 * i) | fourBytes(words, 8 * i + 4) << 32;
      } else {
        long a = fourShorts(words, 8 * i);
        long b = fourShorts(words, 8 * i + 4);
        Transposition.ofTwo(a, b, rows, i, row);
      }
    }
  }

  private static long fourBytes(int[] words, int at) {
    return words[at] & 0xFFL
        | (words[at + 1] & 0xFFL) << 8
        | (words[at + 2] & 0xFFL) << 16
        | (words[at + 3] & 0xFFL) << 24;
  }

  private static long fourShorts(int[] words, int at) {
    return words[at] & 0xFFFFL
        | (words[at + 1] & 0xFFFFL) << 16
        | (words[at + 2] & 0xFFFFL) << 32
        | (long) words[at + 3] << 48;
  }

  /** The inverse of {@link #shuffle}. */
  void unshuffle(long[] rows, int row, int[] words, int groups, int width) {
    for (int i = 0; i < groups; i++) {
      if (width == 1) {
        unpack(rows[i], 8, words, 8 * i);
      } else {
        Transposition.backToTwo(rows[i], rows[row + i], pair, 0);
        unpack(pair[0], 16, words, 8 * i);
        unpack(pair[1], 16, words, 8 * i + 4);
      }
    }
  }

  private static void unpack(long packed, int bits, int[] words, int at) {
    for (int j = 0; j < Long.SIZE / bits; j++) {
      words[at + j] = (int) (packed >>> bits * j) & (1 << bits) - 1;
    }
  }
}
