// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.figure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.cairn.plan.chart.Axis;
import org.cairn.plan.chart.Chart;
import org.cairn.plan.chart.Guide;
import org.cairn.plan.chart.Marker;
import org.cairn.plan.chart.Series;
import org.cairn.plan.chart.Style;
import org.cairn.plan.multilevel.BestPattern;
import org.cairn.plan.multilevel.Level;
import org.cairn.plan.multilevel.Pattern;
import org.cairn.plan.multilevel.PatternModel;
import org.cairn.plan.numeric.Minimum;

/** What is lost, by how many cheap checkpoints are taken for each expensive one. */
public final class MultilevelFigures {
  /** How many cheap checkpoints are drawn, unless somebody has more. */
  private static final int USUAL = 256;

  /** Nobody looks further. */
  private static final int MOST = 10_000_000;

  private MultilevelFigures() {}

  /**
   * The time lost against each count of the best pattern, with the best interval for each.
   *
   * @param own counts to mark, one for each level but the last; empty if there are none
   */
  public static Chart counts(BestPattern best, int[] own) {
    List<Level> levels = best.levels();
    if (levels.size() < 2) {
      throw new IllegalArgumentException("one level alone has no pattern to draw");
    }
    int[] bestCounts = best.pattern().counts();
    int most =
        IntStream.concat(Arrays.stream(bestCounts), Arrays.stream(own))
            .map(count -> count + count / 4)
            .map(count -> Math.min(count, MOST))
            .reduce(USUAL, Math::max);
    PatternModel model = new PatternModel(levels);
    List<Series> series = new ArrayList<>();
    for (int level = 0; level < levels.size() - 1; level++) {
      series.add(series(best, model, level, most));
    }
    return new Chart(
        "Cheap checkpoints for each expensive one",
        "the interval is the best for each point; other counts as in the best pattern",
        Axis.log("checkpoints of a level for one of the next", "").between(1, most),
        Axis.linear("time lost, relative to the work", "%").between(0, 400 * (best.slowdown() - 1)),
        series,
        List.of(),
        IntStream.range(0, bestCounts.length)
            .mapToObj(
                i ->
                    new Marker(
                        "best: " + bestCounts[i], bestCounts[i], 100 * (best.slowdown() - 1)))
            .toList(),
        IntStream.range(0, own.length)
            .mapToObj(
                i ->
                    new Guide(
                        "yours: " + own[i] + (own.length > 1 ? " " + levels.get(i).name() : ""),
                        own[i]))
            .toList());
  }

  private static Series series(BestPattern best, PatternModel model, int level, int most) {
    List<Double> x = new ArrayList<>();
    List<Double> y = new ArrayList<>();
    double interval = best.pattern().interval();
    for (int count = 1; count <= most; count = Math.max(count + 1, count * 9 / 8)) {
      int[] counts = best.pattern().counts();
      counts[level] = count;
      double least =
          Minimum.onLogScale(
              w -> model.slowdown(new Pattern(w, counts)), interval / 100, interval * 100);
      x.add((double) count);
      y.add(100 * (model.slowdown(new Pattern(least, counts)) - 1));
    }
    String name =
        best.levels().get(level).name() + " for each of " + best.levels().get(level + 1).name();
    return new Series(name, array(x), array(y), Style.LINE);
  }

  private static double[] array(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }
}
