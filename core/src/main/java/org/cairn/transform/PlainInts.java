// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import java.lang.foreign.MemorySegment;

/** The plain twin of {@link VectorInts}. */
final class PlainInts implements IntKernel {

  @Override
  public int step() {
    return 8;
  }

  /** Code for one kind of memory would be slow for all when it meets another: arrays it is. */
  @Override
  public boolean reaches(MemorySegment memory) {
    return false;
  }

  @Override
  public void shuffle(MemorySegment memory, long offset, int groups, int[] words, long[] rows) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean reachesRows(MemorySegment memory, int n) {
    return false;
  }

  @Override
  public void unshuffle(MemorySegment memory, long first, long row, int n, int[] words) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int unshuffleToSums(
      MemorySegment memory, long first, long row, int n, int before, int[] words) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int sums(MemorySegment memory, long offset, int n, int before, int[] words) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void order(MemorySegment memory, long offset, boolean big, int[] to, int at, int n) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void shuffle(int[] words, int groups, long[] rows) {
    for (int i = 0; i < groups; i++) {
      Transposition.ofFour(words, 8 * i, rows, i, Rows.ROW_OF_INTS);
    }
  }

  @Override
  public void unshuffle(long[] rows, int groups, int[] words) {
    for (int i = 0; i < groups; i++) {
      Transposition.backToFour(rows, i, Rows.ROW_OF_INTS, words, 8 * i);
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
  public void residuals(int[] values, int at, int before, int[] to, int toAt, int n) {
    residual(values, at, before, to, toAt, n);
  }

  static void residual(int[] values, int at, int before, int[] to, int toAt, int n) {
    for (int i = 0; i < n; i++) {
      to[toAt + i] = zigzag(values[at + i] - values[before + i]);
    }
  }

  @Override
  public void residuals(
      int[] values, int at, int left, int above, int corner, int[] to, int toAt, int n) {
    residual(values, at, left, above, corner, to, toAt, n);
  }

  static void residual(
      int[] values, int at, int left, int above, int corner, int[] to, int toAt, int n) {
    for (int i = 0; i < n; i++) {
      int beside = values[at + i] - values[left + i];
      to[toAt + i] = zigzag(beside - (values[above + i] - values[corner + i]));
    }
  }

  /** Small numbers of either sign become small ones without. */
  static int zigzag(int value) {
    return value << 1 ^ value >> 31;
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

  @Override
  public void addUnordered(
      int[] words, int wordsAt, int[] sums, int at, int before, int[] to, int toAt, int n) {
    sumUnordered(words, wordsAt, sums, at, before, to, toAt, n);
  }

  static void sumUnordered(
      int[] words, int wordsAt, int[] sums, int at, int before, int[] to, int toAt, int n) {
    for (int i = 0; i < n; i++) {
      int sum = words[wordsAt + i] + sums[before + i];
      sums[at + i] = sum;
      to[toAt + i] = sum ^ (~sum >> 31 | Integer.MIN_VALUE);
    }
  }
}
