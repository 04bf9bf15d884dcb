// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Values of eight bytes. One small loop each: that is what the compiler makes fast. */
final class LongWords {
  private static final ValueLayout.OfLong LITTLE =
      JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private LongWords() {}

  static void load(MemorySegment source, ByteOrder order, long[] words, int count) {
    MemorySegment.copy(source, JAVA_LONG_UNALIGNED.withOrder(order), 0, words, 0, count);
  }

  static void store(long[] words, int count, MemorySegment target, ByteOrder order) {
    MemorySegment.copy(words, 0, target, JAVA_LONG_UNALIGNED.withOrder(order), 0, count);
  }

  /** Bits of floating-point numbers become integers in the same order. */
  static void ordered(long[] words, int count) {
    for (int i = 0; i < count; i++) {
      long bits = words[i];
      words[i] = bits ^ ((bits >> 63) | Long.MIN_VALUE);
    }
  }

  static void unordered(long[] words, int count) {
    for (int i = 0; i < count; i++) {
      long bits = words[i];
      words[i] = bits ^ ((~bits >> 63) | Long.MIN_VALUE);
    }
  }

  static void subtract(long[] from, long[] to, int count, int stride) {
    int first = Math.min(stride, count);
    System.arraycopy(from, 0, to, 0, first);
    for (int i = first; i < count; i++) {
      to[i] = from[i] - from[i - stride];
    }
  }

  static void add(long[] words, int count, int stride) {
    if (stride == 1) {
      long sum = 0;
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

  static void xor(long[] from, long[] to, int count, int stride) {
    int first = Math.min(stride, count);
    System.arraycopy(from, 0, to, 0, first);
    for (int i = first; i < count; i++) {
      to[i] = from[i] ^ from[i - stride];
    }
  }

  static void unxor(long[] words, int count, int stride) {
    for (int i = stride; i < count; i++) {
      words[i] ^= words[i - stride];
    }
  }

  /** Small numbers of either sign become small ones without. */
  static void zigzag(long[] words, int count) {
    for (int i = 0; i < count; i++) {
      long value = words[i];
      words[i] = (value << 1) ^ (value >> 63);
    }
  }

  static void unzigzag(long[] words, int count) {
    for (int i = 0; i < count; i++) {
      long value = words[i];
      words[i] = (value >>> 1) ^ -(value & 1);
    }
  }

  // ---------------------------------------------------------------- bytes by their place

  /** Changes the words, too. */
  static void shuffle(long[] words, int count, MemorySegment target) {
    int i = 0;
    for (; i <= count - 8; i += 8) {
      Transposition.ofEight(words, i);
      for (int k = 0; k < 8; k++) {
        target.set(LITTLE, (long) k * count + i, words[i + k]);
      }
    }
    for (; i < count; i++) {
      for (int k = 0; k < 8; k++) {
        target.set(JAVA_BYTE, (long) k * count + i, (byte) (words[i] >>> 8 * k));
      }
    }
  }

  static void unshuffle(MemorySegment source, long[] words, int count) {
    int i = 0;
    for (; i <= count - 8; i += 8) {
      for (int k = 0; k < 8; k++) {
        words[i + k] = source.get(LITTLE, (long) k * count + i);
      }
      Transposition.ofEight(words, i);
    }
    for (; i < count; i++) {
      long word = 0;
      for (int k = 0; k < 8; k++) {
        word |= (source.get(JAVA_BYTE, (long) k * count + i) & 0xFFL) << 8 * k;
      }
      words[i] = word;
    }
  }
}
