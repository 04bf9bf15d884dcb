// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn bench simulate}. */
@Command(
    name = "simulate",
    description = {
      "Measures the failure simulator of 'cairn plan simulate' against one that holds the next"
          + " failure of every socket in a heap, and compares what both find.",
      "168 h of work, checkpoints and restarts of 15 min; then machines of several sizes with as"
          + " many failures: the time follows the failures, not the sockets."
    },
    footer = {
      "",
      "Examples:",
      "  cairn bench simulate --quick              few trials",
      "  cairn bench simulate                      1,000 trials each, some minutes",
      "  cairn bench simulate --threads 1 --json"
    })
final class SimulateCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Option(
      names = "--trials",
      paramLabel = "N",
      description = "Trials of the simulator (default: 1000, with --quick 200).")
  private @Nullable Integer trials;

  @Option(
      names = "--naive-trials",
      paramLabel = "N",
      description = "Trials of the naive one (default: 200, with --quick 30).")
  private @Nullable Integer naiveTrials;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "How often each is measured (default: 3, with --quick 1).")
  private @Nullable Integer rounds;

  @Option(names = "--threads", paramLabel = "N", description = "Threads (default: all cores).")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--quick",
      description = "Few trials, once, and machines of at most 100,000 sockets in the sweep.")
  private boolean quick;

  @Mixin private JsonOption json = new JsonOption();

  SimulateCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    int mine = trials != null ? trials : quick ? 200 : 1000;
    int naive = naiveTrials != null ? naiveTrials : quick ? 30 : 200;
    int repetitions = rounds != null ? rounds : quick ? 1 : 3;
    List<SimulatedCase> cases = new ArrayList<>(SimulatedCase.machines());
    cases.addAll(SimulatedCase.sweep(quick ? 100_000 : 1_000_000));
    List<SimulationSpeed.Result> results = new ArrayList<>();
    try (var speed = new SimulationSpeed(mine, naive, repetitions, threads)) {
      for (SimulatedCase subject : cases) {
        results.add(speed.measure(subject));
      }
    }
    print(results, mine, naive, repetitions);
    return 0;
  }

  private void print(List<SimulationSpeed.Result> results, int mine, int naive, int repetitions) {
    String settings =
        String.format(
            Locale.ROOT,
            "168 h of work, checkpoints and restarts of 15 min; %,d trials, %,d naive ones, %d"
                + " threads, repetitions: %d",
            mine,
            naive,
            threads,
            repetitions);
    if (json.requested()) {
      JsonOption.print(terminal, Map.of("settings", settings, "results", results));
      return;
    }
    terminal.out().println(settings);
    terminal.out().print(speeds(results));
    terminal.out().println();
    terminal.out().print(means(results));
  }

  private static Table speeds(List<SimulationSpeed.Result> results) {
    Table table =
        new Table(
            "lives of sockets",
            ">sockets",
            ">replicas",
            ">trials",
            ">1,000 trials, s",
            "< 60 s",
            ">failures a trial",
            ">ns a failure",
            ">naive, s a trial",
            ">ratio");
    for (SimulationSpeed.Result result : results) {
      table.row(
          result.scenario(),
          format("%,d", result.sockets()),
          format("%d", result.replicas()),
          format("%,d", result.trials()),
          format("%.3f", result.secondsFor1000Trials()),
          result.withinTarget() ? "yes" : "no",
          format("%,.0f", result.failuresPerTrial()),
          format("%,.0f", result.nanosPerFailure()),
          format("%.5f", result.naiveSecondsPerTrial()),
          format("%,.1f", result.ratio()));
    }
    return table;
  }

  private static Table means(List<SimulationSpeed.Result> results) {
    Table table =
        new Table(
            "lives of sockets", ">sockets", ">replicas", ">mean, h", ">±", ">naive, h", ">±", "");
    for (SimulationSpeed.Result result : results) {
      table.row(
          result.scenario(),
          format("%,d", result.sockets()),
          format("%d", result.replicas()),
          format("%,.2f", result.meanHours()),
          format("%.2f", result.plusMinusHours()),
          format("%,.2f", result.naiveMeanHours()),
          format("%.2f", result.naivePlusMinusHours()),
          result.agree() ? "agree" : "DIFFER");
    }
    return table;
  }

  private static String format(String format, Object value) {
    return String.format(Locale.ROOT, format, value);
  }
}
