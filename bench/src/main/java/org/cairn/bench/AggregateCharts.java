// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.cairn.bench.aggregate.Ratios;
import org.cairn.bench.aggregate.Ratios.Ratio;
import org.cairn.bench.aggregate.StoreRun.Configuration;
import org.cairn.frame.FrameOrder;
import org.cairn.plan.chart.Axis;
import org.cairn.plan.chart.Chart;
import org.cairn.plan.chart.ChartWriter;
import org.cairn.plan.chart.Series;
import org.cairn.plan.chart.Style;

/** Draws figures 7 to 13 of the paper from what was measured here. */
final class AggregateCharts {
  private static final String RATIO = "how many times smaller";

  private final Path folder;

  AggregateCharts(Path folder) throws IOException {
    this.folder = folder;
    Files.createDirectories(folder);
  }

  /** Figures 7 and 8. */
  void grid(List<Ratio> grid) throws IOException {
    String set = grid.getFirst().set();
    List<Ratio> twice = grid.stream().filter(one -> one.passes() == 2).toList();
    int most = twice.stream().mapToInt(Ratio::group).max().orElse(1);
    if (most > 1) {
      draw(
          "groups-" + set,
          new Chart(
              set + ": ratio and group size",
              "small (level 6), frames of 4 MiB, blocks of 4 KiB",
              Axis.log("ranks in a group", "").between(1, most),
              Axis.linear(RATIO, ""),
              orders(
                  twice.stream().filter(one -> one.block() == Ratios.BLOCK).toList(),
                  Ratio::group)));
      draw(
          "blocks-" + set,
          new Chart(
              set + ": ratio and block size",
              "small (level 6), frames of 4 MiB, all %d ranks in one group".formatted(most),
              Axis.log("block", "KiB").between(1, 64),
              Axis.linear(RATIO, ""),
              orders(
                  twice.stream()
                      .filter(
                          one -> one.group() == most && one.order().toString().endsWith("block"))
                      .toList(),
                  one -> one.block() / 1024.0)));
    }
  }

  /** Figure 9. */
  void versions(List<Ratio> versions) throws IOException {
    String set = versions.getFirst().set();
    int last = versions.stream().mapToInt(Ratio::version).max().orElse(1);
    if (last > 1) {
      draw(
          "versions-" + set,
          new Chart(
              set + ": ratio over time",
              "small (level 6), frames of 4 MiB, blocks of 4 KiB, all ranks in one group",
              Axis.linear("version", "").between(1, last),
              Axis.linear(RATIO, ""),
              orders(versions, Ratio::version)));
    }
  }

  private static List<Series> orders(List<Ratio> ratios, ToDoubleFunction<Ratio> x) {
    List<Series> series = new ArrayList<>();
    for (FrameOrder order : FrameOrder.values()) {
      List<Ratio> own =
          ratios.stream()
              .filter(one -> one.order() == order)
              .sorted(java.util.Comparator.comparingDouble(x))
              .toList();
      if (!own.isEmpty()) {
        series.add(
            new Series(
                order.toString(),
                own.stream().mapToDouble(x).toArray(),
                own.stream().mapToDouble(Ratio::ratio).toArray(),
                Style.LINE_AND_POINTS));
      }
    }
    return series;
  }

  /** Figures 10 to 13, of one set. */
  void stores(List<AggregateStores.Result> results) throws IOException {
    String set = results.getFirst().set();
    draw("checkpoint-" + set, times(set + ": time of a checkpoint", results, r -> r.seconds()));
    draw("restart-" + set, times(set + ": time of a restart", results, r -> r.restart().all()));
  }

  private static Chart times(
      String title,
      List<AggregateStores.Result> results,
      ToDoubleFunction<AggregateStores.Result> seconds) {
    List<Series> series = new ArrayList<>();
    for (Configuration configuration : Configuration.values()) {
      List<AggregateStores.Result> own =
          results.stream().filter(one -> one.configuration() == configuration).toList();
      series.add(
          new Series(
              configuration.label(),
              own.stream().mapToDouble(AggregateStores.Result::store).toArray(),
              own.stream().mapToDouble(one -> 1e3 * seconds.applyAsDouble(one)).toArray(),
              Style.LINE_AND_POINTS));
    }
    return new Chart(
        title,
        "the configurations of mcrEngine's table 5",
        Axis.log("store", "MB/s"),
        Axis.log("time", "ms"),
        series);
  }

  private void draw(String name, Chart chart) throws IOException {
    ChartWriter.svg(chart, folder.resolve(name + ".svg"));
  }
}
