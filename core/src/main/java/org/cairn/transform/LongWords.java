// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

/**
 * Passes over words of eight bytes. One small loop each, over one array from its index on: that is
 * what the compiler makes vectors of.
 */
final class LongWords {
  private LongWords() {}

  static void turnBytes(long[] words, int at, int n) {
    for (int i = at; i < at + n; i++) {
      words[i] = Long.reverseBytes(words[i]);
    }
  }

  /** Bits of floating-point numbers become integers in the same order. */
  static void order(long[] words, int at, int n) {
    for (int i = at; i < at + n; i++) {
      long bits = words[i];
      words[i] = bits ^ ((bits >> 63) | Long.MIN_VALUE);
    }
  }

  static void unorder(long[] words, int n) {
    for (int i = 0; i < n; i++) {
      long bits = words[i];
      words[i] = bits ^ ((~bits >> 63) | Long.MIN_VALUE);
    }
  }

  /** Small numbers of either sign become small ones without. */
  static void zigzag(long[] words, int n) {
    for (int i = 0; i < n; i++) {
      long value = words[i];
      words[i] = (value << 1) ^ (value >> 63);
    }
  }

  static void unzigzag(long[] words, int n) {
    for (int i = 0; i < n; i++) {
      long value = words[i];
      words[i] = (value >>> 1) ^ -(value & 1);
    }
  }

  /** Every word becomes the sum of those before it, {@code before} and itself. */
  static void runningSum(long[] words, int n, long before) {
    long sum = before;
    for (int i = 0; i < n; i++) {
      sum += words[i];
      words[i] = sum;
    }
  }

  static void xor(long[] values, int at, int before, long[] to, int toAt, int n) {
    for (int i = 0; i < n; i++) {
      to[toAt + i] = values[at + i] ^ values[before + i];
    }
  }

  static void unxor(long[] words, int wordsAt, long[] values, int at, int before, int n) {
    for (int i = 0; i < n; i++) {
      values[at + i] = words[wordsAt + i] ^ values[before + i];
    }
  }
}
