// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.geom.Point2D;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A series in units of the picture: pieces of line, points, and error bars, all within the plot.
 */
final class Curve {
  /** Points of a line nearer to each other than this are one; it keeps pictures small. */
  private static final double NEAR = 0.25;

  private final List<Line2D> pieces = new ArrayList<>();
  private final List<Point2D> points = new ArrayList<>();
  private final List<Point2D> lonely = new ArrayList<>();
  private final List<Line2D> errors = new ArrayList<>();

  private Curve() {}

  static Curve of(Series series, Axis x, Axis y, Plot plot) {
    Curve curve = new Curve();
    List<Point2D> run = new ArrayList<>();
    for (int i = 0; i < series.x().length; i++) {
      double xValue = series.x()[i];
      double yValue = series.y()[i];
      if (!x.shows(xValue) || !y.shows(yValue)) {
        curve.addRun(run, plot);
        run.clear();
        continue;
      }
      Point2D point = plot.point(xValue, yValue);
      run.add(point);
      if (plot.contains(xValue, yValue)) {
        curve.points.add(point);
      }
      curve.addError(xValue, yValue, series.halfWidth(i), plot);
    }
    curve.addRun(run, plot);
    return curve;
  }

  private void addRun(List<Point2D> run, Plot plot) {
    if (run.size() == 1 && plot.cut(run.getFirst(), run.getFirst()).isPresent()) {
      lonely.add(run.getFirst());
    }
    @Nullable Point2D last = null;
    for (int i = 0; i < run.size(); i++) {
      Point2D point = run.get(i);
      if (last == null) {
        last = point;
      } else if (i == run.size() - 1 || last.distance(point) >= NEAR) {
        plot.cut(last, point).ifPresent(pieces::add);
        last = point;
      }
    }
  }

  private void addError(double x, double y, double halfWidth, Plot plot) {
    if (halfWidth <= 0 || !plot.x().contains(x)) {
      return;
    }
    // On a logarithmic axis a bar that reaches 0 runs out of the plot.
    boolean endless = plot.y().logarithmic() && y - halfWidth <= 0;
    double low = endless ? plot.y().min() / 10 : y - halfWidth;
    plot.cut(plot.point(x, low), plot.point(x, y + halfWidth)).ifPresent(errors::add);
  }

  List<Line2D> pieces() {
    return pieces;
  }

  List<Point2D> points() {
    return points;
  }

  /** Points between two gaps, which a line would not show. */
  List<Point2D> lonely() {
    return lonely;
  }

  /** Error bars. */
  List<Line2D> errors() {
    return errors;
  }

  /** The line as one path, so that its dashes run on from piece to piece. */
  Path2D path() {
    Path2D path = new Path2D.Double();
    for (Line2D piece : pieces) {
      @Nullable Point2D end = path.getCurrentPoint();
      if (end == null || !end.equals(piece.getP1())) {
        path.moveTo(piece.getX1(), piece.getY1());
      }
      path.lineTo(piece.getX2(), piece.getY2());
    }
    return path;
  }
}
