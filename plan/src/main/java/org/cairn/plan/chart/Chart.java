// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.util.List;
import java.util.stream.Stream;

/**
 * What a chart shows, independent of how it is drawn.
 *
 * @param title drawn in bold above the plot
 * @param subtitle a line below the title, for what the title has no room for; may be empty
 * @param x the horizontal axis
 * @param y the vertical axis
 * @param series the curves and points; their order decides colours and the legend
 * @param regions shaded behind the curves
 * @param markers points that are called out by name
 * @param guides values of x that are called out over the whole height
 */
public record Chart(
    String title,
    String subtitle,
    Axis x,
    Axis y,
    List<Series> series,
    List<Region> regions,
    List<Marker> markers,
    List<Guide> guides) {
  /** Copies the lists, so that a chart does not change while it is drawn. */
  public Chart {
    series = List.copyOf(series);
    regions = List.copyOf(regions);
    markers = List.copyOf(markers);
    guides = List.copyOf(guides);
  }

  /** A chart without guides. */
  public Chart(
      String title,
      String subtitle,
      Axis x,
      Axis y,
      List<Series> series,
      List<Region> regions,
      List<Marker> markers) {
    this(title, subtitle, x, y, series, regions, markers, List.of());
  }

  /** A chart of curves alone. */
  public Chart(String title, String subtitle, Axis x, Axis y, List<Series> series) {
    this(title, subtitle, x, y, series, List.of(), List.of());
  }

  /** The same with a value of x called out. */
  public Chart with(Guide guide) {
    return new Chart(title, subtitle, x, y, series, regions, markers, appended(guides, guide));
  }

  /** The same with a point called out. */
  public Chart with(Marker marker) {
    return new Chart(title, subtitle, x, y, series, regions, appended(markers, marker), guides);
  }

  private static <T> List<T> appended(List<T> list, T last) {
    return Stream.concat(list.stream(), Stream.of(last)).toList();
  }
}
