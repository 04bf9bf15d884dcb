// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

/** What is done to tiles of words of eight bytes and has twins; ranges have been checked. */
interface LongKernel {

  /** Groups of eight words become one word in each of eight rows. */
  void shuffle(long[] words, int groups, long[] rows, int row);

  /** The inverse of {@link #shuffle}. */
  void unshuffle(long[] rows, int row, long[] words, int groups);

  /** {@code to[toAt + i] = values[at + i] - values[before + i]}; {@code to} is another array. */
  void subtract(long[] values, int at, int before, long[] to, int toAt, int n);

  /**
   * {@code sums[at + i] = words[wordsAt + i] + sums[before + i]}, one after the other: sums may be
   * among those that are added.
   */
  void add(long[] words, int wordsAt, long[] sums, int at, int before, int n);
}
