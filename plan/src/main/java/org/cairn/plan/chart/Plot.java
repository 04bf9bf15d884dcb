// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.awt.geom.Line2D;
import java.awt.geom.Point2D;
import java.awt.geom.Rectangle2D;
import java.util.Optional;

/**
 * The rectangle between the axes, and where values lie in it.
 *
 * @param area in units of the picture
 * @param x from left to right
 * @param y from bottom to top
 */
record Plot(Rectangle2D area, Scale x, Scale y) {
  double px(double value) {
    return area.getX() + x.position(value) * area.getWidth();
  }

  double py(double value) {
    return area.getMaxY() - y.position(value) * area.getHeight();
  }

  Point2D point(double xValue, double yValue) {
    return new Point2D.Double(px(xValue), py(yValue));
  }

  boolean contains(double xValue, double yValue) {
    return x.contains(xValue) && y.contains(yValue);
  }

  /** The part of the area that a region shades; empty if it lies outside. */
  Rectangle2D shaded(Region region) {
    double left = region.fromX() <= x.min() ? area.getX() : px(region.fromX());
    double right = region.toX() >= x.max() ? area.getMaxX() : px(region.toX());
    double low = region.fromY().orElse(y.min());
    double high = region.toY().orElse(y.max());
    double bottom = low <= y.min() ? area.getMaxY() : py(low);
    double top = high >= y.max() ? area.getY() : py(high);
    if (Double.isNaN(left + right + top + bottom)) { // It ends below 0 on a logarithmic axis.
      return new Rectangle2D.Double();
    }
    return new Rectangle2D.Double(left, top, right - left, bottom - top).createIntersection(area);
  }

  /**
   * The part of a line within the area and a little more. Lines are cut here rather than by the
   * clip alone, as Java draws dashes one by one also where nobody sees them, which for a curve that
   * leaves the plot steeply may take forever.
   */
  Optional<Line2D> cut(Point2D from, Point2D to) {
    double dx = to.getX() - from.getX();
    double dy = to.getY() - from.getY();
    double margin = 3;
    double[] span = {0, 1};
    boolean seen =
        narrow(span, -dx, from.getX() - (area.getMinX() - margin))
            && narrow(span, dx, area.getMaxX() + margin - from.getX())
            && narrow(span, -dy, from.getY() - (area.getMinY() - margin))
            && narrow(span, dy, area.getMaxY() + margin - from.getY());
    return seen
        ? Optional.of(
            new Line2D.Double(
                from.getX() + span[0] * dx,
                from.getY() + span[0] * dy,
                span[1] == 1 ? to.getX() : from.getX() + span[1] * dx,
                span[1] == 1 ? to.getY() : from.getY() + span[1] * dy))
        : Optional.empty();
  }

  /** One step of Liang and Barsky: whether anything is left on the inner side of an edge. */
  private static boolean narrow(double[] span, double direction, double distance) {
    if (direction == 0) {
      return distance >= 0;
    }
    double at = distance / direction;
    if (direction < 0) {
      span[0] = Math.max(span[0], at);
    } else {
      span[1] = Math.min(span[1], at);
    }
    return span[0] <= span[1];
  }
}
