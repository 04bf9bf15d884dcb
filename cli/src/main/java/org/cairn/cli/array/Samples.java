// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.array;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongConsumer;
import org.cairn.ElementType;
import org.cairn.SavedArray;

/**
 * Elements of a field of one or two axes at equal distances: all that a picture of it needs. What
 * lies between is read only where that is less work than to pass it over.
 */
final class Samples {
  /** As much is read at once. */
  private static final long BAND_BYTES = 16L << 20;

  /** Passing over less than that saves nothing: blocks are read whole. */
  private static final long GAP_BYTES = 1L << 20;

  private final double[][] values;
  private final double min;
  private final double max;
  private final long notFinite;

  private Samples(double[][] values) {
    this.values = values;
    double low = Double.POSITIVE_INFINITY;
    double high = Double.NEGATIVE_INFINITY;
    long none = 0;
    for (double[] row : values) {
      for (double value : row) {
        if (!Double.isFinite(value)) {
          none++;
        } else {
          low = Math.min(low, value);
          high = Math.max(high, value);
        }
      }
    }
    this.min = low <= high ? low : Double.NaN;
    this.max = low <= high ? high : Double.NaN;
    this.notFinite = none;
  }

  /** Rows, of which a field of one axis has one. */
  double[][] values() {
    return values;
  }

  /** The smallest finite number; NaN if there is none. */
  double min() {
    return min;
  }

  double max() {
    return max;
  }

  /** How many are no numbers, or infinite. */
  long notFinite() {
    return notFinite;
  }

  /** Where a number is between smallest and largest, from 0 to 1; NaN if it is not finite. */
  double share(double value) {
    if (!Double.isFinite(value)) {
      return Double.NaN;
    }
    // Halves, since the difference may be more than a number can be.
    double range = max / 2 - min / 2;
    return range > 0 ? Math.clamp((value / 2 - min / 2) / range, 0.0, 1.0) : 0.5;
  }

  /**
   * Reads elements.
   *
   * @param field of one or two axes
   * @param down every such row
   * @param across every such element of a row
   * @param progress told how many bytes are done
   */
  static Samples of(Slice.Of field, long down, long across, LongConsumer progress) {
    try (Arena arena = Arena.ofShared()) {
      return new Samples(new Reading(field, down, across, arena).values(progress));
    }
  }

  /** Reads the elements of one field. */
  private static final class Reading {
    private final Slice.Of field;
    private final long down;
    private final long across;
    private final long rows;
    private final long columns;
    private final ElementType type;
    private final Arena arena;

    Reading(Slice.Of field, long down, long across, Arena arena) {
      this.field = field;
      this.down = down;
      this.across = across;
      this.rows = field.rows();
      this.columns = field.columns();
      this.type = field.array().type();
      this.arena = arena;
    }

    double[][] values(LongConsumer progress) {
      double[][] values =
          new double[(int) Math.ceilDiv(rows, down)][(int) Math.ceilDiv(columns, across)];
      if (values.length == 0 || values[0].length == 0) {
        return values;
      }
      boolean single = across * type.bytes() > GAP_BYTES;
      long rowBytes = (single ? 1 : columns) * type.bytes();
      boolean whole = !single && down * rowBytes <= GAP_BYTES;
      int band = whole ? Math.clamp(BAND_BYTES / (down * rowBytes), 1, values.length) : 1;
      MemorySegment room = arena.allocate(rowBytes * (whole ? band * down : 1), 8);
      for (int y = 0; y < values.length; y += band) {
        if (single) {
          one(values[y], y * down, room);
        } else {
          several(values, y, Math.min(values.length, y + band), room);
        }
        progress.accept(Math.min(rows, (y + band) * down) * columns * type.bytes());
      }
      return values;
    }

    /** A row, element by element. */
    private void one(double[] values, long row, MemorySegment room) {
      for (int x = 0; x < values.length; x++) {
        field.part(row, row + 1, x * across, x * across + 1).into(room);
        values[x] = Values.at(room, type, 0);
      }
    }

    /** Rows that are drawn, and those between them. */
    private void several(double[][] values, int first, int end, MemorySegment room) {
      SavedArray part = field.part(first * down, (end - 1) * down + 1, 0, columns);
      part.into(room.asSlice(0, part.byteSize()));
      for (int y = first; y < end; y++) {
        for (int x = 0; x < values[y].length; x++) {
          values[y][x] = Values.at(room, type, (y - first) * down * columns + x * across);
        }
      }
    }
  }
}
