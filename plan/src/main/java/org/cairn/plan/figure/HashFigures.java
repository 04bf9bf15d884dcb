// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.figure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.ToDoubleFunction;
import org.cairn.plan.chart.Axis;
import org.cairn.plan.chart.Chart;
import org.cairn.plan.chart.Series;
import org.cairn.plan.chart.Style;
import org.cairn.plan.hash.HashRates.Measured;
import org.cairn.plan.hash.Outcome;
import org.cairn.plan.hash.Rate;

/** How often hashes miss a change, and how fast they are. */
public final class HashFigures {
  private HashFigures() {}

  /** Rates of missed changes of one hash against the size of blocks; what was never seen is not. */
  public static Chart missed(String hash, List<Outcome> outcomes) {
    List<Series> series = new ArrayList<>();
    group(outcomes, outcome -> outcome.change().label())
        .forEach((change, points) -> addMissed(series, change, points));
    return new Chart(
        "Changes that " + hash + " misses",
        "points are measured, with intervals of 95 %; lines are computed",
        blocks(),
        Axis.log("missed", "of all changed blocks"),
        series);
  }

  private static void addMissed(List<Series> series, String change, List<Outcome> points) {
    List<Outcome> seen = points.stream().filter(point -> point.missed().hits() > 0).toList();
    if (seen.isEmpty()) {
      return;
    }
    series.add(
        new Series(
                change,
                values(seen, Outcome::block),
                values(seen, point -> point.missed().rate()),
                Style.POINTS)
            .withErrors(values(seen, point -> (point.missed().high() - point.missed().low()) / 2)));
    List<Outcome> known = points.stream().filter(p -> p.expected().orElse(0) > 0).toList();
    if (!known.isEmpty()) {
      series.add(
          new Series(
                  change + ", computed",
                  values(known, Outcome::block),
                  values(known, point -> point.expected().orElseThrow()),
                  Style.LINE)
              .inColourOf(change));
    }
  }

  /**
   * Figures 7.1 to 7.4: which part of a program's memory was written to, and which has changed, at
   * each checkpoint.
   *
   * @param written by pages, a part of all
   * @param changed a part of all at each checkpoint, by the place of a size among all
   */
  public static Chart written(
      String program,
      double[] checkpoints,
      double[] written,
      List<Integer> sizes,
      IntFunction<double[]> changed) {
    List<Series> series = new ArrayList<>();
    series.add(new Series("written to, by pages", checkpoints, percents(written), Style.DASHED));
    for (int i = 0; i < sizes.size(); i++) {
      series.add(
          new Series(
              "changed, blocks of " + size(sizes.get(i)),
              checkpoints,
              percents(changed.apply(i)),
              Style.LINE_AND_POINTS));
    }
    return new Chart(
        "What " + program + " writes to, and what changes",
        "since the checkpoint before; all its arrays",
        Axis.linear("checkpoint", "").between(1, checkpoints[checkpoints.length - 1]),
        Axis.linear("of its memory", "%"),
        series);
  }

  private static double[] percents(double[] shares) {
    return Arrays.stream(shares).map(share -> 100 * share).toArray();
  }

  private static String size(int bytes) {
    return bytes % 1024 == 0 ? bytes / 1024 + " KiB" : bytes + " B";
  }

  /** Speeds against the size of blocks, one curve for each of what {@code name} tells apart. */
  public static Chart rates(
      String title,
      String subtitle,
      List<Measured> measured,
      Function<Measured, String> name,
      ToDoubleFunction<Rate> clock) {
    List<Series> series = new ArrayList<>();
    group(measured, name)
        .forEach(
            (curve, points) ->
                series.add(
                    new Series(
                        curve,
                        values(points, point -> point.setting().block()),
                        values(points, point -> clock.applyAsDouble(point.rate()) / 1e6),
                        Style.LINE_AND_POINTS)));
    return new Chart(title, subtitle, blocks(), Axis.log("speed", "MB/s"), series);
  }

  private static Axis blocks() {
    return Axis.log("block", "B");
  }

  private static <T> Map<String, List<T>> group(List<T> all, Function<T, String> name) {
    Map<String, List<T>> groups = new LinkedHashMap<>();
    all.forEach(one -> groups.computeIfAbsent(name.apply(one), _ -> new ArrayList<>()).add(one));
    return groups;
  }

  private static <T> double[] values(List<T> points, ToDoubleFunction<T> value) {
    return points.stream().mapToDouble(value).toArray();
  }
}
