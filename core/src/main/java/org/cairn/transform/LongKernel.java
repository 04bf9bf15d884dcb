// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import java.lang.foreign.MemorySegment;

/** What is done to tiles of words of eight bytes and has twins; ranges have been checked. */
interface LongKernel {

  /** As many elements as are done together: a tile that has a multiple of them is faster. */
  int step();

  /** Whether memory like this can be read where it is. */
  boolean reaches(MemorySegment memory);

  /** Groups of eight words become one word in each of eight {@link Rows}; they may be lost. */
  void shuffle(long[] words, int groups, long[] rows);

  /**
   * The same from memory that is {@linkplain #reaches reached}.
   *
   * @param words memory for as many words
   */
  void shuffle(MemorySegment memory, long offset, int groups, long[] words, long[] rows);

  /** The inverse of {@link #shuffle(long[], int, long[])}. */
  void unshuffle(long[] rows, int groups, long[] words);

  /** Whether rows of so many elements can be read where they are, in memory like this. */
  boolean reachesRows(MemorySegment memory, int n);

  /**
   * Elements from rows in memory where they are {@linkplain #reachesRows reached}.
   *
   * @param first where the first row begins
   * @param row how far it is to the next; may be negative
   */
  void unshuffle(MemorySegment memory, long first, long row, int n, long[] words);

  /**
   * The same; then differences without a sign become numbers, and each the sum of those before it,
   * {@code before} and itself.
   *
   * @return the last of them
   */
  long unshuffleToSums(
      MemorySegment memory, long first, long row, int n, long before, long[] words);

  /**
   * Differences without a sign from memory that is {@linkplain #reachesRows reached} become
   * numbers, and each the sum of those before it, {@code before} and itself.
   *
   * @return the last of them
   */
  long sums(MemorySegment memory, long offset, int n, long before, long[] words);

  /**
   * Words from memory that is {@linkplain #reaches reached}, which are floating-point numbers,
   * become integers in the same order; a multiple of {@link #step} of them.
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

  /**
   * The same, and floating-point numbers of the sums, which are integers in the same order; {@code
   * to} may be the words, from the same place on.
   */
  void addUnordered(
      long[] words, int wordsAt, long[] sums, int at, int before, long[] to, int toAt, int n);
}
