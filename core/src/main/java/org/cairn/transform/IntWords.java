// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

/**
 * Passes over words of four bytes, and over values of one and two bytes in the low bits of such.
 * One small loop each, over one array from its index on: that is what the compiler makes vectors
 * of.
 */
final class IntWords {
  private IntWords() {}

  static void turnBytes(int[] words, int at, int n) {
    for (int i = at; i < at + n; i++) {
      words[i] = Integer.reverseBytes(words[i]);
    }
  }

  /** Values of fewer bits move to the upper end of words, where their sign is that of the word. */
  static void moveUp(int[] words, int at, int n, int bits) {
    if (bits == 0) {
      return;
    }
    for (int i = at; i < at + n; i++) {
      words[i] <<= bits;
    }
  }

  /** The inverse of {@link #moveUp}; what was below is gone. */
  static void moveDown(int[] words, int at, int n, int bits) {
    if (bits == 0) {
      return;
    }
    for (int i = at; i < at + n; i++) {
      words[i] >>>= bits;
    }
  }

  /** Bits of floating-point numbers become integers in the same order. */
  static void order(int[] words, int at, int n) {
    for (int i = at; i < at + n; i++) {
      int bits = words[i];
      words[i] = bits ^ ((bits >> 31) | Integer.MIN_VALUE);
    }
  }

  static void unorder(int[] words, int n) {
    for (int i = 0; i < n; i++) {
      int bits = words[i];
      words[i] = bits ^ ((~bits >> 31) | Integer.MIN_VALUE);
    }
  }

  /** Small numbers of either sign become small ones without. */
  static void zigzag(int[] words, int n) {
    for (int i = 0; i < n; i++) {
      int value = words[i];
      words[i] = (value << 1) ^ (value >> 31);
    }
  }

  /** Values of fewer bits are low in their words here. */
  static void unzigzag(int[] words, int n) {
    for (int i = 0; i < n; i++) {
      int value = words[i];
      words[i] = (value >>> 1) ^ -(value & 1);
    }
  }

  /** Every word becomes the sum of those before it, {@code before} and itself. */
  static void runningSum(int[] words, int n, int before) {
    int sum = before;
    for (int i = 0; i < n; i++) {
      sum += words[i];
      words[i] = sum;
    }
  }

  static void xor(int[] values, int at, int before, int[] to, int toAt, int n) {
    for (int i = 0; i < n; i++) {
      to[toAt + i] = values[at + i] ^ values[before + i];
    }
  }

  static void unxor(int[] words, int wordsAt, int[] values, int at, int before, int n) {
    for (int i = 0; i < n; i++) {
      values[at + i] = words[wordsAt + i] ^ values[before + i];
    }
  }
}
