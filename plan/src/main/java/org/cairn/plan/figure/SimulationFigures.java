// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.figure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleFunction;
import java.util.function.DoubleUnaryOperator;
import org.cairn.plan.chart.Axis;
import org.cairn.plan.chart.Chart;
import org.cairn.plan.chart.Guide;
import org.cairn.plan.chart.Marker;
import org.cairn.plan.chart.Series;
import org.cairn.plan.chart.Style;
import org.cairn.plan.simulate.BestSchedule;
import org.cairn.plan.simulate.Estimate;
import org.cairn.plan.simulate.Simulation;

/** Simulated machines of growing size: figures 3.4 to 3.6, 6.5 and 6.6 of Ferreira 2011. */
public final class SimulationFigures {
  private static final int POINTS = 161;

  /** How far around the best interval closed forms are drawn. */
  private static final double AROUND = 4;

  private SimulationFigures() {}

  /**
   * One strategy on machines of all sizes.
   *
   * @param name what to call it
   * @param simulation what a machine of so many sockets does
   * @param model what the closed form says of the wall time, in seconds
   * @param socketsPerWork what replicas and their software cost
   * @param work seconds that the job takes without checkpoints and failures
   */
  public record Strategy(
      String name,
      DoubleFunction<Simulation> simulation,
      DoubleUnaryOperator model,
      DoubleUnaryOperator socketsPerWork,
      DoubleUnaryOperator work) {}

  /**
   * The machine that was asked about.
   *
   * @param sockets its size
   * @param text what to call it
   * @param simulation what it does
   * @param socketsPerWork what replicas and their software cost there
   */
  public record Here(double sockets, String text, Simulation simulation, double socketsPerWork) {
    private Guide guide() {
      return Scales.here(sockets);
    }
  }

  /**
   * One strategy at several intervals.
   *
   * @param name what to call it
   * @param tried what was simulated; empty where the closed form is exact
   * @param best seconds of the interval that was found, or asked for
   * @param percent what part of the machine is useful there
   * @param model what the closed form says of the wall time, in seconds, at an interval
   * @param work seconds that the job takes without checkpoints and failures
   * @param socketsPerWork what replicas and their software cost
   * @param label what is said of that interval; may be empty
   */
  public record Candidates(
      String name,
      List<BestSchedule.Tried> tried,
      double best,
      double percent,
      DoubleUnaryOperator model,
      double work,
      double socketsPerWork,
      String label) {
    private double percent(double slowdown) {
      return 100 / slowdown / socketsPerWork;
    }

    private Series series() {
      if (tried.isEmpty()) {
        return Scales.line(
                name + ", closed form",
                Scales.logarithmic(best / AROUND, best * AROUND, POINTS),
                interval -> percent(model.applyAsDouble(interval) / work))
            .in(Hues.of(name));
      }
      // Of patterns, those with the counts of the best.
      Map<Double, Double> least = new TreeMap<>();
      int[] counts = tried.getFirst().scenario().counts();
      for (BestSchedule.Tried each : tried) {
        if (Arrays.equals(each.scenario().counts(), counts)) {
          least.put(each.scenario().interval(), each.simulation().slowdown());
        }
      }
      return new Series(
              name,
              array(least.keySet()),
              Arrays.stream(array(least.values())).map(this::percent).toArray(),
              Style.LINE_AND_POINTS)
          .in(Hues.of(name));
    }

    private double[] intervals() {
      return tried.isEmpty()
          ? new double[] {best / AROUND, best * AROUND}
          : tried.stream().mapToDouble(t -> t.scenario().interval()).toArray();
    }
  }

  /** What each strategy gives at the intervals that were looked at for it. */
  public static Chart intervals(String subtitle, List<Candidates> strategies) {
    double[] all = strategies.stream().flatMapToDouble(c -> Arrays.stream(c.intervals())).toArray();
    Scales.Unit unit = Scales.unit(strategies.getFirst().best());
    List<Marker> markers = new ArrayList<>();
    for (Candidates each : strategies) {
      String text = (each.label().isEmpty() ? "" : each.label() + ": ") + Scales.time(each.best());
      markers.add(new Marker(text, each.best() / unit.seconds(), each.percent()));
    }
    return new Chart(
        "Efficiency by strategy and interval",
        subtitle,
        Axis.log("time between checkpoints", unit.name())
            .between(
                Arrays.stream(all).min().orElseThrow() / unit.seconds(),
                Arrays.stream(all).max().orElseThrow() / unit.seconds()),
        Scales.efficiency(),
        strategies.stream().map(c -> unit.scaled(c.series())).toList(),
        List.of(),
        markers);
  }

  private static double[] array(Collection<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

  /** Sizes of machines to simulate, few enough to wait for. */
  public static double[] sizes(double from, double to, int count) {
    double[] sizes = Scales.logarithmic(from, to, count);
    for (int i = 0; i < count; i++) {
      // Whole, and even, so that pairs leave none over.
      sizes[i] = 2 * Math.max(1, Math.round(sizes[i] / 2));
    }
    return sizes;
  }

  /** Figures 3.5, 3.6, 6.5 and 6.6: simulated efficiency, with the closed form beside it. */
  public static Chart efficiency(
      String subtitle, double[] sockets, List<Strategy> strategies, Here here) {
    List<Series> series = new ArrayList<>();
    for (Strategy strategy : strategies) {
      double[] y = new double[sockets.length];
      double[] errors = new double[sockets.length];
      for (int i = 0; i < sockets.length; i++) {
        Simulation simulation = strategy.simulation().apply(sockets[i]);
        double per = strategy.socketsPerWork().applyAsDouble(sockets[i]);
        y[i] = 100 * simulation.efficiency() / per;
        errors[i] = 100 * simulation.efficiencyHalfWidth() / per;
      }
      series.add(
          new Series(strategy.name() + ", simulated", sockets, y, Style.LINE_AND_POINTS)
              .withErrors(errors)
              .in(Hues.of(strategy.name())));
      double[] many = Scales.logarithmic(sockets[0], sockets[sockets.length - 1], POINTS);
      series.add(
          Scales.curve(
                  strategy.name() + ", closed form",
                  many,
                  n ->
                      100
                          * strategy.work().applyAsDouble(n)
                          / strategy.model().applyAsDouble(n)
                          / strategy.socketsPerWork().applyAsDouble(n),
                  Style.DASHED)
              .in(Hues.of(strategy.name())));
    }
    return new Chart(
            "Simulated efficiency",
            subtitle,
            Scales.sockets(sockets[0], sockets[sockets.length - 1]),
            Scales.efficiency(),
            series,
            List.of(Scales.exascaleSockets()),
            List.of(
                new Marker(
                    here.text(),
                    here.sockets(),
                    100 * here.simulation().efficiency() / here.socketsPerWork())))
        .with(here.guide());
  }

  /**
   * Efficiency of several strategies against the number of sockets.
   *
   * @param curves percent for each size, by the name of the strategy
   * @param here sockets of the machine that was asked about
   * @param simulated percent there, by the name of the strategy
   */
  public static Chart closedForms(
      String subtitle,
      double[] sockets,
      Map<String, double[]> curves,
      double here,
      Map<String, Double> simulated) {
    List<Series> series = new ArrayList<>();
    curves.forEach(
        (name, y) -> series.add(new Series(name, sockets, y, Style.LINE).in(Hues.of(name))));
    simulated.forEach(
        (name, percent) ->
            series.add(
                new Series("", new double[] {here}, new double[] {percent}, Style.POINTS)
                    .in(Hues.of(name))));
    return new Chart(
            "Efficiency by closed form; points: your machine, simulated",
            subtitle,
            Scales.sockets(sockets[0], sockets[sockets.length - 1]),
            Scales.efficiency(),
            series,
            List.of(Scales.exascaleSockets()),
            List.of())
        .with(Scales.here(here));
  }

  /** Figure 3.4: simulated time to solution beside the closed form. */
  public static Chart wallTime(String subtitle, double[] sockets, Strategy strategy, Here here) {
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
                Scales.line(
                        "closed form", many, n -> strategy.model().applyAsDouble(n) / Scales.HOUR)
                    .in(Hues.of(strategy.name())),
                new Series("simulated, with 95 % ranges", sockets, y, Style.POINTS)
                    .withErrors(errors)
                    .in(Hues.of(strategy.name()))),
            List.of(Scales.exascaleSockets()),
            List.of(
                new Marker(
                    here.text(),
                    here.sockets(),
                    here.simulation().wallTime().mean() / Scales.HOUR)))
        .with(here.guide());
  }
}
