// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.figure;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.cairn.plan.chart.Axis;
import org.cairn.plan.chart.Chart;
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
  private static final int MOST = 256;

  private MultilevelFigures() {}

  /** The time lost against each count of the best pattern, with the best interval for each. */
  public static Chart counts(BestPattern best) {
    List<Level> levels = best.levels();
    if (levels.size() < 2) {
      throw new IllegalArgumentException("one level alone has no pattern to draw");
    }
    PatternModel model = new PatternModel(levels);
    List<Series> series = new ArrayList<>();
    for (int level = 0; level < levels.size() - 1; level++) {
      series.add(series(best, model, level));
    }
    int[] counts = best.pattern().counts();
    return new Chart(
        "Cheap checkpoints for each expensive one",
        "the interval is the best for each point; other counts as in the best pattern",
        Axis.log("checkpoints of a level for one of the next", "").between(1, MOST),
        Axis.linear("time lost, relative to the work", "%").between(0, 400 * (best.slowdown() - 1)),
        series,
        List.of(),
        IntStream.range(0, counts.length)
            .mapToObj(i -> new Marker("best: " + counts[i], counts[i], 100 * (best.slowdown() - 1)))
            .toList());
  }

  private static Series series(BestPattern best, PatternModel model, int level) {
    List<Double> x = new ArrayList<>();
    List<Double> y = new ArrayList<>();
    double interval = best.pattern().interval();
    for (int count = 1; count <= MOST; count = Math.max(count + 1, count * 9 / 8)) {
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
