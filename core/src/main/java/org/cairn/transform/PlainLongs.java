// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

/** The plain twin of {@link VectorLongs}. */
final class PlainLongs implements LongKernel {

  @Override
  public void shuffle(long[] words, int groups, long[] rows, int row) {
    for (int i = 0; i < groups; i++) {
      Transposition.ofEight(words, 8 * i, 1, rows, i, row);
    }
  }

  @Override
  public void unshuffle(long[] rows, int row, long[] words, int groups) {
    for (int i = 0; i < groups; i++) {
      Transposition.ofEight(rows, i, row, words, 8 * i, 1);
    }
  }

  @Override
  public void subtract(long[] values, int at, int before, long[] to, int toAt, int n) {
    difference(values, at, before, to, toAt, n);
  }

  static void difference(long[] values, int at, int before, long[] to, int toAt, int n) {
    for (int i = 0; i < n; i++) {
      to[toAt + i] = values[at + i] - values[before + i];
    }
  }

  @Override
  public void add(long[] words, int wordsAt, long[] sums, int at, int before, int n) {
    sum(words, wordsAt, sums, at, before, n);
  }

  static void sum(long[] words, int wordsAt, long[] sums, int at, int before, int n) {
    for (int i = 0; i < n; i++) {
      sums[at + i] = words[wordsAt + i] + sums[before + i];
    }
  }
}
