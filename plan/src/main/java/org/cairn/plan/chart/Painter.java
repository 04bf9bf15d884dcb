// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.geom.Point2D;
import java.awt.geom.Rectangle2D;
import java.util.List;
import java.util.function.Predicate;

/**
 * Paints a chart on anything that is a {@code Graphics2D}. It does so by itself, as XChart turns
 * all text into outlines, which in an SVG can neither be searched nor edited nor read aloud.
 */
final class Painter {
  private static final BasicStroke HAIR = new BasicStroke(0.75f);
  private static final BasicStroke THIN = new BasicStroke(1f);

  private final Chart chart;
  private final Layout layout;
  private final Plot plot;
  private final List<Curve> curves;
  private final Labels labels;
  private final Graphics2D g;
  private final Pen pen;

  private Painter(Chart chart, Layout layout, Graphics2D g) {
    this.chart = chart;
    this.layout = layout;
    this.plot = layout.plot();
    this.g = g;
    this.pen = new Pen(g);
    this.labels = new Labels(plot.area());
    this.curves =
        chart.series().stream().map(s -> Curve.of(s, chart.x(), chart.y(), plot)).toList();
  }

  /** Paints the chart; returns what was written. */
  static List<Pen.Written> paint(Chart chart, Layout layout, Graphics2D g) {
    Painter painter = new Painter(chart, layout, g);
    painter.paint();
    return painter.pen.written();
  }

  private void paint() {
    g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    g.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    g.setRenderingHint(
        RenderingHints.KEY_FRACTIONALMETRICS, RenderingHints.VALUE_FRACTIONALMETRICS_ON);
    g.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
    g.setColor(Color.WHITE);
    g.fill(new Rectangle2D.Double(0, 0, layout.width(), layout.height()));
    paintTitle();
    chart.regions().forEach(this::paintShade);
    paintGrid();
    paintXAxis();
    paintYAxis();
    chart.guides().forEach(this::paintGuide);
    paintSeries();
    curves.forEach(this::keepLabelsOff);
    chart.markers().forEach(this::paintMarkerPoint);
    chart.markers().forEach(this::paintMarkerText);
    chart.guides().forEach(this::paintGuideText);
    chart.regions().forEach(this::paintRegionName);
    paintLegend();
  }

  private void paintTitle() {
    double y = Layout.MARGIN + 12;
    for (String line : layout.title()) {
      pen.write(line, Pen.TITLE, Palette.TEXT, Layout.MARGIN, y, Pen.Anchor.START);
      y += Layout.TITLE_LINE;
    }
    for (String line : layout.subtitle()) {
      pen.write(line, Pen.LABEL, Palette.FAINT_TEXT, Layout.MARGIN, y, Pen.Anchor.START);
      y += Layout.SUBTITLE_LINE;
    }
  }

  private void paintShade(Region region) {
    Rectangle2D shaded = plot.shaded(region);
    if (shaded.isEmpty()) {
      return;
    }
    g.setColor(Palette.SHADE);
    g.fill(shaded);
    g.setColor(Palette.SHADE_EDGE);
    g.setStroke(HAIR);
    g.draw(shaded);
  }

  private void paintGrid() {
    Rectangle2D area = plot.area();
    g.setColor(Palette.GRID);
    g.setStroke(HAIR);
    for (Scale.Tick tick : layout.xTicks()) {
      if (tick.major()) {
        double x = plot.px(tick.value());
        line(x, area.getY(), x, area.getMaxY());
      }
    }
    for (Scale.Tick tick : layout.yTicks()) {
      if (tick.major()) {
        double y = plot.py(tick.value());
        line(area.getX(), y, area.getMaxX(), y);
      }
    }
  }

  private boolean isShown(Guide guide) {
    return chart.x().shows(guide.x()) && plot.x().contains(guide.x());
  }

  private void paintGuide(Guide guide) {
    if (isShown(guide)) {
      double x = plot.px(guide.x());
      g.setColor(Palette.AXIS);
      g.setStroke(Palette.guide());
      Line2D line = new Line2D.Double(x, plot.area().getY(), x, plot.area().getMaxY());
      g.draw(line);
      labels.avoid(line);
    }
  }

  /** Beside the line, as high as nothing else is there. */
  private void paintGuideText(Guide guide) {
    if (!isShown(guide) || guide.text().isBlank()) {
      return;
    }
    Rectangle2D size = Pen.bounds(guide.text(), Pen.SMALL, 0, 0);
    Rectangle2D box =
        labels.place(
            Labels.beside(plot.px(guide.x()), plot.area(), size.getWidth(), size.getHeight()));
    writeIn(box, guide.text(), Pen.SMALL, Palette.TEXT);
  }

  private void paintXAxis() {
    Rectangle2D area = plot.area();
    double y = area.getMaxY();
    g.setColor(Palette.AXIS);
    g.setStroke(THIN);
    line(area.getX(), y, area.getMaxX(), y);
    for (Scale.Tick tick : layout.xTicks()) {
      double x = plot.px(tick.value());
      g.setColor(Palette.AXIS);
      line(x, y, x, y + (tick.major() ? 6 : 3));
      pen.write(tick.label(), Pen.PLAIN, Palette.TEXT, x, y + 19, Pen.Anchor.MIDDLE);
    }
    pen.write(
        chart.x().caption(plot.x()),
        Pen.LABEL,
        Palette.TEXT,
        area.getCenterX(),
        y + Layout.X_CAPTION,
        Pen.Anchor.MIDDLE);
  }

  private void paintYAxis() {
    Rectangle2D area = plot.area();
    double x = area.getX();
    g.setColor(Palette.AXIS);
    g.setStroke(THIN);
    line(x, area.getY(), x, area.getMaxY());
    for (Scale.Tick tick : layout.yTicks()) {
      double y = plot.py(tick.value());
      g.setColor(Palette.AXIS);
      line(x - (tick.major() ? 6 : 3), y, x, y);
      pen.write(tick.label(), Pen.PLAIN, Palette.TEXT, x - 9, y + 4.3, Pen.Anchor.END);
    }
    String caption = chart.y().caption(plot.y());
    pen.writeUp(caption, Pen.LABEL, Palette.TEXT, Layout.MARGIN + 8, area.getCenterY());
  }

  private void paintSeries() {
    Shape saved = g.getClip();
    Rectangle2D area = plot.area();
    double margin = 1.5; // A line along the edge keeps its width.
    g.setClip(
        new Rectangle2D.Double(
            area.getX() - margin,
            area.getY() - margin,
            area.getWidth() + 2 * margin,
            area.getHeight() + 2 * margin));
    for (int i = 0; i < curves.size(); i++) {
      paintLine(chart.series().get(i), curves.get(i));
    }
    g.setClip(saved);
    for (int i = 0; i < curves.size(); i++) { // Points at the edge of the plot are whole.
      paintPoints(chart.series().get(i), curves.get(i));
    }
  }

  private void paintLine(Series series, Curve curve) {
    g.setColor(colour(series));
    if (series.style().hasLine()) {
      g.setStroke(stroke(series));
      g.draw(curve.path());
      curve.lonely().forEach(p -> g.fill(dot(p, 2)));
    }
    curve.errors().forEach(e -> paintError(e.getX1(), e.getY1(), e.getY2()));
  }

  private void paintError(double x, double from, double to) {
    g.setStroke(THIN);
    line(x, from, x, to);
    line(x - 3.5, from, x + 3.5, from);
    line(x - 3.5, to, x + 3.5, to);
  }

  private void paintPoints(Series series, Curve curve) {
    if (series.style().hasPoints()) {
      curve.points().forEach(p -> paintSymbol(series, p.getX(), p.getY()));
    }
  }

  /** White within, so that a line below remains visible as such. */
  private void paintSymbol(Series series, double x, double y) {
    Shape symbol = Palette.symbol(rank(series, Style::hasPoints), x, y);
    g.setColor(Color.WHITE);
    g.fill(symbol);
    g.setColor(colour(series));
    g.setStroke(new BasicStroke(1.5f));
    g.draw(symbol);
  }

  private void keepLabelsOff(Curve curve) {
    curve.pieces().forEach(labels::avoid);
    curve.errors().forEach(labels::avoid);
    curve.points().forEach(p -> labels.avoid(box(p, 1)));
  }

  private void paintMarkerPoint(Marker marker) {
    if (!isShown(marker)) {
      return;
    }
    Point2D at = plot.point(marker.x(), marker.y());
    g.setColor(Color.WHITE);
    g.fill(dot(at, 6));
    g.setColor(Palette.TEXT);
    g.fill(dot(at, 4.5));
    labels.avoid(box(at, 6));
  }

  private void paintMarkerText(Marker marker) {
    if (!isShown(marker) || marker.text().isBlank()) {
      return;
    }
    Point2D at = plot.point(marker.x(), marker.y());
    Font font = Pen.PLAIN;
    Rectangle2D size = Pen.bounds(marker.text(), font, 0, 0);
    Rectangle2D box = labels.place(Labels.around(at, size.getWidth(), size.getHeight()));
    paintLeader(at, box);
    writeIn(box, marker.text(), font, Palette.TEXT);
  }

  /** A thin line to a text that had to go further away. */
  private void paintLeader(Point2D at, Rectangle2D box) {
    double x = Math.clamp(at.getX(), box.getMinX(), box.getMaxX());
    double y = Math.clamp(at.getY(), box.getMinY(), box.getMaxY());
    double distance = at.distance(x, y);
    if (distance < 16) {
      return;
    }
    double share = 8 / distance;
    g.setColor(Palette.FAINT_TEXT);
    g.setStroke(HAIR);
    double startX = at.getX() + share * (x - at.getX());
    double startY = at.getY() + share * (y - at.getY());
    line(startX, startY, x, y);
  }

  private boolean isShown(Marker marker) {
    return chart.x().shows(marker.x())
        && chart.y().shows(marker.y())
        && plot.contains(marker.x(), marker.y());
  }

  private void paintRegionName(Region region) {
    Rectangle2D shaded = plot.shaded(region);
    if (shaded.isEmpty() || region.name().isBlank()) {
      return;
    }
    Rectangle2D size = Pen.bounds(region.name(), Pen.SMALL, 0, 0);
    Rectangle2D box = labels.place(Labels.within(shaded, size.getWidth(), size.getHeight()));
    writeIn(box, region.name(), Pen.SMALL, Palette.FAINT_TEXT);
  }

  private void writeIn(Rectangle2D box, String text, Font font, Color colour) {
    double base = box.getY() + 0.8 * font.getSize2D();
    pen.write(text, font, colour, box.getCenterX(), base, Pen.Anchor.MIDDLE);
  }

  private void paintLegend() {
    Layout.Legend legend = layout.legend();
    double width = legend.columns() * legend.columnWidth() - 24;
    double wanted = plot.area().getCenterX() - width / 2;
    double left = Math.max(Layout.MARGIN, Math.min(wanted, layout.width() - Layout.MARGIN - width));
    double top = plot.area().getMaxY() + Layout.X_CAPTION + 26;
    for (int i = 0; i < legend.entries().size(); i++) {
      double x = left + i % legend.columns() * legend.columnWidth();
      int row = i / legend.columns();
      double y = top + row * Layout.LEGEND_LINE;
      paintSample(legend.entries().get(i), x, y - 4);
      String name = legend.entries().get(i).name();
      double begin = x + Layout.SAMPLE + 8;
      pen.write(name, Pen.PLAIN, Palette.TEXT, begin, y, Pen.Anchor.START);
    }
  }

  private void paintSample(Series series, double x, double y) {
    g.setColor(colour(series));
    if (series.halfWidths().length > 0) {
      paintError(x + Layout.SAMPLE / 2, y - 7, y + 7);
    }
    if (series.style().hasLine()) {
      g.setStroke(stroke(series));
      line(x, y, x + Layout.SAMPLE, y);
    }
    if (series.style().hasPoints()) {
      paintSymbol(series, x + Layout.SAMPLE / 2, y);
    }
  }

  private Color colour(Series series) {
    List<String> names = chart.series().stream().map(Series::name).toList();
    int other = series.colourOf().isEmpty() ? -1 : names.indexOf(series.colourOf());
    Colour byPlace = Palette.colour(other >= 0 ? other : identity(series));
    return Palette.ink(series.colour().orElse(byPlace));
  }

  private BasicStroke stroke(Series series) {
    return Palette.stroke(series.style(), rank(series, s -> s == series.style()));
  }

  /** How many series of such a style come before it. */
  private int rank(Series series, Predicate<Style> style) {
    List<Series> before = chart.series().subList(0, identity(series));
    return (int) before.stream().filter(s -> style.test(s.style())).count();
  }

  private int identity(Series series) {
    return chart.series().indexOf(series);
  }

  private void line(double x1, double y1, double x2, double y2) {
    g.draw(new Line2D.Double(x1, y1, x2, y2));
  }

  private static Ellipse2D dot(Point2D at, double radius) {
    return new Ellipse2D.Double(at.getX() - radius, at.getY() - radius, 2 * radius, 2 * radius);
  }

  private static Rectangle2D box(Point2D at, double radius) {
    return dot(at, radius).getBounds2D();
  }
}
