// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.w3c.dom.Element;

/**
 * The values under the pointer, without a script: upright strips that nobody sees, each with a
 * small table of what all series have there, which the style sheet of the page shows while the
 * pointer is in the strip. A finger does as well.
 */
final class Hover {
  private static final int STRIPS = 48;
  private static final double LINE = 15;

  private final Element root;
  private final Chart chart;
  private final Plot plot;

  private Hover(Element root, Chart chart, Plot plot) {
    this.root = root;
    this.chart = chart;
    this.plot = plot;
  }

  static void append(Element root, Chart chart, Layout layout) {
    new Hover(root, chart, layout.plot()).appendStrips();
  }

  private void appendStrips() {
    Rectangle2D area = plot.area();
    double width = area.getWidth() / STRIPS;
    for (int i = 0; i < STRIPS; i++) {
      double left = area.getX() + i * width;
      double share = (i + 0.5) / STRIPS;
      List<String> lines = linesAt(plot.x().value(share), 1.0 / STRIPS);
      if (lines.size() > 1) {
        appendStrip(left, width, lines);
      }
    }
  }

  /** What is where the strip is; the first line is the place itself. */
  private List<String> linesAt(double x, double tolerance) {
    List<String> lines = new ArrayList<>();
    lines.add(chart.x().label() + ": " + Numbers.short4(x) + unit(chart.x()));
    for (Series series : chart.series()) {
      OptionalDouble y = valueAt(series, x, tolerance);
      if (y.isPresent() && !series.name().isBlank()) {
        lines.add(series.name() + ": " + Numbers.short4(y.getAsDouble()) + unit(chart.y()));
      }
    }
    return lines;
  }

  private static String unit(Axis axis) {
    return axis.unit().isEmpty() ? "" : " " + axis.unit();
  }

  /** On the line between two points of a curve; of points alone, the nearest within the strip. */
  private OptionalDouble valueAt(Series series, double x, double tolerance) {
    double[] xs = series.x();
    double[] ys = series.y();
    double at = plot.x().position(x);
    for (int i = 0; i < xs.length; i++) {
      if (!shows(xs[i], ys[i])) {
        continue;
      }
      double here = plot.x().position(xs[i]);
      if (Math.abs(here - at) <= tolerance / 2) {
        return OptionalDouble.of(ys[i]);
      }
      boolean joined = series.style().hasLine() && i + 1 < xs.length && shows(xs[i + 1], ys[i + 1]);
      double next = joined ? plot.x().position(xs[i + 1]) : here;
      if (joined && Math.min(here, next) <= at && at <= Math.max(here, next)) {
        return OptionalDouble.of(ys[i] + (at - here) / (next - here) * (ys[i + 1] - ys[i]));
      }
    }
    return OptionalDouble.empty();
  }

  private boolean shows(double x, double y) {
    return chart.x().shows(x) && chart.y().shows(y);
  }

  private void appendStrip(double left, double width, List<String> lines) {
    Rectangle2D area = plot.area();
    Element strip = child(root, "g", "at");
    rectangle(strip, "hit", left, area.getY(), width, area.getHeight());
    Element tip = child(strip, "g", "tip");
    double middle = left + width / 2;
    Element line = child(tip, "line", "");
    set(line, "x1", middle);
    set(line, "x2", middle);
    set(line, "y1", area.getY());
    set(line, "y2", area.getMaxY());
    double wide =
        lines.stream().mapToDouble(text -> Pen.width(text, Pen.SMALL)).max().orElse(0) + 16;
    double wanted = middle < area.getCenterX() ? middle + 8 : middle - 8 - wide;
    double x = Math.max(2, Math.min(wanted, area.getMaxX() - wide));
    double y = area.getY() + 6;
    rectangle(tip, "paper", x, y, wide, lines.size() * LINE + 8);
    for (int i = 0; i < lines.size(); i++) {
      Element text = child(tip, "text", "");
      set(text, "x", x + 8);
      set(text, "y", y + (i + 1) * LINE);
      text.setTextContent(Pen.clean(lines.get(i)));
    }
  }

  private static void rectangle(
      Element parent, String kind, double x, double y, double width, double height) {
    Element rectangle = child(parent, "rect", kind);
    set(rectangle, "x", x);
    set(rectangle, "y", y);
    set(rectangle, "width", width);
    set(rectangle, "height", height);
  }

  private static Element child(Element parent, String name, String kind) {
    Element child = parent.getOwnerDocument().createElementNS(Svg.NAMESPACE, name);
    if (!kind.isEmpty()) {
      child.setAttributeNS(null, "class", kind);
    }
    parent.appendChild(child);
    return child;
  }

  private static void set(Element element, String name, double value) {
    element.setAttributeNS(null, name, Svg.rounded(value));
  }
}
