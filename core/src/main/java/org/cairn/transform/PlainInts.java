// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

/** The plain twin of {@link VectorInts}. */
final class PlainInts implements IntKernel {

  @Override
  public void shuffle(int[] words, int groups, long[] rows, int row) {
    for (int i = 0; i < groups; i++) {
      Transposition.ofFour(words, 8 * i, rows, i, row);
    }
  }

  @Override
  public void unshuffle(long[] rows, int row, int[] words, int groups) {
    for (int i = 0; i < groups; i++) {
      Transposition.backToFour(rows, i, row, words, 8 * i);
    }
  }

  @Override
  public void subtract(int[] values, int at, int before, int[] to, int toAt, int n) {
    difference(values, at, before, to, toAt, n);
  }

  static void difference(int[] values, int at, int before, int[] to, int toAt, int n) {
    for (int i = 0; i < n; i++) {
      to[toAt + i] = values[at + i] - values[before + i];
    }
  }

  @Override
  public void add(int[] words, int wordsAt, int[] sums, int at, int before, int n) {
    sum(words, wordsAt, sums, at, before, n);
  }

  static void sum(int[] words, int wordsAt, int[] sums, int at, int before, int n) {
    for (int i = 0; i < n; i++) {
      sums[at + i] = words[wordsAt + i] + sums[before + i];
    }
  }
}
