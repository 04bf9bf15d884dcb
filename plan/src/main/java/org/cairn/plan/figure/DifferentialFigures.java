// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.figure;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.cairn.plan.chart.Axis;
import org.cairn.plan.chart.Chart;
import org.cairn.plan.chart.Guide;
import org.cairn.plan.chart.Marker;
import org.cairn.plan.chart.Series;
import org.cairn.plan.chart.Style;
import org.cairn.plan.differential.Comparison;
import org.cairn.plan.differential.Viability;

/** When differential checkpoints pay. */
public final class DifferentialFigures {
  private DifferentialFigures() {}

  /**
   * The change of the checkpoint time against what part of the data is dirty.
   *
   * @param own the dirty part that was asked about
   */
  public static Chart gain(Comparison comparison, OptionalDouble own) {
    double[] percent = Scales.linear(0, 100, 101);
    return new Chart(
        "Differential against full checkpoints",
        "hashing takes "
            + Scales.number(comparison.ratio())
            + " times as long as writing; below 0 % differential is faster",
        Axis.linear("dirty blocks", "%").between(0, 100),
        Axis.linear("change of the checkpoint time", "%")
            .between(-100, Math.max(20, 100 * comparison.relativeChange(1) * 1.2)),
        List.of(
            Scales.ofStrategy(
                "differential (Keller and Bautista-Gomez 2019, equation 5)",
                percent,
                p -> 100 * comparison.relativeChange(p / 100),
                Style.LINE),
            Scales.ofStrategy("full checkpoint", percent, p -> 0, Style.DASHED)),
        List.of(),
        comparison.threshold() > 0
            ? List.of(new Marker("threshold", 100 * comparison.threshold(), 0))
            : List.of(),
        own.isPresent()
            ? List.of(
                new Guide(
                    "yours: " + Scales.number(100 * own.getAsDouble()) + " %",
                    100 * own.getAsDouble()))
            : List.of());
  }

  /**
   * Figure 7.10 of Ferreira 2011: the bandwidth that each socket has, and those below which hashing
   * pays.
   */
  public static Chart bandwidths(
      Map<String, Viability> applications, OptionalDouble own, double... totals) {
    Scales.Span usual = new Scales.Span(1000, 1e6);
    Scales.Span span = own.isPresent() ? usual.with(own.getAsDouble()) : usual;
    double[] sockets = span.points(61);
    List<Series> series = new ArrayList<>();
    for (double total : totals) {
      series.add(
          Scales.line(Scales.number(total / 1e12) + " TB/s in all", sockets, n -> total / n / 1e6));
    }
    applications.forEach(
        (name, viability) ->
            series.add(
                Scales.curve(
                    name, sockets, n -> viability.breakEvenBandwidth() / 1e6, Style.DASHED)));
    return new Chart(
        "Bandwidth of each socket, and where hashing breaks even",
        "hashing beats writing whole pages where a sloping line lies below a level one",
        Scales.sockets(span),
        Axis.log("bandwidth of a socket", "MB/s"),
        series,
        List.of(Scales.exascaleSockets()),
        List.of(),
        own.isPresent() ? List.of(Scales.here(own.getAsDouble())) : List.of());
  }
}
