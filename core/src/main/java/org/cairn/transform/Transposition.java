// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

/**
 * Bytes of eight elements, put side by side by their place in the element, by plain arithmetic.
 *
 * <p>Two words exchange parts of themselves: halves, pairs of bytes, bytes. Number the elements by
 * three bits and the bytes of an element by up to three more: each exchange swaps one bit of the
 * number of a word with one bit of the place in it. After three of them words have numbers of
 * bytes, and places are numbers of elements. All exchanges are their own inverse.
 */
final class Transposition {
  private static final long HALF = 0xFFFF_FFFFL;
  private static final long PAIRS = 0xFFFF_0000_FFFFL;
  private static final long BYTES = 0xFF_00FF_00FF_00FFL;

  private Transposition() {}

  /**
   * Elements of eight bytes: byte k of word j becomes byte j of word k. Words lie {@code step}
   * apart; its own inverse, also in place.
   */
  static void ofEight(long[] from, int at, int step, long[] to, int toAt, int toStep) {
    long a = from[at];
    long b = from[at + step];
    long c = from[at + 2 * step];
    long d = from[at + 3 * step];
    long e = from[at + 4 * step];
    long f = from[at + 5 * step];
    long g = from[at + 6 * step];
    long h = from[at + 7 * step];
    ofHalves(
        a & HALF | e << 32,
        b & HALF | f << 32,
        c & HALF | g << 32,
        d & HALF | h << 32,
        to,
        toAt,
        toStep);
    ofHalves(
        a >>> 32 | e & ~HALF,
        b >>> 32 | f & ~HALF,
        c >>> 32 | g & ~HALF,
        d >>> 32 | h & ~HALF,
        to,
        toAt + 4 * toStep,
        toStep);
  }

  /** What is left to do when halves are exchanged. Small methods: larger ones are not inlined. */
  private static void ofHalves(long a, long b, long c, long d, long[] to, int at, int step) {
    long t = (a >>> 16 ^ c) & PAIRS;
    long s = (b >>> 16 ^ d) & PAIRS;
    ofPairs(a ^ t << 16, b ^ s << 16, to, at, step);
    ofPairs(c ^ t, d ^ s, to, at + 2 * step, step);
  }

  private static void ofPairs(long a, long b, long[] to, int at, int step) {
    long t = (a >>> 8 ^ b) & BYTES;
    to[at] = a ^ t << 8;
    to[at + step] = b ^ t;
  }

  /** Eight elements of four bytes become one word of each of four rows. */
  static void ofFour(int[] words, int at, long[] rows, int to, int row) {
    // The exchange of halves is how they are put together.
    ofHalves(
        words[at] & HALF | (long) words[at + 4] << 32,
        words[at + 1] & HALF | (long) words[at + 5] << 32,
        words[at + 2] & HALF | (long) words[at + 6] << 32,
        words[at + 3] & HALF | (long) words[at + 7] << 32,
        rows,
        to,
        row);
  }

  /** The inverse of {@link #ofFour}. */
  static void backToFour(long[] rows, int at, int row, int[] words, int to) {
    long a = rows[at];
    long b = rows[at + row];
    long c = rows[at + 2 * row];
    long d = rows[at + 3 * row];
    long t;
    t = (a >>> 8 ^ b) & BYTES;
    a ^= t << 8;
    b ^= t;
    t = (c >>> 8 ^ d) & BYTES;
    c ^= t << 8;
    d ^= t;
    t = (a >>> 16 ^ c) & PAIRS;
    a ^= t << 16;
    c ^= t;
    t = (b >>> 16 ^ d) & PAIRS;
    b ^= t << 16;
    d ^= t;
    words[to] = (int) a;
    words[to + 1] = (int) b;
    words[to + 2] = (int) c;
    words[to + 3] = (int) d;
    words[to + 4] = (int) (a >>> 32);
    words[to + 5] = (int) (b >>> 32);
    words[to + 6] = (int) (c >>> 32);
    words[to + 7] = (int) (d >>> 32);
  }

  /** Eight elements of two bytes, in two words, become one word of each of two rows. */
  static void ofTwo(long a, long b, long[] rows, int to, int row) {
    long t;
    t = (a >>> 32 ^ b) & HALF;
    a ^= t << 32;
    b ^= t;
    t = (a >>> 16 ^ b) & PAIRS;
    a ^= t << 16;
    b ^= t;
    ofPairs(a, b, rows, to, row);
  }

  /** The inverse of {@link #ofTwo}. */
  static void backToTwo(long a, long b, long[] words, int to) {
    long t;
    t = (a >>> 8 ^ b) & BYTES;
    a ^= t << 8;
    b ^= t;
    t = (a >>> 16 ^ b) & PAIRS;
    a ^= t << 16;
    b ^= t;
    t = (a >>> 32 ^ b) & HALF;
    words[to] = a ^ t << 32;
    words[to + 1] = b ^ t;
  }
}
