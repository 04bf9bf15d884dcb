// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import org.cairn.transform.Transform.Prediction;

/**
 * Transforms pieces and brings them back, with memory of its own that is used again: a third of a
 * MiB (of records up to a quarter more), and for predictions as many values as lie between a value
 * and what predicts it, for each axis, if that is in the piece. For one thread at a time.
 *
 * <p>What comes out does not depend on the byte order of what goes in: values are little-endian
 * there, so that a field and its twin from another machine compress alike. Bytes behind the last
 * whole element stay as they are.
 */
public final class Transformer {
  /** Far more than a frame has. */
  private static final long MAX_BYTES = 1L << 30;

  private final Kernels kernels;
  private final Rows rows = new Rows();
  private final LongTiles longs = new LongTiles(rows);
  private final IntTiles ints = new IntTiles(rows);
  private final PairTiles pairs = new PairTiles();

  /** Records have no byte order of their own. */
  private final RecordTiles records = new RecordTiles(rows);

  /** A transformer on the fastest path of this machine. */
  public Transformer() {
    this(Kernels.chosen());
  }

  Transformer(Kernels kernels) {
    this.kernels = kernels;
  }

  /** Whether faster code is being compiled, as happens once in a process that transforms much. */
  public boolean isWarming() {
    return kernels.areWarming();
  }

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
    kernels.count(source.byteSize());
    if (transform.isNone()) {
      MemorySegment.copy(source, 0, target, 0, (long) count * width);
    } else if (width == Long.BYTES) {
      longs.forward(transform, source, target, count, kernels);
    } else if (width == Integer.BYTES || transform.prediction() != Prediction.NONE) {
      ints.forward(transform, source, target, count, kernels);
    } else if (width == Short.BYTES) {
      pairs.forward(source, target, count, isTurned(transform), kernels.pairs());
    } else {
      records.forward(source, target, count, width, kernels.longs(), kernels.records());
    }
  }

  /** Brings back what {@link #forward} was given. */
  public void inverse(Transform transform, MemorySegment source, MemorySegment target) {
    checkSizes(source, target);
    int width = transform.elements().width();
    int count = (int) (source.byteSize() / width);
    copyRest(source, target, (long) count * width);
    kernels.count(source.byteSize());
    if (transform.isNone()) {
      MemorySegment.copy(source, 0, target, 0, (long) count * width);
    } else if (width == Long.BYTES) {
      longs.inverse(transform, source, target, count, kernels);
    } else if (width == Integer.BYTES || transform.prediction() != Prediction.NONE) {
      ints.inverse(transform, source, target, count, kernels);
    } else if (width == Short.BYTES) {
      pairs.inverse(source, target, count, isTurned(transform), kernels.pairs());
    } else {
      records.inverse(source, target, count, width, kernels.longs(), kernels.records());
    }
  }

  private static boolean isTurned(Transform transform) {
    return transform.elements().order() == ByteOrder.BIG_ENDIAN;
  }

  private static void checkSizes(MemorySegment source, MemorySegment target) {
    if (source.byteSize() != target.byteSize() || source.byteSize() > MAX_BYTES) {
      throw new IllegalArgumentException(
          "%d bytes cannot become %d".formatted(source.byteSize(), target.byteSize()));
    }
  }

  private static void copyRest(MemorySegment source, MemorySegment target, long from) {
    MemorySegment.copy(source, from, target, from, source.byteSize() - from);
  }
}
