// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import java.lang.foreign.MemorySegment;

/** What is done to tiles of words of eight bytes and has twins; ranges have been checked. */
interface LongKernel {

  /** Whether memory like this can be read where it is. */
  boolean reaches(MemorySegment memory);

  /** Groups of eight words become one word in each of eight {@link Rows}. */
  void shuffle(long[] words, int groups, long[] rows);

  /** The same from memory that is {@linkplain #reaches reached}. */
  void shuffle(MemorySegment memory, long offset, int groups, long[] rows);

  /** The inverse of {@link #shuffle(long[], int, long[])}. */
  void unshuffle(long[] rows, int groups, long[] words);

  /**
   * Words from memory that is {@linkplain #reaches reached}, which are floating-point numbers,
   * become integers in the same order; a multiple of eight of them.
   */
  void order(MemorySegment memory, long offset, boolean big, long[] to, int at, int n);

  /** {@code to[toAt + i] = values[at + i] - values[before + i]}; {@code to} is another array. */
  void subtract(long[] values, int at, int before, long[] to, int toAt, int n);

  /**
   * What is left of values when those before them along one axis are taken off, as numbers without
   * a sign; {@code to} is another array.
   */
  void residuals(long[] values, int at, int before, long[] to, int toAt, int n);

  /** The same along two axes: the value at the opposite corner was taken off twice. */
  void residuals(
      long[] values, int at, int left, int above, int corner, long[] to, int toAt, int n);

  /**
   * {@code sums[at + i] = words[wordsAt + i] + sums[before + i]}, one after the other: sums may be
   * among those that are added.
   */
  void add(long[] words, int wordsAt, long[] sums, int at, int before, int n);
}
