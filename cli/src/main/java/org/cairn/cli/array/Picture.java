// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.array;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongConsumer;
import javax.imageio.ImageIO;
import org.cairn.SavedArray;

/**
 * A field of two axes as a picture, from dark blue (smallest) to yellow (largest); what is no
 * number is grey. A large field is drawn of every second, third … element, and the others are not
 * read where they are in rows of their own.
 */
public final class Picture {
  /** No picture is wider or higher. */
  private static final int MOST_PIXELS = 2048;

  private static final int GREY = 0xFF808080;

  /** Colours of equal distance; between them it is mixed. */
  private static final int[] COLOURS = {
    0x440154, 0x472D7B, 0x3B528B, 0x2C728E, 0x21918C, 0x28AE80, 0x5EC962, 0xADDC30, 0xFDE725
  };

  private final double[][] values;
  private final double min;
  private final double max;

  private Picture(double[][] values) {
    this.values = values;
    double low = Double.POSITIVE_INFINITY;
    double high = Double.NEGATIVE_INFINITY;
    for (double[] row : values) {
      for (double value : row) {
        if (Double.isFinite(value)) {
          low = Math.min(low, value);
          high = Math.max(high, value);
        }
      }
    }
    this.min = low;
    this.max = high;
  }

  /**
   * Reads what is drawn.
   *
   * @param rows elements along the axis that goes down
   * @param columns along the one that goes to the right
   * @param progress told how many bytes are done
   */
  public static Picture of(SavedArray field, long rows, long columns, LongConsumer progress) {
    long step = Math.max(1, Math.ceilDiv(Math.max(rows, columns), MOST_PIXELS));
    int height = (int) Math.ceilDiv(rows, step);
    int width = (int) Math.ceilDiv(columns, step);
    double[][] values = new double[height][width];
    try (Arena arena = Arena.ofShared()) {
      int bytes = field.type().bytes();
      MemorySegment row = arena.allocate(Math.max(1, columns * bytes), 8);
      for (int y = 0; y < height; y++) {
        row(field, y * step, columns).into(row.asSlice(0, columns * bytes));
        for (int x = 0; x < width; x++) {
          values[y][x] = Values.at(row, field.type(), x * step);
        }
        progress.accept(Math.min(rows, (y + 1) * step) * columns * bytes);
      }
    }
    return new Picture(values);
  }

  /** A row of a field that may have further axes of one element each. */
  private static SavedArray row(SavedArray field, long row, long columns) {
    List<Long> shape = field.shape();
    long[] from = new long[shape.size()];
    long[] to = shape.stream().mapToLong(Long::longValue).toArray();
    int down = firstOfTwo(shape, columns);
    from[down] = row;
    to[down] = row + 1;
    return field.slice(from, to);
  }

  /** The axis that goes down: the first with more than one element, or one before the last. */
  private static int firstOfTwo(List<Long> shape, long columns) {
    int last = shape.size() - 1;
    while (last > 0 && shape.get(last) == 1 && columns > 1) {
      last--;
    }
    for (int axis = 0; axis < last; axis++) {
      if (shape.get(axis) > 1) {
        return axis;
      }
    }
    return Math.max(0, last - 1);
  }

  public double min() {
    return min;
  }

  public double max() {
    return max;
  }

  /** Writes it as PNG. */
  public void write(OutputStream out) throws IOException {
    int width = Math.max(1, values.length == 0 ? 0 : values[0].length);
    BufferedImage image =
        new BufferedImage(width, Math.max(1, values.length), BufferedImage.TYPE_INT_RGB);
    for (int y = 0; y < values.length; y++) {
      for (int x = 0; x < values[y].length; x++) {
        image.setRGB(x, y, colour(values[y][x]));
      }
    }
    ImageIO.setUseCache(false);
    if (!ImageIO.write(image, "png", out)) {
      throw new IOException("this JVM cannot write PNG");
    }
  }

  private int colour(double value) {
    if (Double.isNaN(value)) {
      return GREY;
    }
    double share = max > min ? Math.clamp((value - min) / (max - min), 0.0, 1.0) : 0.5;
    double place = share * (COLOURS.length - 1);
    int below = Math.min((int) place, COLOURS.length - 2);
    double part = place - below;
    int colour = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
      int low = COLOURS[below] >> shift & 0xFF;
      int high = COLOURS[below + 1] >> shift & 0xFF;
      colour |= (int) Math.round(low + part * (high - low)) << shift;
    }
    return colour;
  }
}
