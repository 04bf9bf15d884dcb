// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.cairn.transform.Transform.Prediction;

/**
 * Pieces of elements of four bytes, and predicted ones of one or two, transformed a tile at a time
 * as {@link LongTiles} does it. Smaller values are at the upper end of words while they are
 * predicted, where their sign is that of the word, and at the lower end while they are brought
 * back.
 */
final class IntTiles {
  static final int TILE = Rows.TILE / Integer.BYTES;

  private static final ValueLayout.OfInt LITTLE =
      JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Rows rows;
  private final SmallWords small = new SmallWords();
  private final int[] words = new int[TILE];
  private final IntPast[] pasts = {new IntPast(), new IntPast(), new IntPast()};
  private final int[] strides = new int[Transform.MAX_AXES];
  private int width;
  private int axes;
  private int sum;

  IntTiles(Rows rows) {
    this.rows = rows;
  }

  /** Strides that lead out of the piece predict nothing. */
  private void begin(Transform transform, int count) {
    width = transform.elements().width();
    rows.begin(width);
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
  private static int tile(int left, IntKernel kernel) {
    int most = Math.min(TILE, left);
    return most < kernel.step() ? most : most / kernel.step() * kernel.step();
  }

  // ---------------------------------------------------------------- forward

  void forward(
      Transform transform, MemorySegment source, MemorySegment target, int count, Kernels kernels) {
    begin(transform, count);
    beginPasts();
    IntKernel kernel = kernels.ints();
    boolean predicted = transform.prediction() != Prediction.NONE;
    boolean turned = transform.elements().order() == ByteOrder.BIG_ENDIAN;
    boolean reached = width == Integer.BYTES && kernel.reaches(source);
    int n;
    for (int at = 0; at < count; at += n) {
      n = tile(count - at, kernel);
      boolean direct = reached && n % kernel.step() == 0;
      if (predicted) {
        load(transform, source, at, n, direct, kernel);
        predict(transform.prediction() == Prediction.DIFFERENCE, at, n, kernel);
      } else if (!direct) {
        copyFrom(source, at, n, false, words, 0);
      }
      if (!transform.shuffled()) {
        copyTo(target, at, n, false);
        continue;
      }
      if (width < Integer.BYTES) {
        SmallWords.shuffle(words, (n + 7) / 8, width, rows.words(), rows.row());
      } else if (predicted || !direct) {
        kernel.shuffle(words, (n + 7) / 8, rows.words());
      } else {
        kernel.shuffle(source, (long) at * Integer.BYTES, n / 8, words, rows.words());
      }
      rows.copyTo(target, count, at, n, turned && !predicted);
    }
  }

  private void copyFrom(MemorySegment source, int at, int n, boolean turned, int[] to, int place) {
    if (width < Integer.BYTES) {
      small.load(source, at, n, width, turned, to, place);
      return;
    }
    MemorySegment.copy(source, LITTLE, (long) at * Integer.BYTES, to, place, n);
    if (turned) {
      IntWords.turnBytes(to, place, n);
    }
  }

  private void copyTo(MemorySegment target, int at, int n, boolean turned) {
    if (width < Integer.BYTES) {
      small.store(words, n, width, turned, target, at);
      return;
    }
    if (turned) {
      IntWords.turnBytes(words, 0, n);
    }
    MemorySegment.copy(words, 0, target, LITTLE, (long) at * Integer.BYTES, n);
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
      Transform transform, MemorySegment source, int at, int n, boolean direct, IntKernel kernel) {
    IntPast past = pasts[axes == 3 ? 1 : 0];
    int[] to = axes > 0 ? past.values() : words;
    int place = axes > 0 ? past.place(at) : 0;
    boolean ordered =
        transform.prediction() == Prediction.DIFFERENCE && transform.elements().floating();
    boolean turned = transform.elements().order() == ByteOrder.BIG_ENDIAN;
    if (ordered && direct) {
      kernel.order(source, (long) at * Integer.BYTES, turned, to, place, n);
      return;
    }
    copyFrom(source, at, n, turned, to, place);
    if (ordered) {
      IntWords.moveUp(to, place, n, unused());
      IntWords.order(to, place, n);
      IntWords.moveDown(to, place, n, unused()); // what it left below is gone
    }
    IntWords.moveUp(to, place, n, unused());
  }

  /** The bits of a word that a value does not need. */
  private int unused() {
    return Integer.SIZE - 8 * width;
  }

  /** What is left of the values, in the words. */
  private void predict(boolean differences, int at, int n, IntKernel kernel) {
    if (axes == 3) {
      takeOffFarthest(at, n, kernel);
    }
    if (axes > 1) {
      takeOffBoth(at, n, kernel);
    } else if (axes == 1) {
      takeOffNearest(differences, at, n, kernel);
    } else if (differences) {
      IntWords.zigzag(words, n);
    }
    IntWords.moveDown(words, 0, n, unused());
  }

  private void takeOffFarthest(int at, int n, IntKernel kernel) {
    IntPast past = pasts[1];
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

  private void takeOffBoth(int at, int n, IntKernel kernel) {
    IntPast past = pasts[0];
    int run;
    for (int i = 0; i < n; i += run) {
      int left = past.before(at + i, strides[0]);
      int above = past.before(at + i, strides[1]);
      int corner = past.before(at + i, strides[0] + strides[1]);
      run = past.run(left, past.run(above, past.run(corner, n - i)));
      kernel.residuals(past.values(), past.place(at) + i, left, above, corner, words, i, run);
    }
  }

  private void takeOffNearest(boolean differences, int at, int n, IntKernel kernel) {
    IntPast past = pasts[0];
    int run;
    for (int i = 0; i < n; i += run) {
      int before = past.before(at + i, strides[0]);
      run = past.run(before, n - i);
      if (differences) {
        kernel.residuals(past.values(), past.place(at) + i, before, words, i, run);
      } else {
        IntWords.xor(past.values(), past.place(at) + i, before, words, i, run);
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
    IntKernel kernel = kernels.ints();
    boolean predicted = transform.prediction() != Prediction.NONE;
    boolean turned = transform.elements().order() == ByteOrder.BIG_ENDIAN;
    boolean summed = transform.prediction() == Prediction.DIFFERENCE && axes > 0 && strides[0] == 1;
    int n;
    for (int at = 0; at < count; at += n) {
      n = tile(count - at, kernel);
      boolean direct = width == Integer.BYTES && kernel.reachesRows(source, n);
      boolean rowsAtOnce = direct && transform.shuffled();
      boolean sumsAtOnce = direct && summed;
      if (sumsAtOnce && !transform.shuffled()) {
        sum = kernel.sums(source, (long) at * Integer.BYTES, n, sum, words);
      } else if (sumsAtOnce) {
        sum = kernel.unshuffleToSums(source, at, count, n, sum, words);
      } else if (rowsAtOnce && turned && !predicted) {
        kernel.unshuffle(source, at + (Integer.BYTES - 1L) * count, -count, n, words);
      } else if (rowsAtOnce) {
        kernel.unshuffle(source, at, count, n, words);
      } else if (transform.shuffled()) {
        rows.copyFrom(source, count, at, n, turned && !predicted);
        unshuffle((n + 7) / 8, kernel);
      } else {
        copyFrom(source, at, n, false, words, 0);
      }
      if (summed && !sumsAtOnce) {
        sum = sums(n);
      }
      if (predicted) {
        reconstruct(transform, summed ? 1 : 0, at, n, kernel);
      }
      copyTo(target, at, n, predicted && turned);
    }
  }

  private void unshuffle(int groups, IntKernel kernel) {
    if (width < Integer.BYTES) {
      small.unshuffle(rows.words(), rows.row(), words, groups, width);
    } else {
      kernel.unshuffle(rows.words(), groups, words);
    }
  }

  /** Words become sums; the last of them. */
  private int sums(int n) {
    IntWords.unzigzag(words, n);
    IntWords.runningSum(words, n, sum);
    return words[n - 1];
  }

  /** From the words, through a past for each axis that is left, to the words. */
  private void reconstruct(Transform transform, int firstAxis, int at, int n, IntKernel kernel) {
    if (transform.prediction() == Prediction.DIFFERENCE) {
      if (firstAxis == 0) {
        IntWords.unzigzag(words, n);
      }
      addUp(transform.elements().floating(), firstAxis, at, n, kernel);
    } else {
      undoXor(at, n);
    }
  }

  private void addUp(boolean floating, int firstAxis, int at, int n, IntKernel kernel) {
    boolean atOnce = floating && width == Integer.BYTES && firstAxis < axes;
    int[] from = words;
    int fromAt = 0;
    for (int axis = firstAxis; axis < axes; axis++) {
      putBack(atOnce && axis == axes - 1, from, fromAt, axis, at, n, kernel);
      from = pasts[axis].values();
      fromAt = pasts[axis].place(at);
    }
    if (atOnce) {
      return;
    }
    if (from != words) {
      System.arraycopy(from, fromAt, words, 0, n);
    }
    if (floating) {
      IntWords.moveUp(words, 0, n, unused());
      IntWords.unorder(words, n);
      IntWords.moveDown(words, 0, n, unused());
    }
  }

  /** Adds what lies before; to the words as well, if numbers are floating and no axis is left. */
  private void putBack(
      boolean unordered, int[] from, int fromAt, int axis, int at, int n, IntKernel kernel) {
    IntPast past = pasts[axis];
    int[] sums = past.values();
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
    if (axes == 0) {
      return;
    }
    IntPast past = pasts[0];
    int place = past.place(at);
    int run;
    for (int i = 0; i < n; i += run) {
      int before = past.before(at + i, strides[0]);
      run = past.run(before, n - i);
      IntWords.unxor(words, i, past.values(), place + i, before, run);
    }
    System.arraycopy(past.values(), place, words, 0, n);
  }
}
