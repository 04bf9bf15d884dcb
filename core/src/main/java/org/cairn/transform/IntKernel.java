// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import java.lang.foreign.MemorySegment;

/** What is done to tiles of words of four bytes and has twins; ranges have been checked. */
interface IntKernel {

  /** As many elements as are done together: a tile that has a multiple of them is faster. */
  int step();

  /** Whether memory like this can be read where it is. */
  boolean reaches(MemorySegment memory);

  /** Groups of eight words become one word in each of four {@link Rows}; they may be lost. */
  void shuffle(int[] words, int groups, long[] rows);

  /**
   * The same from memory that is {@linkplain #reaches reached}.
   *
   * @param words memory for as many words
   */
  void shuffle(MemorySegment memory, long offset, int groups, int[] words, long[] rows);

  /** The inverse of {@link #shuffle(int[], int, long[])}. */
  void unshuffle(long[] rows, int groups, int[] words);

  /** Whether rows of so many elements can be read where they are, in memory like this. */
  boolean reachesRows(MemorySegment memory, int n);

  /**
   * Elements from rows in memory where they are {@linkplain #reachesRows reached}.
   *
   * @param first where the first row begins
   * @param row how far it is to the next; may be negative
   */
  void unshuffle(MemorySegment memory, long first, long row, int n, int[] words);

  /**
   * The same; then differences without a sign become numbers, and each the sum of those before it,
   * {@code before} and itself.
   *
   * @return the last of them
   */
  int unshuffleToSums(MemorySegment memory, long first, long row, int n, int before, int[] words);

  /**
   * Differences without a sign from memory that is {@linkplain #reachesRows reached} become
   * numbers, and each the sum of those before it, {@code before} and itself.
   *
   * @return the last of them
   */
  int sums(MemorySegment memory, long offset, int n, int before, int[] words);

  /**
   * Words from memory that is {@linkplain #reaches reached}, which are floating-point numbers,
   * become integers in the same order; a multiple of {@link #step} of them.
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

  /**
   * The same, and floating-point numbers of the sums, which are integers in the same order; {@code
   * to} may be the words, from the same place on.
   */
  void addUnordered(
      int[] words, int wordsAt, int[] sums, int at, int before, int[] to, int toAt, int n);
}
