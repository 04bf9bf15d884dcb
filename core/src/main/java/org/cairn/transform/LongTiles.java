// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.cairn.transform.Transform.Prediction;

/**
 * Pieces of elements of eight bytes, transformed a tile at a time: each pass finds the tile near
 * the processor. Differences along several axes may be taken in any order, so each needs no more of
 * the past than its own stride: see {@link LongPast}.
 */
final class LongTiles {
  static final int TILE = Rows.TILE / Long.BYTES;

  private static final ValueLayout.OfLong LITTLE =
      JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Rows rows;
  private final long[] words = new long[TILE];
  private final LongPast[] pasts = {new LongPast(), new LongPast(), new LongPast()};
  private int axes;

  LongTiles(Rows rows) {
    this.rows = rows;
  }

  /** Strides that lead out of the piece predict nothing. */
  private void begin(Transform transform, int count) {
    rows.begin(Long.BYTES);
    axes = 0;
    for (int i = 0; i < transform.strides().size(); i++) {
      int stride = transform.strides().get(i);
      if (stride < count) {
        pasts[axes++].begin(stride);
      }
    }
  }

  void forward(
      Transform transform, MemorySegment source, MemorySegment target, int count, Kernels kernels) {
    begin(transform, count);
    LongKernel kernel = kernels.longs();
    boolean predicted = transform.prediction() != Prediction.NONE;
    boolean turned = transform.elements().order() == ByteOrder.BIG_ENDIAN;
    for (int at = 0; at < count; at += TILE) {
      int n = Math.min(TILE, count - at);
      long[] first = axes > 0 ? pasts[0].values() : words;
      int place = axes > 0 ? pasts[0].place(at) : 0;
      MemorySegment.copy(source, LITTLE, (long) at * Long.BYTES, first, place, n);
      if (predicted && turned) {
        LongWords.turnBytes(first, place, n);
      }
      if (predicted) {
        predict(transform, first, place, at, n, kernel);
      }
      if (transform.shuffled()) {
        kernel.shuffle(words, (n + 7) / 8, rows.words(), rows.row());
        rows.copyTo(target, count, at, n, turned && !predicted);
      } else {
        MemorySegment.copy(words, 0, target, LITTLE, (long) at * Long.BYTES, n);
      }
    }
  }

  /** From the first of the pasts, through all of them, to the words. */
  private void predict(
      Transform transform, long[] first, int place, int at, int n, LongKernel kernel) {
    boolean differences = transform.prediction() == Prediction.DIFFERENCE;
    if (differences && transform.elements().floating()) {
      LongWords.order(first, place, n);
    }
    for (int axis = 0; axis < axes; axis++) {
      boolean last = axis + 1 == axes;
      long[] to = last ? words : pasts[axis + 1].values();
      int toAt = last ? 0 : pasts[axis + 1].place(at);
      LongPast past = pasts[axis];
      int before = past.before(at);
      int run = past.run(before, n);
      int from = past.place(at);
      takeOff(differences, kernel, past.values(), from, before, to, toAt, run);
      takeOff(differences, kernel, past.values(), from + run, 0, to, toAt + run, n - run);
    }
    if (differences) {
      LongWords.zigzag(words, n);
    }
  }

  private static void takeOff(
      boolean difference,
      LongKernel kernel,
      long[] values,
      int at,
      int before,
      long[] to,
      int toAt,
      int n) {
    if (difference) {
      kernel.subtract(values, at, before, to, toAt, n);
    } else {
      LongWords.xor(values, at, before, to, toAt, n);
    }
  }

  void inverse(
      Transform transform, MemorySegment source, MemorySegment target, int count, Kernels kernels) {
    begin(transform, count);
    LongKernel kernel = kernels.longs();
    boolean predicted = transform.prediction() != Prediction.NONE;
    boolean turned = transform.elements().order() == ByteOrder.BIG_ENDIAN;
    long sum = 0;
    for (int at = 0; at < count; at += TILE) {
      int n = Math.min(TILE, count - at);
      if (transform.shuffled()) {
        rows.copyFrom(source, count, at, n, turned && !predicted);
        kernel.unshuffle(rows.words(), rows.row(), words, (n + 7) / 8);
      } else {
        MemorySegment.copy(source, LITTLE, (long) at * Long.BYTES, words, 0, n);
      }
      if (predicted) {
        sum = reconstruct(transform, sum, at, n, kernel);
      }
      if (predicted && turned) {
        LongWords.turnBytes(words, 0, n);
      }
      MemorySegment.copy(words, 0, target, LITTLE, (long) at * Long.BYTES, n);
    }
  }

  /** From the words, through all the pasts, to the words; the sum along the first axis goes on. */
  private long reconstruct(Transform transform, long sum, int at, int n, LongKernel kernel) {
    boolean differences = transform.prediction() == Prediction.DIFFERENCE;
    if (differences) {
      LongWords.unzigzag(words, n);
    }
    long[] from = words;
    int fromAt = 0;
    long goesOn = sum;
    for (int axis = 0; axis < axes; axis++) {
      LongPast past = pasts[axis];
      if (differences && past.stride() == 1) {
        LongWords.runningSum(words, n, sum);
        goesOn = words[n - 1];
        continue;
      }
      int before = past.before(at);
      int run = past.run(before, n);
      int place = past.place(at);
      putBack(differences, kernel, from, fromAt, past.values(), place, before, run);
      putBack(differences, kernel, from, fromAt + run, past.values(), place + run, 0, n - run);
      from = past.values();
      fromAt = place;
    }
    if (from != words) {
      System.arraycopy(from, fromAt, words, 0, n);
    }
    if (differences && transform.elements().floating()) {
      LongWords.unorder(words, n);
    }
    return goesOn;
  }

  private static void putBack(
      boolean difference,
      LongKernel kernel,
      long[] from,
      int fromAt,
      long[] values,
      int at,
      int before,
      int n) {
    if (difference) {
      kernel.add(from, fromAt, values, at, before, n);
    } else {
      LongWords.unxor(from, fromAt, values, at, before, n);
    }
  }
}
