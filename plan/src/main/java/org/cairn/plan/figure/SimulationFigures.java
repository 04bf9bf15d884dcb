// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.figure;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.DoubleUnaryOperator;
import org.cairn.plan.chart.Axis;
import org.cairn.plan.chart.Chart;
import org.cairn.plan.chart.Series;
import org.cairn.plan.chart.Style;
import org.cairn.plan.simulate.Estimate;
import org.cairn.plan.simulate.Simulation;

/** Simulated machines of growing size: figures 3.4 to 3.6, 6.5 and 6.6 of the dissertation. */
public final class SimulationFigures {
  private static final int POINTS = 161;

  private SimulationFigures() {}

  /**
   * One strategy on machines of all sizes.
   *
   * @param name what to call it
   * @param simulation what a machine of so many sockets does
   * @param model what the closed form says of the wall time, in seconds
   * @param socketsPerProcess what it pays for a process
   */
  public record Strategy(
      String name,
      DoubleFunction<Simulation> simulation,
      DoubleUnaryOperator model,
      double socketsPerProcess) {}

  /** Sizes of machines to simulate, few enough to wait for. */
  public static double[] sizes(double from, double to, int count) {
    double[] sizes = Scales.logarithmic(from, to, count);
    for (int i = 0; i < count; i++) {
      // Whole, and even, so that pairs leave none over.
      sizes[i] = 2 * Math.max(1, Math.round(sizes[i] / 2));
    }
    return sizes;
  }

  /** Figures 3.5 and 3.6: simulated efficiency, with the closed form beside it. */
  public static Chart efficiency(
      String subtitle, double work, double[] sockets, List<Strategy> strategies) {
    List<Series> series = new ArrayList<>();
    for (Strategy strategy : strategies) {
      double[] y = new double[sockets.length];
      double[] errors = new double[sockets.length];
      for (int i = 0; i < sockets.length; i++) {
        Estimate efficiency = strategy.simulation().apply(sockets[i]).efficiency();
        y[i] = 100 * efficiency.mean() / strategy.socketsPerProcess();
        errors[i] = 100 * efficiency.halfWidth() / strategy.socketsPerProcess();
      }
      series.add(
          new Series(strategy.name() + ", simulated", sockets, y, Style.LINE_AND_POINTS)
              .withErrors(errors));
      double[] many = Scales.logarithmic(sockets[0], sockets[sockets.length - 1], POINTS);
      series.add(
          Scales.curve(
                  strategy.name() + ", closed form",
                  many,
                  n ->
                      100 * work / strategy.model().applyAsDouble(n) / strategy.socketsPerProcess(),
                  Style.DASHED)
              .inColourOf(strategy.name() + ", simulated"));
    }
    return new Chart(
        "Simulated efficiency",
        subtitle,
        Scales.sockets(sockets[0], sockets[sockets.length - 1]),
        Scales.efficiency(),
        series,
        List.of(Scales.exascaleSockets()),
        List.of());
  }

  /**
   * Efficiency of several strategies against the number of sockets.
   *
   * @param curves percent for each size, by the name of the strategy
   */
  public static Chart closedForms(String subtitle, double[] sockets, Map<String, double[]> curves) {
    List<Series> series = new ArrayList<>();
    curves.forEach((name, y) -> series.add(new Series(name, sockets, y, Style.LINE)));
    return new Chart(
        "Efficiency by closed form",
        subtitle,
        Scales.sockets(sockets[0], sockets[sockets.length - 1]),
        Scales.efficiency(),
        series,
        List.of(Scales.exascaleSockets()),
        List.of());
  }

  /** Figure 3.4: simulated time to solution beside the closed form. */
  public static Chart wallTime(String subtitle, double[] sockets, Strategy strategy) {
    double[] y = new double[sockets.length];
    double[] errors = new double[sockets.length];
    for (int i = 0; i < sockets.length; i++) {
      Estimate time = strategy.simulation().apply(sockets[i]).wallTime();
      y[i] = time.mean() / Scales.HOUR;
      errors[i] = time.halfWidth() / Scales.HOUR;
    }
    double[] many = Scales.logarithmic(sockets[0], sockets[sockets.length - 1], POINTS);
    return new Chart(
        "Time to solution, simulated and modelled",
        subtitle,
        Scales.sockets(sockets[0], sockets[sockets.length - 1]),
        Axis.linear("time to solution", "h"),
        List.of(
            Scales.line("closed form", many, n -> strategy.model().applyAsDouble(n) / Scales.HOUR),
            new Series("simulated, with 95 % ranges", sockets, y, Style.POINTS).withErrors(errors)),
        List.of(Scales.exascaleSockets()),
        List.of());
  }
}
