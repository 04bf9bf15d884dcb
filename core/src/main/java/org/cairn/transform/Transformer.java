// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import org.cairn.supply.Supply;
import org.cairn.transform.Transform.Prediction;

/**
 * Transforms pieces and brings them back, with memory of its own that grows to twice the largest
 * piece and is used again. For one thread at a time.
 *
 * <p>What comes out does not depend on the byte order of what goes in: values are little-endian
 * there, so that a field and its twin from another machine compress alike. Bytes behind the last
 * whole element stay as they are.
 */
public final class Transformer {
  private static final int SQUARE = 8;

  private final long[] square = new long[SQUARE];
  private int[] ints = new int[0];
  private int[] moreInts = new int[0];
  private long[] longs = new long[0];
  private long[] moreLongs = new long[0];

  /**
   * Transforms a piece.
   *
   * @param target as many bytes, elsewhere
   */
  public void forward(Transform transform, MemorySegment source, MemorySegment target) {
    checkSizes(source, target);
    int width = transform.elements().width();
    int count = (int) (source.byteSize() / width);
    copyRest(source, target, (long) count * width);
    if (transform.isNone()) {
      MemorySegment.copy(source, 0, target, 0, (long) count * width);
    } else if (width == 8) {
      forwardLongs(transform, source, target, count);
    } else if (transform.elements().isNumeric()) {
      forwardInts(transform, source, target, count);
    } else {
      shuffleRecords(source, target, count, width);
    }
  }

  /** Brings back what {@link #forward} was given. */
  public void inverse(Transform transform, MemorySegment source, MemorySegment target) {
    checkSizes(source, target);
    int width = transform.elements().width();
    int count = (int) (source.byteSize() / width);
    copyRest(source, target, (long) count * width);
    if (transform.isNone()) {
      MemorySegment.copy(source, 0, target, 0, (long) count * width);
    } else if (width == 8) {
      inverseLongs(transform, source, target, count);
    } else if (transform.elements().isNumeric()) {
      inverseInts(transform, source, target, count);
    } else {
      unshuffleRecords(source, target, count, width);
    }
  }

  private static void checkSizes(MemorySegment source, MemorySegment target) {
    if (source.byteSize() != target.byteSize() || source.byteSize() > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "%d bytes cannot become %d".formatted(source.byteSize(), target.byteSize()));
    }
  }

  private static void copyRest(MemorySegment source, MemorySegment target, long from) {
    MemorySegment.copy(source, from, target, from, source.byteSize() - from);
  }

  // ---------------------------------------------------------------- eight bytes

  private void needLongs(int count) {
    if (longs.length < count) {
      longs = Supply.longs(count);
      moreLongs = Supply.longs(count);
    }
  }

  private void forwardLongs(
      Transform transform, MemorySegment source, MemorySegment target, int count) {
    needLongs(count);
    LongWords.load(source, transform.elements().order(), longs, count);
    if (transform.prediction() == Prediction.DIFFERENCE) {
      if (transform.elements().floating()) {
        LongWords.ordered(longs, count);
      }
      for (int stride : transform.strides()) {
        LongWords.subtract(longs, moreLongs, count, stride);
        swapLongs();
      }
      LongWords.zigzag(longs, count);
    } else if (transform.prediction() == Prediction.XOR) {
      for (int stride : transform.strides()) {
        LongWords.xor(longs, moreLongs, count, stride);
        swapLongs();
      }
    }
    if (transform.shuffled()) {
      LongWords.shuffle(longs, count, target);
    } else {
      LongWords.store(longs, count, target, ByteOrder.LITTLE_ENDIAN);
    }
  }

  private void swapLongs() {
    long[] other = longs;
    longs = moreLongs;
    moreLongs = other;
  }

  private void inverseLongs(
      Transform transform, MemorySegment source, MemorySegment target, int count) {
    needLongs(count);
    if (transform.shuffled()) {
      LongWords.unshuffle(source, longs, count);
    } else {
      LongWords.load(source, ByteOrder.LITTLE_ENDIAN, longs, count);
    }
    if (transform.prediction() == Prediction.DIFFERENCE) {
      LongWords.unzigzag(longs, count);
      for (int stride : transform.strides()) {
        LongWords.add(longs, count, stride);
      }
      if (transform.elements().floating()) {
        LongWords.unordered(longs, count);
      }
    } else if (transform.prediction() == Prediction.XOR) {
      for (int stride : transform.strides()) {
        LongWords.unxor(longs, count, stride);
      }
    }
    LongWords.store(longs, count, target, transform.elements().order());
  }

  // ---------------------------------------------------------------- four bytes and less

  private void needInts(int count) {
    if (ints.length < count) {
      ints = Supply.ints(count);
      moreInts = Supply.ints(count);
    }
  }

  private void forwardInts(
      Transform transform, MemorySegment source, MemorySegment target, int count) {
    needInts(count);
    int width = transform.elements().width();
    IntWords.load(source, transform.elements(), ints, count);
    if (transform.prediction() == Prediction.DIFFERENCE) {
      if (transform.elements().floating()) {
        IntWords.ordered(ints, count, width);
      }
      for (int stride : transform.strides()) {
        IntWords.subtract(ints, moreInts, count, stride);
        swapInts();
      }
      IntWords.zigzag(ints, count, width);
    } else if (transform.prediction() == Prediction.XOR) {
      for (int stride : transform.strides()) {
        IntWords.xor(ints, moreInts, count, stride);
        swapInts();
      }
    }
    if (transform.shuffled()) {
      IntWords.shuffle(ints, count, width, target, square);
    } else {
      IntWords.store(ints, count, target, width, ByteOrder.LITTLE_ENDIAN);
    }
  }

  private void swapInts() {
    int[] other = ints;
    ints = moreInts;
    moreInts = other;
  }

  private void inverseInts(
      Transform transform, MemorySegment source, MemorySegment target, int count) {
    needInts(count);
    Elements elements = transform.elements();
    int width = elements.width();
    if (transform.shuffled()) {
      IntWords.unshuffle(source, ints, count, width, square);
    } else {
      IntWords.load(
          source, new Elements(width, ByteOrder.LITTLE_ENDIAN, elements.floating()), ints, count);
    }
    if (transform.prediction() == Prediction.DIFFERENCE) {
      IntWords.unzigzag(ints, count, width);
      for (int stride : transform.strides()) {
        IntWords.add(ints, count, stride);
      }
      if (elements.floating()) {
        IntWords.unordered(ints, count, width);
      }
    } else if (transform.prediction() == Prediction.XOR) {
      for (int stride : transform.strides()) {
        IntWords.unxor(ints, count, stride);
      }
    }
    IntWords.store(ints, count, target, width, elements.order());
  }

  // ---------------------------------------------------------------- records of any size

  private static void shuffleRecords(
      MemorySegment source, MemorySegment target, int count, int width) {
    for (int k = 0; k < width; k++) {
      long plane = (long) k * count;
      for (int i = 0; i < count; i++) {
        target.set(JAVA_BYTE, plane + i, source.get(JAVA_BYTE, (long) i * width + k));
      }
    }
  }

  private static void unshuffleRecords(
      MemorySegment source, MemorySegment target, int count, int width) {
    for (int k = 0; k < width; k++) {
      long plane = (long) k * count;
      for (int i = 0; i < count; i++) {
        target.set(JAVA_BYTE, (long) i * width + k, source.get(JAVA_BYTE, plane + i));
      }
    }
  }
}
