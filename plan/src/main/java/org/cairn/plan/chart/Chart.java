// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.util.List;

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
 */
public record Chart(
    String title,
    String subtitle,
    Axis x,
    Axis y,
    List<Series> series,
    List<Region> regions,
    List<Marker> markers) {
  /** Copies the lists, so that a chart does not change while it is drawn. */
  public Chart {
    series = List.copyOf(series);
    regions = List.copyOf(regions);
    markers = List.copyOf(markers);
  }

  /** A chart of curves alone. */
  public Chart(String title, String subtitle, Axis x, Axis y, List<Series> series) {
    this(title, subtitle, x, y, series, List.of(), List.of());
  }
}
