// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.awt.geom.Line2D;
import java.awt.geom.Point2D;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds room for labels within the plot: where they hide no curve, no point, and no other label.
 */
final class Labels {
  /** Distance that looks clear of a curve. */
  private static final double CLEARANCE = 3;

  private final Rectangle2D plot;
  private final List<Line2D> lines = new ArrayList<>();
  private final List<Rectangle2D> boxes = new ArrayList<>();

  Labels(Rectangle2D plot) {
    this.plot = plot;
  }

  /** Keeps labels off this line. */
  void avoid(Line2D line) {
    lines.add(line);
  }

  /** Keeps labels off this box. */
  void avoid(Rectangle2D box) {
    boxes.add(box);
  }

  /** Takes the first of the candidates that hides least, and keeps later labels off it. */
  Rectangle2D place(List<Rectangle2D> candidates) {
    Rectangle2D best = candidates.getFirst();
    int fewest = Integer.MAX_VALUE;
    for (Rectangle2D candidate : candidates) {
      int hidden = hidden(candidate);
      if (hidden < fewest) {
        fewest = hidden;
        best = candidate;
      }
    }
    avoid(best);
    return best;
  }

  private int hidden(Rectangle2D candidate) {
    Rectangle2D grown =
        new Rectangle2D.Double(
            candidate.getX() - CLEARANCE,
            candidate.getY() - CLEARANCE,
            candidate.getWidth() + 2 * CLEARANCE,
            candidate.getHeight() + 2 * CLEARANCE);
    int hidden = plot.contains(candidate) ? 0 : 1000;
    hidden += (int) lines.stream().filter(grown::intersectsLine).count();
    return hidden + 20 * (int) boxes.stream().filter(grown::intersects).count();
  }

  /** Rows from the top to the bottom of an area, each in the middle first, then left and right. */
  static List<Rectangle2D> within(Rectangle2D area, double width, double height) {
    List<Rectangle2D> candidates = new ArrayList<>();
    double margin = 6;
    double room = area.getWidth() - width - 2 * margin;
    double bottom = area.getMaxY() - margin - height;
    for (double y = area.getY() + margin; y <= bottom; y += height / 2) {
      addRow(candidates, area.getCenterX() - width / 2, room / 2, y, width, height);
    }
    if (candidates.isEmpty()) {
      addRow(candidates, area.getCenterX() - width / 2, 0, area.getY(), width, height);
    }
    return candidates;
  }

  private static void addRow(
      List<Rectangle2D> to, double x, double shift, double y, double width, double height) {
    to.add(new Rectangle2D.Double(x, y, width, height));
    if (shift > 0) {
      to.add(new Rectangle2D.Double(x - shift, y, width, height));
      to.add(new Rectangle2D.Double(x + shift, y, width, height));
    }
  }

  /** Beside an upright line: to its right before its left, higher before lower. */
  static List<Rectangle2D> beside(double x, Rectangle2D area, double width, double height) {
    List<Rectangle2D> candidates = new ArrayList<>();
    double gap = 6;
    for (double y = area.getY() + gap; y <= area.getMaxY() - height; y += height) {
      candidates.add(new Rectangle2D.Double(x + gap, y, width, height));
      candidates.add(new Rectangle2D.Double(x - gap - width, y, width, height));
    }
    return candidates;
  }

  /** Around a point: near ones before distant ones, above before below. */
  static List<Rectangle2D> around(Point2D point, double width, double height) {
    List<Rectangle2D> candidates = new ArrayList<>();
    for (double gap = 9; gap < 120; gap += 9) {
      for (double y : new double[] {point.getY() - gap - height, point.getY() + gap}) {
        candidates.add(new Rectangle2D.Double(point.getX() - width / 2, y, width, height));
        candidates.add(new Rectangle2D.Double(point.getX() + gap / 2, y, width, height));
        candidates.add(new Rectangle2D.Double(point.getX() - gap / 2 - width, y, width, height));
      }
    }
    return candidates;
  }
}
