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
  private final int[] strides = new int[Transform.MAX_AXES];
  private int axes;
  private long sum;

  LongTiles(Rows rows) {
    this.rows = rows;
  }

  /** Strides that lead out of the piece predict nothing. */
  private void begin(Transform transform, int count) {
    rows.begin(Long.BYTES);
    sum = 0;
    axes = 0;
    for (int i = 0; i < transform.strides().size(); i++) {
      int stride = transform.strides().get(i);
      if (stride < count) {
        strides[axes++] = stride;
      }
    }
  }

  /** How many elements come next: if some are left over, those that are not. */
  private static int tile(int left, LongKernel kernel) {
    int most = Math.min(TILE, left);
    return most < kernel.step() ? most : most / kernel.step() * kernel.step();
  }

  // ---------------------------------------------------------------- forward

  void forward(
      Transform transform, MemorySegment source, MemorySegment target, int count, Kernels kernels) {
    begin(transform, count);
    beginPasts();
    LongKernel kernel = kernels.longs();
    boolean predicted = transform.prediction() != Prediction.NONE;
    boolean turned = transform.elements().order() == ByteOrder.BIG_ENDIAN;
    boolean reached = kernel.reaches(source);
    int n;
    for (int at = 0; at < count; at += n) {
      n = tile(count - at, kernel);
      long offset = (long) at * Long.BYTES;
      boolean direct = reached && n % kernel.step() == 0;
      if (predicted) {
        load(transform, source, at, n, direct, kernel);
        predict(transform.prediction() == Prediction.DIFFERENCE, at, n, kernel);
      } else if (!direct) {
        MemorySegment.copy(source, LITTLE, offset, words, 0, n);
      }
      if (!transform.shuffled()) {
        MemorySegment.copy(words, 0, target, LITTLE, offset, n);
        continue;
      }
      if (predicted || !direct) {
        kernel.shuffle(words, (n + 7) / 8, rows.words());
      } else {
        kernel.shuffle(source, offset, n / 8, words, rows.words());
      }
      rows.copyTo(target, count, at, n, turned && !predicted);
    }
  }

  /** One past for the two nearest axes, one for the third. */
  private void beginPasts() {
    if (axes > 0) {
      pasts[0].begin(axes == 1 ? strides[0] : strides[0] + strides[1]);
    }
    if (axes == 3) {
      pasts[1].begin(strides[2]);
    }
  }

  /** To where {@link #predict} begins. */
  private void load(
      Transform transform, MemorySegment source, int at, int n, boolean direct, LongKernel kernel) {
    LongPast past = pasts[axes == 3 ? 1 : 0];
    long[] to = axes > 0 ? past.values() : words;
    int place = axes > 0 ? past.place(at) : 0;
    long offset = (long) at * Long.BYTES;
    boolean ordered =
        transform.prediction() == Prediction.DIFFERENCE && transform.elements().floating();
    boolean turned = transform.elements().order() == ByteOrder.BIG_ENDIAN;
    if (ordered && direct) {
      kernel.order(source, offset, turned, to, place, n);
      return;
    }
    MemorySegment.copy(source, LITTLE, offset, to, place, n);
    if (turned) {
      LongWords.turnBytes(to, place, n);
    }
    if (ordered) {
      LongWords.order(to, place, n);
    }
  }

  /** What is left of the values, in the words. */
  private void predict(boolean differences, int at, int n, LongKernel kernel) {
    if (axes == 3) {
      takeOffFarthest(at, n, kernel);
    }
    if (axes > 1) {
      takeOffBoth(at, n, kernel);
    } else if (axes == 1) {
      takeOffNearest(differences, at, n, kernel);
    } else if (differences) {
      LongWords.zigzag(words, n);
    }
  }

  private void takeOffFarthest(int at, int n, LongKernel kernel) {
    LongPast past = pasts[1];
    int run;
    for (int i = 0; i < n; i += run) {
      int before = past.before(at + i, strides[2]);
      run = past.run(before, n - i);
      kernel.subtract(
          past.values(),
          past.place(at) + i,
          before,
          pasts[0].values(),
          pasts[0].place(at) + i,
          run);
    }
  }

  private void takeOffBoth(int at, int n, LongKernel kernel) {
    LongPast past = pasts[0];
    int run;
    for (int i = 0; i < n; i += run) {
      int left = past.before(at + i, strides[0]);
      int above = past.before(at + i, strides[1]);
      int corner = past.before(at + i, strides[0] + strides[1]);
      run = past.run(left, past.run(above, past.run(corner, n - i)));
      kernel.residuals(past.values(), past.place(at) + i, left, above, corner, words, i, run);
    }
  }

  private void takeOffNearest(boolean differences, int at, int n, LongKernel kernel) {
    LongPast past = pasts[0];
    int run;
    for (int i = 0; i < n; i += run) {
      int before = past.before(at + i, strides[0]);
      run = past.run(before, n - i);
      if (differences) {
        kernel.residuals(past.values(), past.place(at) + i, before, words, i, run);
      } else {
        LongWords.xor(past.values(), past.place(at) + i, before, words, i, run);
      }
    }
  }

  // ---------------------------------------------------------------- inverse

  void inverse(
      Transform transform, MemorySegment source, MemorySegment target, int count, Kernels kernels) {
    begin(transform, count);
    for (int axis = 0; axis < axes; axis++) {
      pasts[axis].begin(strides[axis]);
    }
    LongKernel kernel = kernels.longs();
    boolean predicted = transform.prediction() != Prediction.NONE;
    boolean turned = transform.elements().order() == ByteOrder.BIG_ENDIAN;
    boolean summed = transform.prediction() == Prediction.DIFFERENCE && axes > 0 && strides[0] == 1;
    int n;
    for (int at = 0; at < count; at += n) {
      n = tile(count - at, kernel);
      long offset = (long) at * Long.BYTES;
      boolean direct = kernel.reachesRows(source, n);
      boolean rowsAtOnce = direct && transform.shuffled();
      boolean sumsAtOnce = direct && summed;
      if (sumsAtOnce && !transform.shuffled()) {
        sum = kernel.sums(source, offset, n, sum, words);
      } else if (sumsAtOnce) {
        sum = kernel.unshuffleToSums(source, at, count, n, sum, words);
      } else if (rowsAtOnce && turned && !predicted) {
        kernel.unshuffle(source, at + (Long.BYTES - 1L) * count, -count, n, words);
      } else if (rowsAtOnce) {
        kernel.unshuffle(source, at, count, n, words);
      } else if (transform.shuffled()) {
        rows.copyFrom(source, count, at, n, turned && !predicted);
        kernel.unshuffle(rows.words(), (n + 7) / 8, words);
      } else {
        MemorySegment.copy(source, LITTLE, offset, words, 0, n);
      }
      if (summed && !sumsAtOnce) {
        sum = sums(n);
      }
      if (predicted) {
        reconstruct(transform, summed ? 1 : 0, at, n, kernel);
      }
      MemorySegment.copy(words, 0, target, LITTLE, offset, n);
    }
  }

  /** Words become sums; the last of them. */
  private long sums(int n) {
    LongWords.unzigzag(words, n);
    LongWords.runningSum(words, n, sum);
    return words[n - 1];
  }

  /** From the words, through a past for each axis that is left, to the words. */
  private void reconstruct(Transform transform, int firstAxis, int at, int n, LongKernel kernel) {
    if (transform.prediction() == Prediction.DIFFERENCE) {
      if (firstAxis == 0) {
        LongWords.unzigzag(words, n);
      }
      addUp(transform.elements().floating(), firstAxis, at, n, kernel);
    } else {
      undoXor(at, n);
    }
    if (transform.elements().order() == ByteOrder.BIG_ENDIAN) {
      LongWords.turnBytes(words, 0, n);
    }
  }

  private void addUp(boolean floating, int firstAxis, int at, int n, LongKernel kernel) {
    long[] from = words;
    int fromAt = 0;
    for (int axis = firstAxis; axis < axes; axis++) {
      putBack(floating && axis == axes - 1, from, fromAt, axis, at, n, kernel);
      from = pasts[axis].values();
      fromAt = pasts[axis].place(at);
    }
    if (floating && firstAxis == axes) {
      LongWords.unorder(words, n);
    } else if (!floating && from != words) {
      System.arraycopy(from, fromAt, words, 0, n);
    }
  }

  /** Adds what lies before; to the words as well, if numbers are floating and no axis is left. */
  private void putBack(
      boolean unordered, long[] from, int fromAt, int axis, int at, int n, LongKernel kernel) {
    LongPast past = pasts[axis];
    long[] sums = past.values();
    int place = past.place(at);
    int run;
    for (int i = 0; i < n; i += run) {
      int before = past.before(at + i, strides[axis]);
      run = past.run(before, n - i);
      if (unordered) {
        kernel.addUnordered(from, fromAt + i, sums, place + i, before, words, i, run);
      } else {
        kernel.add(from, fromAt + i, sums, place + i, before, run);
      }
    }
  }

  private void undoXor(int at, int n) {
    LongPast past = pasts[0];
    if (axes == 0) {
      return;
    }
    int place = past.place(at);
    int run;
    for (int i = 0; i < n; i += run) {
      int before = past.before(at + i, strides[0]);
      run = past.run(before, n - i);
      LongWords.unxor(words, i, past.values(), place + i, before, run);
    }
    System.arraycopy(past.values(), place, words, 0, n);
  }
}
