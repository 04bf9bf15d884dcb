// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.figure;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.cairn.plan.chart.Axis;
import org.cairn.plan.chart.Chart;
import org.cairn.plan.chart.Guide;
import org.cairn.plan.chart.Marker;
import org.cairn.plan.chart.Series;
import org.cairn.plan.chart.Style;
import org.cairn.plan.interval.Conditions;
import org.cairn.plan.interval.IntervalRule;
import org.cairn.plan.interval.WallTime;
import org.cairn.plan.simulate.Simulation;

/** What the interval between checkpoints costs. */
public final class IntervalFigures {
  private static final int POINTS = 241;

  private IntervalFigures() {}

  /**
   * Where the time goes, for intervals around the best one.
   *
   * @param own an interval to mark, in seconds
   */
  public static Chart cost(Conditions conditions, double work, OptionalDouble own) {
    double best = IntervalRule.EXACT.interval(conditions);
    Scales.Span usual = new Scales.Span(best / 30, Math.min(best * 30, best + work));
    double[] seconds = usual.with(own.orElse(best)).points(POINTS);
    Scales.Unit unit = Scales.unit(best);
    double[] x = new double[POINTS];
    double[][] parts = new double[4][POINTS];
    for (int i = 0; i < POINTS; i++) {
      WallTime time = WallTime.expected(conditions, work, seconds[i]);
      x[i] = seconds[i] / unit.seconds();
      double[] percent = {time.waste(), time.checkpoint(), time.rework(), time.restart()};
      for (int part = 0; part < parts.length; part++) {
        parts[part][i] = 100 * percent[part] / work;
      }
    }
    double lowest = 100 * WallTime.expected(conditions, work, best).waste() / work;
    List<Series> series = new ArrayList<>();
    String[] names = {"all of it", "checkpoints", "work done twice", "restarts"};
    for (int part = 0; part < parts.length; part++) {
      series.add(
          new Series(
              names[part], x, cut(parts[part], lowest * 8), part == 0 ? Style.LINE : Style.DASHED));
    }
    return new Chart(
        "What the interval between checkpoints costs",
        "checkpoint "
            + Scales.time(conditions.checkpoint())
            + ", restart "
            + Scales.time(conditions.restart())
            + ", an interrupt every "
            + Scales.time(conditions.mtti()),
        Axis.log("time between checkpoints", unit.name()).between(x[0], x[POINTS - 1]),
        Axis.linear("time lost, relative to the work", "%").between(0, lowest * 6),
        series,
        List.of(),
        List.of(new Marker("best: " + Scales.time(best), best / unit.seconds(), lowest)),
        yours(own, unit));
  }

  /**
   * Simulated times for several intervals, where failures do not come at a constant rate.
   *
   * @param best the interval that was found
   * @param own an interval to mark, in seconds
   */
  public static Chart simulatedCost(
      String subtitle,
      double[] intervals,
      List<Simulation> simulations,
      double best,
      OptionalDouble own) {
    Scales.Unit unit = Scales.unit(best);
    double[] x = new double[intervals.length];
    double[] y = new double[intervals.length];
    double[] errors = new double[intervals.length];
    double marked = Double.NaN;
    for (int i = 0; i < x.length; i++) {
      x[i] = intervals[i] / unit.seconds();
      y[i] = simulations.get(i).wallTime().mean() / Scales.HOUR;
      errors[i] = simulations.get(i).wallTime().halfWidth() / Scales.HOUR;
      marked = intervals[i] == best ? y[i] : marked;
    }
    return new Chart(
        "What the interval between checkpoints costs, simulated",
        subtitle,
        Axis.log("time between checkpoints", unit.name()),
        Axis.linear("time to solution", "h"),
        List.of(
            new Series("simulated, with 95 % ranges", x, y, Style.LINE_AND_POINTS)
                .withErrors(errors)),
        List.of(),
        List.of(new Marker("best: " + Scales.time(best), best / unit.seconds(), marked)),
        yours(own, unit));
  }

  private static List<Guide> yours(OptionalDouble own, Scales.Unit unit) {
    return own.stream()
        .mapToObj(time -> new Guide("yours: " + Scales.time(time), time / unit.seconds()))
        .toList();
  }

  private static double[] cut(double[] values, double limit) {
    double[] cut = values.clone();
    for (int i = 0; i < cut.length; i++) {
      cut[i] = cut[i] > limit ? Double.NaN : cut[i];
    }
    return cut;
  }

  /**
   * Efficiency against the number of sockets, checkpoints alone.
   *
   * @param own sockets of the machine that was asked about
   */
  public static Chart efficiency(
      double checkpoint, double restart, double socketMtbf, double work, double own) {
    double most = Math.max(1e6, own);
    double[] sockets =
        new Scales.Span(Math.max(1, most / 1e4), most).with(Math.max(2, own)).points(POINTS);
    List<Series> series = new ArrayList<>();
    for (IntervalRule rule : List.of(IntervalRule.EXACT, IntervalRule.DALY, IntervalRule.YOUNG)) {
      series.add(
          Scales.curve(
              rule.title() + " interval",
              sockets,
              n -> {
                Conditions c = new Conditions(checkpoint, restart, socketMtbf / n);
                return 100 * WallTime.expected(c, work, rule.interval(c)).efficiency();
              },
              rule == IntervalRule.EXACT ? Style.LINE : Style.DASHED));
    }
    Conditions here = new Conditions(checkpoint, restart, socketMtbf / own);
    double there =
        100 * WallTime.expected(here, work, IntervalRule.EXACT.interval(here)).efficiency();
    return new Chart(
        "Efficiency with checkpoints alone",
        "checkpoint "
            + Scales.time(checkpoint)
            + ", restart "
            + Scales.time(restart)
            + ", MTBF of a socket "
            + Scales.time(socketMtbf),
        Scales.sockets(sockets[0], sockets[POINTS - 1]),
        Scales.efficiency(),
        series,
        List.of(Scales.exascaleSockets()),
        List.of(new Marker(Scales.number(there) + " %", own, there)),
        List.of(Scales.here(own)));
  }
}
