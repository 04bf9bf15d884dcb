// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.array;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.util.function.LongConsumer;
import javax.imageio.ImageIO;

/**
 * A field of two axes as a picture, in the colours of {@link Palette}. A large field is drawn of
 * every second, third … element.
 */
public final class Picture {
  /** No picture is wider or higher. */
  private static final int MOST_PIXELS = 2048;

  private final Samples samples;

  private Picture(Samples samples) {
    this.samples = samples;
  }

  /**
   * Reads what is drawn.
   *
   * @param progress told how many bytes are done
   */
  public static Picture of(Slice.Of field, LongConsumer progress) {
    long longest = Math.max(field.rows(), field.columns());
    long step = Math.max(1, Math.ceilDiv(longest, MOST_PIXELS));
    return new Picture(Samples.of(field, step, step, progress));
  }

  public double min() {
    return samples.min();
  }

  public double max() {
    return samples.max();
  }

  /** Writes it as PNG. */
  public void write(OutputStream out) throws IOException {
    double[][] values = samples.values();
    int width = Math.max(1, values.length == 0 ? 0 : values[0].length);
    BufferedImage image =
        new BufferedImage(width, Math.max(1, values.length), BufferedImage.TYPE_INT_RGB);
    for (int y = 0; y < values.length; y++) {
      for (int x = 0; x < values[y].length; x++) {
        image.setRGB(x, y, Palette.colour(samples.share(values[y][x])));
      }
    }
    ImageIO.setUseCache(false);
    if (!ImageIO.write(image, "png", out)) {
      throw new IOException("this JVM cannot write PNG");
    }
  }
}
