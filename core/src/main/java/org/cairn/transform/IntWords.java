// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Values of one, two and four bytes; the smaller ones in the low bits of an int. */
final class IntWords {
  private static final ValueLayout.OfLong LITTLE =
      JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private IntWords() {}

  static void load(MemorySegment source, Elements elements, int[] words, int count) {
    switch (elements.width()) {
      case 1 -> loadBytes(source, words, count);
      case 2 -> loadShorts(source, JAVA_SHORT_UNALIGNED.withOrder(elements.order()), words, count);
      default ->
          MemorySegment.copy(
              source, JAVA_INT_UNALIGNED.withOrder(elements.order()), 0, words, 0, count);
    }
  }

  private static void loadBytes(MemorySegment source, int[] words, int count) {
    for (int i = 0; i < count; i++) {
      words[i] = source.get(JAVA_BYTE, i) & 0xFF;
    }
  }

  private static void loadShorts(
      MemorySegment source, ValueLayout.OfShort layout, int[] words, int count) {
    for (int i = 0; i < count; i++) {
      words[i] = source.get(layout, 2L * i) & 0xFFFF;
    }
  }

  static void store(int[] words, int count, MemorySegment target, int width, ByteOrder order) {
    switch (width) {
      case 1 -> storeBytes(words, count, target);
      case 2 -> storeShorts(words, count, target, JAVA_SHORT_UNALIGNED.withOrder(order));
      default ->
          MemorySegment.copy(words, 0, target, JAVA_INT_UNALIGNED.withOrder(order), 0, count);
    }
  }

  private static void storeBytes(int[] words, int count, MemorySegment target) {
    for (int i = 0; i < count; i++) {
      target.set(JAVA_BYTE, i, (byte) words[i]);
    }
  }

  private static void storeShorts(
      int[] words, int count, MemorySegment target, ValueLayout.OfShort layout) {
    for (int i = 0; i < count; i++) {
      target.set(layout, 2L * i, (short) words[i]);
    }
  }

  /** Bits of floating-point numbers become integers in the same order. */
  static void ordered(int[] words, int count, int width) {
    int above = 32 - 8 * width;
    for (int i = 0; i < count; i++) {
      int bits = words[i] << above;
      words[i] = (bits ^ ((bits >> 31) | Integer.MIN_VALUE)) >>> above;
    }
  }

  static void unordered(int[] words, int count, int width) {
    int above = 32 - 8 * width;
    for (int i = 0; i < count; i++) {
      int bits = words[i] << above;
      words[i] = (bits ^ ((~bits >> 31) | Integer.MIN_VALUE)) >>> above;
    }
  }

  static void subtract(int[] from, int[] to, int count, int stride) {
    int first = Math.min(stride, count);
    System.arraycopy(from, 0, to, 0, first);
    for (int i = first; i < count; i++) {
      to[i] = from[i] - from[i - stride];
    }
  }

  static void add(int[] words, int count, int stride) {
    if (stride == 1) {
      int sum = 0;
      for (int i = 0; i < count; i++) {
        sum += words[i];
        words[i] = sum;
      }
      return;
    }
    for (int i = stride; i < count; i++) {
      words[i] += words[i - stride];
    }
  }

  static void xor(int[] from, int[] to, int count, int stride) {
    int first = Math.min(stride, count);
    System.arraycopy(from, 0, to, 0, first);
    for (int i = first; i < count; i++) {
      to[i] = from[i] ^ from[i - stride];
    }
  }

  static void unxor(int[] words, int count, int stride) {
    for (int i = stride; i < count; i++) {
      words[i] ^= words[i - stride];
    }
  }

  /** Small numbers of either sign become small ones without. */
  static void zigzag(int[] words, int count, int width) {
    int above = 32 - 8 * width;
    for (int i = 0; i < count; i++) {
      int value = words[i] << above >> above;
      words[i] = (value << 1) ^ (value >> 31);
    }
  }

  static void unzigzag(int[] words, int count, int width) {
    int mask = -1 >>> 32 - 8 * width;
    for (int i = 0; i < count; i++) {
      int value = words[i] & mask;
      words[i] = (value >>> 1) ^ -(value & 1);
    }
  }

  // ---------------------------------------------------------------- bytes by their place

  static void shuffle(int[] words, int count, int width, MemorySegment target, long[] square) {
    int i = 0;
    if (width == 4) {
      for (; i <= count - 16; i += 16) {
        shuffleSixteen(words, i, count, target, square);
      }
    }
    for (; i < count; i++) {
      for (int k = 0; k < width; k++) {
        target.set(JAVA_BYTE, (long) k * count + i, (byte) (words[i] >>> 8 * k));
      }
    }
  }

  /** With the last eight above the first eight, what was side by side is so again. */
  private static void shuffleSixteen(
      int[] words, int at, int count, MemorySegment target, long[] square) {
    for (int j = 0; j < 8; j++) {
      square[j] = words[at + j] & 0xFFFF_FFFFL | (long) words[at + 8 + j] << 32;
    }
    Transposition.ofEight(square, 0);
    for (int k = 0; k < 4; k++) {
      target.set(LITTLE, (long) k * count + at, square[k]);
      target.set(LITTLE, (long) k * count + at + 8, square[4 + k]);
    }
  }

  static void unshuffle(MemorySegment source, int[] words, int count, int width, long[] square) {
    int i = 0;
    if (width == 4) {
      for (; i <= count - 16; i += 16) {
        unshuffleSixteen(source, words, i, count, square);
      }
    }
    for (; i < count; i++) {
      int word = 0;
      for (int k = 0; k < width; k++) {
        word |= (source.get(JAVA_BYTE, (long) k * count + i) & 0xFF) << 8 * k;
      }
      words[i] = word;
    }
  }

  private static void unshuffleSixteen(
      MemorySegment source, int[] words, int at, int count, long[] square) {
    for (int k = 0; k < 4; k++) {
      square[k] = source.get(LITTLE, (long) k * count + at);
      square[4 + k] = source.get(LITTLE, (long) k * count + at + 8);
    }
    Transposition.ofEight(square, 0);
    for (int j = 0; j < 8; j++) {
      words[at + j] = (int) square[j];
      words[at + 8 + j] = (int) (square[j] >>> 32);
    }
  }
}
