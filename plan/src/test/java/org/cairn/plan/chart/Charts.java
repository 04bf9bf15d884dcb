// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.util.List;
import java.util.function.DoubleUnaryOperator;

/** Charts like those of the papers. */
final class Charts {
  private Charts() {}

  static Chart efficiency() {
    double[] sockets = logSpace(1_000, 1_000_000, 120);
    double[] few = {2_000, 10_000, 50_000, 100_000, 200_000, 500_000};
    DoubleUnaryOperator alone = n -> 100 * Math.max(0, 1 - Math.sqrt(n / 400_000));
    DoubleUnaryOperator twice = n -> 50 * (1 - Math.pow(n / 1e6, 0.8) * 0.12);
    return new Chart(
        "Efficiency of a week-long run, with and without replication",
        "Checkpoint of 15 minutes, 5 years between failures of a socket",
        Axis.log("Sockets", "").between(1_000, 1_000_000),
        Axis.linear("Efficiency", "%"),
        List.of(
            series("Checkpoint/restart", sockets, alone, Style.LINE),
            series("Dual replication", sockets, twice, Style.LINE),
            series("Without failures", sockets, n -> 92, Style.DASHED),
            series("Simulated, 95% confidence", few, alone, Style.POINTS)
                .withErrors(new double[] {2, 2, 3, 4, 4, 1})
                .inColourOf("Checkpoint/restart")),
        List.of(new Region("exascale", 25_000, 200_000)),
        List.of());
  }

  static Chart breakEven() {
    double[] years = linSpace(0.5, 100, 100);
    return new Chart(
        "From how many sockets replication pays",
        "Above a curve, replication is the better choice",
        Axis.linear("MTBF per socket", "years").between(0, 100),
        Axis.log("Sockets", "").between(1_000, 1_000_000),
        List.of(
            series("Checkpoint of 5 minutes", years, y -> 9_000 * y, Style.LINE),
            series("Checkpoint of 15 minutes", years, y -> 3_300 * y, Style.LINE),
            series("Checkpoint of 30 minutes", years, y -> 1_600 * y, Style.LINE),
            series("Checkpoint of 60 minutes", years, y -> 800 * y, Style.LINE),
            series("Checkpoint of 15 minutes, Weibull", years, y -> 2_100 * y, Style.DASHED)),
        List.of(new Region("exascale", 4, 50, 25_000, 1e6)),
        List.of());
  }

  static Chart mtti() {
    double[] sockets = logSpace(100, 1e6, 60);
    return new Chart(
        "Mean time to interrupt",
        "",
        Axis.log("Sockets", ""),
        Axis.log("MTTI", "hours"),
        List.of(
            series("No replication", sockets, n -> 43_800 / n, Style.LINE),
            series("Dual replication", sockets, n -> 43_800 / Math.sqrt(n) * 0.9, Style.LINE),
            series("Triple replication", sockets, n -> 43_800 / Math.cbrt(n), Style.DASHED),
            series("Recorded", logSpace(200, 5e5, 9), n -> 60_000 / n, Style.LINE_AND_POINTS)),
        List.of(new Region("exascale", 25_000, 200_000)),
        List.of());
  }

  static Chart interval() {
    double[] minutes = logSpace(3, 1_000, 200);
    DoubleUnaryOperator time = m -> 168 * (1 + 5 / m + m / 480);
    double best = Math.sqrt(5 * 480);
    return new Chart(
        "Expected time of a run",
        "A week of work, checkpoints of 5 minutes, a failure every 4 hours",
        Axis.log("Interval between checkpoints", "minutes"),
        Axis.linear("Expected wall time", "hours"),
        List.of(
            series("Model", minutes, time, Style.LINE),
            series("Simulated", logSpace(5, 500, 12), time, Style.POINTS)
                .withErrors(new double[] {20, 9, 8, 8, 7, 7, 8, 9, 12, 14, 18, 22})
                .inColourOf("Model")),
        List.of(),
        List.of(new Marker("optimum: 49 minutes", best, time.applyAsDouble(best))));
  }

  static Series series(String name, double[] x, DoubleUnaryOperator y, Style style) {
    double[] values = new double[x.length];
    for (int i = 0; i < x.length; i++) {
      values[i] = y.applyAsDouble(x[i]);
    }
    return new Series(name, x, values, style);
  }

  static double[] linSpace(double from, double to, int points) {
    double[] values = new double[points];
    for (int i = 0; i < points; i++) {
      values[i] = from + (to - from) * i / (points - 1);
    }
    return values;
  }

  static double[] logSpace(double from, double to, int points) {
    double[] values = linSpace(Math.log(from), Math.log(to), points);
    for (int i = 0; i < points; i++) {
      values[i] = Math.exp(values[i]);
    }
    return values;
  }
}
