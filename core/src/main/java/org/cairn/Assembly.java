// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionSource;
import org.jspecify.annotations.Nullable;

/** Puts an array together of the parts that ranks have saved. */
final class Assembly {
  private static final int ALL_CORES = Runtime.getRuntime().availableProcessors();

  /** Less than this is not worth threads. */
  private static final long WORTHWHILE_BYTES = 4L << 20;

  private final ElementType type;
  private final OptionalDouble fill;
  private final List<Piece> pieces;

  /**
   * A part as it was saved.
   *
   * @param start the first of its elements in the dataset, a ghost perhaps
   */
  record Piece(SavedState state, DatasetEntry entry, long start, Part part) {
    Region region() {
      long[] from = part.offset().stream().mapToLong(Long::longValue).toArray();
      long[] to = from.clone();
      for (int axis = 0; axis < to.length; axis++) {
        to[axis] += part.extent().get(axis);
      }
      return new Region(from, to);
    }
  }

  Assembly(ElementType type, OptionalDouble fill, List<Piece> pieces) {
    this.type = type;
    this.fill = fill;
    this.pieces = List.copyOf(pieces);
  }

  List<SavedArray.Owned> parts() {
    return pieces.stream()
        .map(piece -> new SavedArray.Owned(piece.state.rank(), piece.part))
        .toList();
  }

  /**
   * Brings the elements of a region, one after the other, into memory.
   *
   * @param shared whether other threads may use it
   */
  void fill(Region wanted, MemorySegment target, boolean shared) {
    if (fill.isPresent()) {
      fillAll(target, fill.getAsDouble());
    }
    for (Piece piece : pieces) {
      Region common = piece.region().and(wanted);
      if (!common.isEmpty()) {
        read(piece, common, wanted, target, shared);
      }
    }
  }

  private void read(
      Piece piece, Region common, Region wanted, MemorySegment target, boolean shared) {
    Runs runs = Runs.of(piece, common, wanted);
    long width = type.bytes();
    long low = runs.source(0) * width;
    long high = (runs.source(runs.count - 1) + runs.length) * width;
    VersionSource.Sink sink =
        new VersionSource.Sink() {
          @Override
          public void block(DatasetEntry dataset, int block, MemorySegment bytes) {
            long position = (long) block * dataset.spec().blockSize();
            copy(runs, position, position + bytes.byteSize(), bytes, target);
          }

          @Override
          public void zeros(DatasetEntry dataset, int first, int blocks) {
            long position = (long) first * dataset.spec().blockSize();
            long end = position + (long) blocks * dataset.spec().blockSize();
            copy(runs, position, end, null, target);
          }
        };
    try {
      piece.state.scan(
          new VersionSource.Range(piece.entry, low, high),
          shared && high - low >= WORTHWHILE_BYTES ? ALL_CORES : 1,
          sink,
          done -> {});
    } catch (IOException e) {
      throw piece.state.unreadable(String.valueOf(e.getMessage()));
    }
  }

  /** Copies what lies in these bytes of a dataset; without any, zeros. */
  private void copy(
      Runs runs, long position, long end, @Nullable MemorySegment bytes, MemorySegment target) {
    long width = type.bytes();
    for (long run = runs.firstEndingBehind(position / width); run < runs.count; run++) {
      long source = runs.source(run) * width;
      if (source >= end) {
        return;
      }
      long low = Math.max(source, position);
      long high = Math.min(source + runs.length * width, end);
      if (high <= low) {
        continue;
      }
      long to = runs.target(run) * width + low - source;
      if (bytes == null) {
        target.asSlice(to, high - low).fill((byte) 0);
      } else {
        MemorySegment.copy(bytes, low - position, target, to, high - low);
      }
    }
  }

  /** What nobody has. */
  private void fillAll(MemorySegment target, double value) {
    long elements = target.byteSize() / type.bytes();
    for (long i = 0; i < elements; i++) {
      switch (type) {
        case DOUBLE -> target.setAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, i, value);
        case FLOAT -> target.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i, (float) value);
        case LONG -> target.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, (long) value);
        case INT -> target.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i, (int) value);
        case SHORT -> target.setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i, (short) value);
        case CHAR -> target.setAtIndex(ValueLayout.JAVA_CHAR_UNALIGNED, i, (char) value);
        case BYTE, OPAQUE -> target.set(ValueLayout.JAVA_BYTE, i, (byte) value);
        case BOOLEAN -> target.set(ValueLayout.JAVA_BYTE, i, (byte) (value == 0 ? 0 : 1));
      }
    }
  }

  /**
   * Elements that follow one another both in a part's memory and in what is put together: a row of
   * the region that both have, or many rows where nothing lies between them. In both they ascend.
   */
  private static final class Runs {
    /** How many elements each has. */
    private final long length;

    private final long count;

    /** Of the axes that are counted, the last one fastest. */
    private final long[] extent;

    private final long[] sourceStride;
    private final long[] targetStride;
    private final long sourceStart;
    private final long targetStart;

    private Runs(
        long length,
        long[] extent,
        long[] sourceStride,
        long[] targetStride,
        long sourceStart,
        long targetStart) {
      this.length = length;
      this.extent = extent;
      this.sourceStride = sourceStride;
      this.targetStride = targetStride;
      this.sourceStart = sourceStart;
      this.targetStart = targetStart;
      long product = 1;
      for (long one : extent) {
        product *= one;
      }
      this.count = product;
    }

    static Runs of(Piece piece, Region common, Region wanted) {
      int axes = common.axes();
      long[] local = piece.part.localShape().stream().mapToLong(Long::longValue).toArray();
      long[] whole = wanted.extent();
      long[] extent = common.extent();
      long[] sourceStride = strides(local);
      long[] targetStride = strides(whole);
      long source = piece.start;
      long target = 0;
      for (int axis = 0; axis < axes; axis++) {
        long inPart =
            common.from()[axis] - piece.part.offset().get(axis) + piece.part.before().get(axis);
        source += inPart * sourceStride[axis];
        target += (common.from()[axis] - wanted.from()[axis]) * targetStride[axis];
      }
      int counted = axes - 1;
      long length = extent[counted];
      while (counted > 0
          && extent[counted] == local[counted]
          && extent[counted] == whole[counted]) {
        counted--;
        length *= extent[counted];
      }
      return new Runs(
          length, Arrays.copyOf(extent, counted), sourceStride, targetStride, source, target);
    }

    private static long[] strides(long[] extent) {
      long[] strides = new long[extent.length];
      long stride = 1;
      for (int axis = extent.length - 1; axis >= 0; axis--) {
        strides[axis] = stride;
        stride *= extent[axis];
      }
      return strides;
    }

    /** The first element of a run in the dataset. */
    long source(long run) {
      return place(run, sourceStart, sourceStride);
    }

    /** The first element of a run in what is put together. */
    long target(long run) {
      return place(run, targetStart, targetStride);
    }

    private long place(long run, long start, long[] stride) {
      long place = start;
      long left = run;
      for (int axis = extent.length - 1; axis >= 0; axis--) {
        place += left % extent[axis] * stride[axis];
        left /= extent[axis];
      }
      return place;
    }

    /** The first run of which something lies behind an element of the dataset, or at it. */
    long firstEndingBehind(long element) {
      long low = 0;
      long high = count;
      while (low < high) {
        long middle = low + high >>> 1;
        if (source(middle) + length > element) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    }
  }
}
