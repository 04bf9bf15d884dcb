// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.figure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.cairn.plan.chart.Axis;
import org.cairn.plan.chart.Chart;
import org.cairn.plan.chart.Series;
import org.cairn.plan.chart.Style;
import org.cairn.plan.failure.Fit;
import org.cairn.plan.failure.Lifetime;
import org.cairn.plan.failure.Trace;

/** Recorded failures beside the distributions that were fitted to them. */
public final class TraceFigures {
  private static final int POINTS = 200;

  private TraceFigures() {}

  /** What part of the gaps between failures is longer than a time. */
  public static Chart gaps(Trace trace) {
    double[] gaps = Arrays.stream(trace.gaps()).filter(gap -> gap > 0).sorted().toArray();
    double shortest = gaps[0] / Scales.HOUR;
    double longest = gaps[gaps.length - 1] / Scales.HOUR;
    double[] hours = Scales.logarithmic(shortest, longest, POINTS);
    List<Series> series = new ArrayList<>();
    series.add(Scales.line("recorded", hours, h -> 100 * longer(gaps, h * Scales.HOUR)));
    for (Fit fit : Fit.all(gaps)) {
      Lifetime lifetime = lifetime(fit);
      series.add(
          Scales.curve(
              fit.name(), hours, h -> 100 * lifetime.survival(h * Scales.HOUR), Style.DASHED));
    }
    return new Chart(
        "Times between failures of " + trace.name(),
        "gaps of 0 left out; the fits have the greatest likelihood",
        Axis.log("time between two failures", "h").between(shortest, longest),
        Axis.linear("gaps that are longer", "%").between(0, 100),
        series);
  }

  private static double longer(double[] sorted, double time) {
    int place = Arrays.binarySearch(sorted, time);
    int notLonger = place >= 0 ? place + 1 : -place - 1;
    return (double) (sorted.length - notLonger) / sorted.length;
  }

  private static Lifetime lifetime(Fit fit) {
    double first = fit.parameters().getFirst();
    double last = fit.parameters().getLast();
    return switch (fit.family()) {
      case EXPONENTIAL -> new Lifetime.Exponential(first);
      case WEIBULL -> new Lifetime.Weibull(first, last);
      case LOG_NORMAL -> new Lifetime.LogNormal(first, last);
      case GAMMA -> new Lifetime.Gamma(first, last);
    };
  }
}
