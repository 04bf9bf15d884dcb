// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Shape;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Colours of what is not a series, lines and symbols. */
final class Palette {
  static final Color TEXT = new Color(0x22, 0x22, 0x22);
  static final Color FAINT_TEXT = new Color(0x59, 0x59, 0x59);
  static final Color AXIS = new Color(0x44, 0x44, 0x44);
  static final Color GRID = new Color(0xdc, 0xdc, 0xdc);
  static final Color SHADE = new Color(0xec, 0xec, 0xec);
  static final Color SHADE_EDGE = new Color(0xc4, 0xc4, 0xc4);

  private static final List<Colour> COLOURS = List.of(Colour.values());

  private static final float[][] LINES = {
    {}, {16, 4}, {16, 4, 3, 4}, {16, 4, 3, 4, 3, 4}, {9, 3}, {28, 3}
  };
  private static final float[][] DASHES = {{6, 4}, {2, 3}, {6, 3, 2, 3}, {4, 2}, {1.5f, 5}};
  private static final int SYMBOLS = 5;
  private static final BasicStroke GUIDE =
      new BasicStroke(1f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 10, new float[] {3, 3}, 0);

  private Palette() {}

  static Colour colour(int series) {
    return COLOURS.get(series % COLOURS.size());
  }

  /** What is drawn on white, and what it becomes on a dark page. */
  static Map<Integer, Integer> onDark() {
    Map<Integer, Integer> dark = new LinkedHashMap<>();
    dark.put(0xffffff, 0x27282b);
    dark.put(rgb(TEXT), 0xe8e8e6);
    dark.put(rgb(FAINT_TEXT), 0xb4b4b4);
    dark.put(rgb(AXIS), 0xc8c8c8);
    dark.put(rgb(GRID), 0x3a3c40);
    dark.put(rgb(SHADE), 0x33363b);
    dark.put(rgb(SHADE_EDGE), 0x55585e);
    for (Colour colour : Colour.values()) {
      dark.put(colour.onLight(), colour.onDark());
    }
    return dark;
  }

  private static int rgb(Color colour) {
    return colour.getRGB() & 0xffffff;
  }

  static Color ink(Colour colour) {
    return new Color(colour.onLight());
  }

  /** The stroke of the {@code i}th series of its style. */
  static BasicStroke stroke(Style style, int i) {
    return switch (style) {
      case LINE -> stroke(2f, LINES[i % LINES.length]);
      case DASHED -> stroke(2f, DASHES[i % DASHES.length]);
      case POINTS, LINE_AND_POINTS -> stroke(1.2f, new float[0]);
    };
  }

  /** The stroke of a line that marks a value rather than a curve. */
  static BasicStroke guide() {
    return GUIDE;
  }

  private static BasicStroke stroke(float width, float[] dash) {
    return dash.length == 0
        ? new BasicStroke(width, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND)
        : new BasicStroke(width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 10, dash, 0);
  }

  /** The symbol of the {@code i}th series with points; all cover about the same area. */
  static Shape symbol(int i, double x, double y) {
    return switch (i % SYMBOLS) {
      case 0 -> new Ellipse2D.Double(x - 3.6, y - 3.6, 7.2, 7.2);
      case 1 -> new Rectangle2D.Double(x - 3.2, y - 3.2, 6.4, 6.4);
      case 2 -> polygon(x, y - 4.6, x + 4.3, y + 3.1, x - 4.3, y + 3.1);
      case 3 -> polygon(x, y - 4.7, x + 4.7, y, x, y + 4.7, x - 4.7, y);
      default -> polygon(x, y + 4.6, x + 4.3, y - 3.1, x - 4.3, y - 3.1);
    };
  }

  private static Path2D polygon(double... points) {
    Path2D path = new Path2D.Double();
    path.moveTo(points[0], points[1]);
    for (int i = 2; i < points.length; i += 2) {
      path.lineTo(points[i], points[i + 1]);
    }
    path.closePath();
    return path;
  }
}
