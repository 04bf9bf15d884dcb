// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.awt.AWTError;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/**
 * Draws charts into files. A file is written whole or not at all; one that exists is replaced.
 *
 * <p>No screen is needed: unless the property {@code java.awt.headless} is set already, the first
 * picture sets it, since a DISPLAY left over from a remote login would otherwise make Java fail. A
 * program that has windows of its own sets it to false.
 */
public final class ChartWriter {
  /** Pixels of a PNG per unit of the layout, for print and for dense screens. */
  private static final int PIXELS = 2;

  private ChartWriter() {}

  /**
   * Draws a chart of 900 × 550 units, or higher if its legend is long, with four pixels per unit.
   *
   * @throws IllegalArgumentException if the chart has not a single point that can be drawn
   * @throws IOException if the file cannot be written, or the machine has no fonts; the message
   *     says what to do
   */
  public static void png(Chart chart, Path file) throws IOException {
    requireFonts(file);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (MemoryCacheImageOutputStream out = new MemoryCacheImageOutputStream(bytes)) {
      ImageIO.write(image(chart), "png", out);
    }
    PictureFile.write(file, bytes.toByteArray());
  }

  /**
   * Draws a chart as SVG, with text as text.
   *
   * @throws IllegalArgumentException if the chart has not a single point that can be drawn
   * @throws IOException if the file cannot be written, or the machine has no fonts; the message
   *     says what to do
   */
  public static void svg(Chart chart, Path file) throws IOException {
    requireFonts(file);
    String text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + Svg.of(chart, "") + "\n";
    PictureFile.write(file, text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Writes a page with its charts as one HTML file, which needs no other file and no network.
   *
   * @throws IllegalArgumentException if a chart has not a single point that can be drawn
   * @throws IOException if the file cannot be written, or the machine has no fonts; the message
   *     says what to do
   */
  public static void html(Page page, Path file) throws IOException {
    requireFonts(file);
    PictureFile.write(file, Html.of(page).getBytes(StandardCharsets.UTF_8));
  }

  static BufferedImage image(Chart chart) {
    Layout layout = Layout.of(chart);
    BufferedImage image =
        new BufferedImage(
            PIXELS * layout.width(), PIXELS * layout.height(), BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    try {
      graphics.scale(PIXELS, PIXELS);
      Painter.paint(chart, layout, graphics);
    } finally {
      graphics.dispose();
    }
    return image;
  }

  /**
   * Measures a text, which is where Java fails without fonts: with errors of several kinds, none of
   * which says what is missing.
   */
  private static void requireFonts(Path file) throws IOException {
    if (System.getProperty("java.awt.headless") == null) {
      System.setProperty("java.awt.headless", "true");
    }
    try {
      if (Pen.width("fonts", Pen.PLAIN) > 0) {
        return;
      }
    } catch (RuntimeException | LinkageError | InternalError | AWTError e) {
      throw new IOException(noFonts(file), e);
    }
    throw new IOException(noFonts(file));
  }

  private static String noFonts(Path file) {
    return file
        + " cannot be drawn, as Java finds no fonts on this machine; run ./setup, or install them"
        + " as root: apt-get install fontconfig fonts-dejavu-core";
  }
}
