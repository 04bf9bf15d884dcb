// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.awt.geom.Rectangle2D;
import java.util.DoubleSummaryStatistics;
import java.util.List;

/**
 * Where everything goes. The legend is below the plot, in columns, where it hides no curve; the
 * picture grows with it if there are many series.
 *
 * @param width of the picture
 * @param height of the picture
 * @param title in lines
 * @param subtitle in lines
 * @param plot the rectangle between the axes
 * @param xTicks from left to right
 * @param yTicks from bottom to top
 * @param legend how the legend is laid out
 */
record Layout(
    int width,
    int height,
    List<String> title,
    List<String> subtitle,
    Plot plot,
    List<Scale.Tick> xTicks,
    List<Scale.Tick> yTicks,
    Legend legend) {
  /** Columns of equal width. */
  record Legend(List<Series> entries, int columns, double columnWidth) {
    int rows() {
      return columns == 0 ? 0 : Math.ceilDiv(entries.size(), columns);
    }
  }

  static final int WIDTH = 900;
  static final int HEIGHT = 550;
  static final double MARGIN = 18;
  static final double TITLE_LINE = 21;
  static final double SUBTITLE_LINE = 17;
  static final double LEGEND_LINE = 20;

  /** The length of line that a legend shows. */
  static final double SAMPLE = 38;

  /** From the plot to the caption of the x axis. */
  static final double X_CAPTION = 42;

  /** Rows of legend for which the usual height has room. */
  private static final int USUAL_ROWS = 3;

  /** The width of a picture on the screen of a phone. */
  static final int NARROW = 420;

  static Layout of(Chart chart) {
    return of(chart, WIDTH);
  }

  static Layout of(Chart chart, int width) {
    double room = width - 2 * MARGIN;
    List<String> title = Pen.wrap(chart.title(), Pen.TITLE, room);
    List<String> subtitle = Pen.wrap(chart.subtitle(), Pen.LABEL, room);
    Legend legend = legend(chart, room);
    int height =
        HEIGHT
            + (int) (Math.max(0, legend.rows() - USUAL_ROWS) * LEGEND_LINE)
            + (int) (Math.max(0, subtitle.size() - 2) * SUBTITLE_LINE);
    double top = MARGIN + title.size() * TITLE_LINE + subtitle.size() * SUBTITLE_LINE + 12;
    double bottom = X_CAPTION + (legend.rows() == 0 ? 0 : 12 + legend.rows() * LEGEND_LINE) + 12;
    double plotHeight = height - top - bottom;

    DoubleSummaryStatistics xs = new DoubleSummaryStatistics();
    DoubleSummaryStatistics ys = new DoubleSummaryStatistics();
    measure(chart, xs, ys);
    Scale x = Scale.of(chart.x(), xs.getMin(), xs.getMax());
    Scale y = Scale.of(chart.y(), ys.getMin(), ys.getMax());
    List<Scale.Tick> yTicks =
        y.ticks(Math.max(2, (int) (plotHeight / (y.logarithmic() ? 30 : 42))));
    double left = MARGIN + 26 + widest(yTicks);
    List<Scale.Tick> xTicks = fitting(x, width - left - 3 * MARGIN);
    double right = Math.max(MARGIN, widest(xTicks) / 2) + 12;
    Rectangle2D area = new Rectangle2D.Double(left, top, width - left - right, plotHeight);
    return new Layout(width, height, title, subtitle, new Plot(area, x, y), xTicks, yTicks, legend);
  }

  private static Legend legend(Chart chart, double room) {
    List<Series> entries = chart.series().stream().filter(s -> !s.name().isBlank()).toList();
    double name = entries.stream().mapToDouble(s -> Pen.width(s.name(), Pen.PLAIN)).max().orElse(0);
    double columnWidth = SAMPLE + 8 + name + 24;
    int most = Math.max(1, (int) ((room + 24) / columnWidth));
    int rows = Math.ceilDiv(entries.size(), most);
    return new Legend(entries, rows == 0 ? 0 : Math.ceilDiv(entries.size(), rows), columnWidth);
  }

  /** As many ticks as have room for their labels side by side. */
  private static List<Scale.Tick> fitting(Scale scale, double width) {
    for (int most = 12; most > 2; most--) {
      List<Scale.Tick> ticks = scale.ticks(most);
      if (fits(ticks, scale, width)) {
        return ticks;
      }
    }
    return scale.ticks(2);
  }

  private static boolean fits(List<Scale.Tick> ticks, Scale scale, double width) {
    double end = Double.NEGATIVE_INFINITY;
    for (Scale.Tick tick : ticks) {
      double half = Pen.width(tick.label(), Pen.PLAIN) / 2;
      double middle = scale.position(tick.value()) * width;
      if (tick.major() && middle - half < end + 14) {
        return false;
      }
      end = tick.major() ? middle + half : end;
    }
    return true;
  }

  private static double widest(List<Scale.Tick> ticks) {
    return ticks.stream().mapToDouble(t -> Pen.width(t.label(), Pen.PLAIN)).max().orElse(0);
  }

  /** What the axes have to show, where they are not given. */
  private static void measure(Chart chart, DoubleSummaryStatistics xs, DoubleSummaryStatistics ys) {
    for (Series series : chart.series()) {
      for (int i = 0; i < series.x().length; i++) {
        double half = series.halfWidth(i);
        measure(chart, series.x()[i], series.y()[i], half, xs, ys);
      }
    }
    if (xs.getCount() == 0) {
      throw new IllegalArgumentException(nothing(chart));
    }
    for (Marker marker : chart.markers()) {
      measure(chart, marker.x(), marker.y(), 0, xs, ys);
    }
  }

  private static void measure(
      Chart chart,
      double x,
      double y,
      double half,
      DoubleSummaryStatistics xs,
      DoubleSummaryStatistics ys) {
    if (!chart.x().shows(x) || !chart.y().shows(y)) {
      return;
    }
    if (x < chart.x().min().orElse(x) || x > chart.x().max().orElse(x)) {
      return; // What is not seen does not stretch the other axis.
    }
    xs.accept(x);
    ys.accept(y);
    if (chart.y().isPercent()) {
      return; // An error bar that crosses 0 or 100 is cut there.
    }
    ys.accept(y + half);
    if (chart.y().shows(y - half)) {
      ys.accept(y - half);
    }
  }

  private static String nothing(Chart chart) {
    List<String> names = chart.series().stream().map(Series::name).toList();
    return "Chart \""
        + chart.title()
        + "\" has nothing to draw: "
        + (names.isEmpty()
            ? "it has no series"
            : "no point of "
                + String.join(", ", names)
                + " is a number within the axes (above 0 on a logarithmic one)");
  }
}
