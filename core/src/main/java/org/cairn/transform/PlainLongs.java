// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import java.lang.foreign.MemorySegment;

/** The plain twin of {@link VectorLongs}. */
final class PlainLongs implements LongKernel {

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
  public void shuffle(MemorySegment memory, long offset, int groups, long[] words, long[] rows) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean reachesRows(MemorySegment memory, int n) {
    return false;
  }

  @Override
  public void unshuffle(MemorySegment memory, long first, long row, int n, long[] words) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long unshuffleToSums(
      MemorySegment memory, long first, long row, int n, long before, long[] words) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long sums(MemorySegment memory, long offset, int n, long before, long[] words) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void order(MemorySegment memory, long offset, boolean big, long[] to, int at, int n) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void shuffle(long[] words, int groups, long[] rows) {
    for (int i = 0; i < groups; i++) {
      Transposition.ofEight(words, 8 * i, 1, rows, i, Rows.ROW_OF_LONGS);
    }
  }

  @Override
  public void unshuffle(long[] rows, int groups, long[] words) {
    for (int i = 0; i < groups; i++) {
      Transposition.ofEight(rows, i, Rows.ROW_OF_LONGS, words, 8 * i, 1);
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
  public void residuals(long[] values, int at, int before, long[] to, int toAt, int n) {
    residual(values, at, before, to, toAt, n);
  }

  static void residual(long[] values, int at, int before, long[] to, int toAt, int n) {
    for (int i = 0; i < n; i++) {
      to[toAt + i] = zigzag(values[at + i] - values[before + i]);
    }
  }

  @Override
  public void residuals(
      long[] values, int at, int left, int above, int corner, long[] to, int toAt, int n) {
    residual(values, at, left, above, corner, to, toAt, n);
  }

  static void residual(
      long[] values, int at, int left, int above, int corner, long[] to, int toAt, int n) {
    for (int i = 0; i < n; i++) {
      long beside = values[at + i] - values[left + i];
      to[toAt + i] = zigzag(beside - (values[above + i] - values[corner + i]));
    }
  }

  /** Small numbers of either sign become small ones without. */
  static long zigzag(long value) {
    return value << 1 ^ value >> 63;
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

  @Override
  public void addUnordered(
      long[] words, int wordsAt, long[] sums, int at, int before, long[] to, int toAt, int n) {
    sumUnordered(words, wordsAt, sums, at, before, to, toAt, n);
  }

  static void sumUnordered(
      long[] words, int wordsAt, long[] sums, int at, int before, long[] to, int toAt, int n) {
    for (int i = 0; i < n; i++) {
      long sum = words[wordsAt + i] + sums[before + i];
      sums[at + i] = sum;
      to[toAt + i] = sum ^ (~sum >> 63 | Long.MIN_VALUE);
    }
  }
}
