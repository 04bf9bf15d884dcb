// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.util.Optional;

/**
 * One curve, or one set of points. A point that an axis has no place for (NaN, infinite, or not
 * above 0 on a logarithmic axis) is a gap. Two series are equal only if they share their arrays.
 *
 * @param name as the legend has it; an empty name is left out of the legend
 * @param x in the order in which the line runs
 * @param y as many as {@code x}
 * @param style how it is drawn
 * @param halfWidths of the confidence interval in {@code y} at each point; empty for none, NaN or 0
 *     for none at one point
 * @param colourOf the name of another series whose colour it takes, such as the model that these
 *     points confirm; empty for a colour of its own
 * @param colour its colour; by its place among the series if absent
 */
@SuppressWarnings("ArrayRecordComponent") // A series is drawn, and never compared.
public record Series(
    String name,
    double[] x,
    double[] y,
    Style style,
    double[] halfWidths,
    String colourOf,
    Optional<Colour> colour) {
  /** Checks that the arrays belong together. */
  public Series {
    if (x.length != y.length) {
      throw new IllegalArgumentException(
          "Series " + name + " has " + x.length + " values of x, but " + y.length + " of y");
    }
    if (halfWidths.length != 0 && halfWidths.length != x.length) {
      throw new IllegalArgumentException(
          "Series " + name + " has " + x.length + " points, but " + halfWidths.length + " errors");
    }
    x = x.clone();
    y = y.clone();
    halfWidths = halfWidths.clone();
  }

  /** A series without errors and with a colour of its own. */
  public Series(String name, double[] x, double[] y, Style style) {
    this(name, x, y, style, new double[0], "", Optional.empty());
  }

  /** The same with error bars of these half widths. */
  public Series withErrors(double[] newHalfWidths) {
    return new Series(name, x, y, style, newHalfWidths, colourOf, colour);
  }

  /** The same in the colour of another series. */
  public Series inColourOf(String other) {
    return new Series(name, x, y, style, halfWidths, other, colour);
  }

  /** The same in this colour, whatever its place. */
  public Series in(Colour chosen) {
    return new Series(name, x, y, style, halfWidths, colourOf, Optional.of(chosen));
  }

  /** The half width of the error bar at a point; 0 where there is none. */
  double halfWidth(int point) {
    return halfWidths.length == 0 || !(halfWidths[point] > 0) ? 0 : halfWidths[point];
  }
}
