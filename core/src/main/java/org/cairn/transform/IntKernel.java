// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

/** What is done to tiles of words of four bytes and has twins; ranges have been checked. */
interface IntKernel {

  /** Groups of eight words become one word in each of four rows. */
  void shuffle(int[] words, int groups, long[] rows, int row);

  /** The inverse of {@link #shuffle}. */
  void unshuffle(long[] rows, int row, int[] words, int groups);

  /** {@code to[toAt + i] = values[at + i] - values[before + i]}; {@code to} is another array. */
  void subtract(int[] values, int at, int before, int[] to, int toAt, int n);

  /**
   * {@code sums[at + i] = words[wordsAt + i] + sums[before + i]}, one after the other: sums may be
   * among those that are added.
   */
  void add(int[] words, int wordsAt, int[] sums, int at, int before, int n);
}
