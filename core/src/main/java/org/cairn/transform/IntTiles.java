// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.cairn.transform.Transform.Prediction;

/**
 * Pieces of elements of four bytes, and predicted ones of one or two, transformed a tile at a time
 * as {@link LongTiles} does it. Smaller values are low in their words, and what is above means
 * nothing while they are added and subtracted.
 */
final class IntTiles {
  static final int TILE = Rows.TILE / Integer.BYTES;

  private static final ValueLayout.OfInt LITTLE =
      JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Rows rows;
  private final SmallWords small = new SmallWords();
  private final int[] words = new int[TILE];
  private final IntPast[] pasts = {new IntPast(), new IntPast(), new IntPast()};
  private int axes;

  IntTiles(Rows rows) {
    this.rows = rows;
  }

  /** Strides that lead out of the piece predict nothing. */
  private void begin(Transform transform, int count) {
    rows.begin(transform.elements().width());
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
    IntKernel kernel = kernels.ints();
    Elements elements = transform.elements();
    boolean predicted = transform.prediction() != Prediction.NONE;
    boolean turned = elements.order() == ByteOrder.BIG_ENDIAN;
    for (int at = 0; at < count; at += TILE) {
      int n = Math.min(TILE, count - at);
      int[] first = axes > 0 ? pasts[0].values() : words;
      int place = axes > 0 ? pasts[0].place(at) : 0;
      load(source, at, n, elements.width(), predicted && turned, first, place);
      if (predicted) {
        predict(transform, first, place, at, n, kernel);
      }
      if (!transform.shuffled()) {
        store(n, elements.width(), false, target, at);
      } else if (elements.width() == Integer.BYTES) {
        kernel.shuffle(words, (n + 7) / 8, rows.words(), rows.row());
        rows.copyTo(target, count, at, n, turned && !predicted);
      } else {
        SmallWords.shuffle(words, (n + 7) / 8, elements.width(), rows.words(), rows.row());
        rows.copyTo(target, count, at, n, false);
      }
    }
  }

  private void load(
      MemorySegment source, int at, int n, int width, boolean turned, int[] to, int place) {
    if (width < Integer.BYTES) {
      small.load(source, at, n, width, turned, to, place);
      return;
    }
    MemorySegment.copy(source, LITTLE, (long) at * Integer.BYTES, to, place, n);
    if (turned) {
      IntWords.turnBytes(to, place, n);
    }
  }

  private void store(int n, int width, boolean turned, MemorySegment target, int at) {
    if (width < Integer.BYTES) {
      small.store(words, n, width, turned, target, at);
      return;
    }
    if (turned) {
      IntWords.turnBytes(words, 0, n);
    }
    MemorySegment.copy(words, 0, target, LITTLE, (long) at * Integer.BYTES, n);
  }

  /** From the first of the pasts, through all of them, to the words. */
  private void predict(
      Transform transform, int[] first, int place, int at, int n, IntKernel kernel) {
    boolean differences = transform.prediction() == Prediction.DIFFERENCE;
    int above = Integer.SIZE - 8 * transform.elements().width();
    if (differences && transform.elements().floating()) {
      moveUp(first, place, n, above);
      IntWords.order(first, place, n);
      moveDown(first, place, n, above);
    }
    for (int axis = 0; axis < axes; axis++) {
      boolean last = axis + 1 == axes;
      int[] to = last ? words : pasts[axis + 1].values();
      int toAt = last ? 0 : pasts[axis + 1].place(at);
      IntPast past = pasts[axis];
      int before = past.before(at);
      int run = past.run(before, n);
      int from = past.place(at);
      takeOff(differences, kernel, past.values(), from, before, to, toAt, run);
      takeOff(differences, kernel, past.values(), from + run, 0, to, toAt + run, n - run);
    }
    if (differences) {
      moveUp(words, 0, n, above);
      IntWords.zigzag(words, n);
      moveDown(words, 0, n, above);
    }
  }

  private static void moveUp(int[] words, int at, int n, int bits) {
    if (bits > 0) {
      IntWords.moveUp(words, at, n, bits);
    }
  }

  private static void moveDown(int[] words, int at, int n, int bits) {
    if (bits > 0) {
      IntWords.moveDown(words, at, n, bits);
    }
  }

  private static void takeOff(
      boolean difference,
      IntKernel kernel,
      int[] values,
      int at,
      int before,
      int[] to,
      int toAt,
      int n) {
    if (difference) {
      kernel.subtract(values, at, before, to, toAt, n);
    } else {
      IntWords.xor(values, at, before, to, toAt, n);
    }
  }

  void inverse(
      Transform transform, MemorySegment source, MemorySegment target, int count, Kernels kernels) {
    begin(transform, count);
    IntKernel kernel = kernels.ints();
    Elements elements = transform.elements();
    boolean predicted = transform.prediction() != Prediction.NONE;
    boolean turned = elements.order() == ByteOrder.BIG_ENDIAN;
    int sum = 0;
    for (int at = 0; at < count; at += TILE) {
      int n = Math.min(TILE, count - at);
      if (!transform.shuffled()) {
        load(source, at, n, elements.width(), false, words, 0);
      } else if (elements.width() == Integer.BYTES) {
        rows.copyFrom(source, count, at, n, turned && !predicted);
        kernel.unshuffle(rows.words(), rows.row(), words, (n + 7) / 8);
      } else {
        rows.copyFrom(source, count, at, n, false);
        SmallWords.unshuffle(rows.words(), rows.row(), words, (n + 7) / 8, elements.width());
      }
      if (predicted) {
        sum = reconstruct(transform, sum, at, n, kernel);
      }
      store(n, elements.width(), predicted && turned, target, at);
    }
  }

  /** From the words, through all the pasts, to the words; the sum along the first axis goes on. */
  private int reconstruct(Transform transform, int sum, int at, int n, IntKernel kernel) {
    boolean differences = transform.prediction() == Prediction.DIFFERENCE;
    if (differences) {
      IntWords.unzigzag(words, n);
    }
    int[] from = words;
    int fromAt = 0;
    int goesOn = sum;
    for (int axis = 0; axis < axes; axis++) {
      IntPast past = pasts[axis];
      if (differences && past.stride() == 1) {
        IntWords.runningSum(words, n, sum);
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
      int above = Integer.SIZE - 8 * transform.elements().width();
      moveUp(words, 0, n, above);
      IntWords.unorder(words, n);
      moveDown(words, 0, n, above);
    }
    return goesOn;
  }

  private static void putBack(
      boolean difference,
      IntKernel kernel,
      int[] from,
      int fromAt,
      int[] values,
      int at,
      int before,
      int n) {
    if (difference) {
      kernel.add(from, fromAt, values, at, before, n);
    } else {
      IntWords.unxor(from, fromAt, values, at, before, n);
    }
  }
}
