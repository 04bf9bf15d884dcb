// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import java.lang.foreign.MemorySegment;

/** What is done to tiles of words of four bytes and has twins; ranges have been checked. */
interface IntKernel {

  /** Whether memory like this can be read where it is. */
  boolean reaches(MemorySegment memory);

  /** Groups of eight words become one word in each of four {@link Rows}. */
  void shuffle(int[] words, int groups, long[] rows);

  /** The same from memory that is {@linkplain #reaches reached}. */
  void shuffle(MemorySegment memory, long offset, int groups, long[] rows);

  /** The inverse of {@link #shuffle(int[], int, long[])}. */
  void unshuffle(long[] rows, int groups, int[] words);

  /**
   * Words from memory that is {@linkplain #reaches reached}, which are floating-point numbers,
   * become integers in the same order; a multiple of eight of them.
   */
  void order(MemorySegment memory, long offset, boolean big, int[] to, int at, int n);

  /** {@code to[toAt + i] = values[at + i] - values[before + i]}; {@code to} is another array. */
  void subtract(int[] values, int at, int before, int[] to, int toAt, int n);

  /**
   * What is left of values when those before them along one axis are taken off, as numbers without
   * a sign; {@code to} is another array.
   */
  void residuals(int[] values, int at, int before, int[] to, int toAt, int n);

  /** The same along two axes: the value at the opposite corner was taken off twice. */
  void residuals(int[] values, int at, int left, int above, int corner, int[] to, int toAt, int n);

  /**
   * {@code sums[at + i] = words[wordsAt + i] + sums[before + i]}, one after the other: sums may be
   * among those that are added.
   */
  void add(int[] words, int wordsAt, int[] sums, int at, int before, int n);
}
