// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.cairn.bench.mpi.PingPongJob;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.Folder;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.run.MpiLauncher;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn bench mpi}. */
@Command(
    name = "mpi",
    description = {
      "Measures messages between two ranks, against the same program in C.",
      "",
      "Messages go there and back; what counts is half of that. Programs take turns, once each per"
          + " round; the result is the median over the rounds of the medians within.",
      ""
    },
    footer = {"", "Examples:", "  cairn bench mpi --rounds 9", "  cairn bench mpi --json"})
final class MpiCommand implements Callable<Integer> {
  private static final int SMALL = 8;
  private static final int LARGE = 1 << 20;
  private static final double MOST_MICROSECONDS_ABOVE_C = 2;
  private static final double LEAST_SHARE_OF_C = 0.9;

  /** Repetitions, then bytes and round trips per repetition. */
  private static final List<String> ARGUMENTS =
      List.of("7", String.valueOf(SMALL), "20000", String.valueOf(LARGE), "300");

  private final Terminal terminal;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "How often each program runs (default: ${DEFAULT-VALUE}).")
  private int rounds = 5;

  @Mixin private JsonOption json = new JsonOption();

  MpiCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /**
   * One line of the result.
   *
   * @param mpi which library
   * @param what latency in microseconds, or bandwidth in GB/s
   * @param ratio Java / C, median of the rounds
   * @param difference Java - C, median of the rounds
   * @param passed whether the bound is kept
   */
  record Line(
      String mpi,
      String what,
      double java,
      double c,
      double ratio,
      double difference,
      String bound,
      boolean passed) {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<Line> lines = new ArrayList<>();
    Path folder = Files.createTempDirectory("cairn-bench-mpi");
    try {
      for (MpiLauncher.Kind kind : MpiLauncher.Kind.values()) {
        MpiLauncher launcher =
            MpiLauncher.find(kind)
                .orElseThrow(
                    () -> new CommandFailedException("an MPI is missing: " + kind.remedy()));
        lines.addAll(measure(kind.name().toLowerCase(Locale.ROOT), launcher, folder));
      }
    } finally {
      Folder.delete(folder);
    }
    if (json.requested()) {
      JsonOption.print(terminal, lines);
    } else {
      terminal.out().print(table(lines));
    }
    return lines.stream().allMatch(Line::passed) ? 0 : 1;
  }

  private List<Line> measure(String mpi, MpiLauncher launcher, Path folder)
      throws IOException, InterruptedException {
    PingPongJob job = new PingPongJob(launcher, folder);
    double[][] c = new double[2][rounds];
    double[][] java = new double[2][rounds];
    for (int round = 0; round < rounds; round++) {
      note(c, round, job.runC(ARGUMENTS));
      note(java, round, job.runJava(ARGUMENTS));
    }
    return List.of(
        latency(mpi, Series.of(java[0]).times(1e6), Series.of(c[0]).times(1e6)),
        bandwidth(mpi, rates(java[1]), rates(c[1])));
  }

  private static void note(double[][] times, int round, Map<Integer, List<Double>> seconds) {
    times[0][round] = median(seconds.getOrDefault(SMALL, List.of()));
    times[1][round] = median(seconds.getOrDefault(LARGE, List.of()));
  }

  private static double median(List<Double> values) {
    return Series.of(values.stream().mapToDouble(Double::doubleValue).toArray()).median();
  }

  private static Series rates(double[] seconds) {
    double[] rates = new double[seconds.length];
    for (int i = 0; i < rates.length; i++) {
      rates[i] = LARGE / seconds[i] / 1e9;
    }
    return Series.of(rates);
  }

  private static Line latency(String mpi, Series java, Series c) {
    double difference = java.plus(c.times(-1)).median();
    return new Line(
        mpi,
        "8 B, µs",
        java.median(),
        c.median(),
        java.over(c).median(),
        difference,
        "difference ≤ 2",
        difference <= MOST_MICROSECONDS_ABOVE_C);
  }

  private static Line bandwidth(String mpi, Series java, Series c) {
    double ratio = java.over(c).median();
    return new Line(
        mpi,
        "1 MiB, GB/s",
        java.median(),
        c.median(),
        ratio,
        java.plus(c.times(-1)).median(),
        "ratio ≥ 0.9",
        ratio >= LEAST_SHARE_OF_C);
  }

  private static Table table(List<Line> lines) {
    Table table =
        new Table("MPI", "message", ">Java", ">C", ">ratio", ">difference", "bound", "verdict");
    for (Line line : lines) {
      table.row(
          line.mpi(),
          line.what(),
          Target.number(line.java()),
          Target.number(line.c()),
          Target.number(line.ratio()),
          Target.number(line.difference()),
          line.bound(),
          line.passed() ? "PASS" : "MISS");
    }
    return table;
  }
}
