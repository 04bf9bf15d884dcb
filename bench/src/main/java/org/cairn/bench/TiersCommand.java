// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.SizeConverter;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn bench tiers}. */
@Command(
    name = "tiers",
    description = {
      "Measures what the tiers cost: time that checkpoints take from Heat2D, bytes sent for a",
      "version with 3 %% of its blocks changed, the time until a version is at a tier, and the",
      "rebuild of a rank that lost its directory."
    },
    footer = {
      "",
      "Examples:",
      "  cairn bench tiers --quick                       small states, few repetitions",
      "  cairn bench tiers --parts heat --ranks 4        Heat2D alone, on 4 ranks",
      "  cairn bench tiers --parts rebuild --rebuild-size 128MiB",
      "",
      "Exit codes: 0 all bounds kept and all results equal in every bit, 1 not so."
    })
final class TiersCommand implements Callable<Integer> {
  private static final int RANKS = 4;

  /** As many ranks as cores of a small machine. */
  private static final int PAIR = 2;

  /** What is measured. */
  enum Part {
    heat,
    traffic,
    update,
    rebuild
  }

  private final Terminal terminal;

  @Option(
      names = "--parts",
      paramLabel = "PART",
      split = ",",
      defaultValue = "heat,traffic,update,rebuild",
      description = "What to measure: ${COMPLETION-CANDIDATES} (default: all).")
  private List<Part> parts = List.of();

  @Option(
      names = "--ranks",
      paramLabel = "N",
      split = ",",
      defaultValue = "2,4",
      description = "Ranks of Heat2D (default: ${DEFAULT-VALUE}); the other parts have 4.")
  private List<Integer> ranks = List.of();

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "State of a rank of Heat2D (default: 16MiB, with --quick 1MiB).")
  private @Nullable Long size;

  @Option(
      names = "--traffic-size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "State of a rank whose bytes are counted (default: 64MiB, with --quick 16MiB).")
  private @Nullable Long trafficSize;

  @Option(
      names = "--update-size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "State of a rank whose versions go to tiers (default: 256MiB, --quick 16MiB).")
  private @Nullable Long updateSize;

  @Option(
      names = "--rebuild-size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "State of a rank that is rebuilt (default: 512MiB, with --quick 16MiB).")
  private @Nullable Long rebuildSize;

  @Option(
      names = "--every",
      paramLabel = "N",
      defaultValue = "20",
      description = "Iterations between two checkpoints (default: ${DEFAULT-VALUE}).")
  private int every = 20;

  @Option(
      names = "--checkpoints",
      paramLabel = "N",
      defaultValue = "3",
      description = "Checkpoints in a run of Heat2D (default: ${DEFAULT-VALUE}).")
  private int checkpoints = 3;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Repetitions (default: 5, with --quick 2; rebuilds at most 3).")
  private @Nullable Integer rounds;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Where to write; a folder in it is made and deleted (default: the temporary one).")
  private @Nullable Path directory;

  @Option(names = "--threads", description = "Runs ranks as threads even if an MPI is installed.")
  private boolean threads;

  @Option(names = "--quick", description = "Smaller states and fewer repetitions.")
  private boolean quick;

  @Mixin private JsonOption json = new JsonOption();

  TiersCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    int repetitions = rounds != null ? rounds : quick ? 2 : 5;
    Map<String, Object> results = new LinkedHashMap<>();
    boolean passed = true;
    try (TargetsCommand.Scratch scratch = TargetsCommand.Scratch.in(directory)) {
      if (parts.contains(Part.heat)) {
        List<HeatCosts.Cost> costs = heat(scratch.path(), repetitions);
        passed &= costs.stream().allMatch(HeatCosts.Cost::equal);
        results.put("heat", costs);
        print(table(costs));
      }
      if (parts.contains(Part.traffic)) {
        long bytes = or(trafficSize, 64, 16);
        List<TierTraffic.Sent> traffic = TierTraffic.measure(scratch.path(), RANKS, bytes);
        passed &= traffic.stream().allMatch(TierTraffic.Sent::passed);
        results.put("traffic", traffic);
        print(trafficTable(traffic, bytes));
      }
      if (parts.contains(Part.update)) {
        long bytes = or(updateSize, 256, 16);
        List<TierUpdate.Updated> updated =
            TierUpdate.measure(scratch.path(), PAIR, bytes, repetitions);
        results.put("update", updated);
        print(updateTable(updated, bytes));
      }
      if (parts.contains(Part.rebuild)) {
        long bytes = or(rebuildSize, 512, 16);
        List<TierRebuild.Rebuilt> rebuilt =
            TierRebuild.measure(scratch.path(), RANKS, bytes, Math.min(3, repetitions));
        results.put("rebuild", rebuilt);
        print(rebuildTable(rebuilt, bytes));
      }
    }
    if (json.requested()) {
      JsonOption.print(terminal, results);
    }
    return passed ? 0 : 1;
  }

  private List<HeatCosts.Cost> heat(Path scratch, int repetitions)
      throws IOException, InterruptedException {
    List<HeatCosts.Cost> costs = new ArrayList<>();
    for (int count : ranks) {
      // So many columns that columns / ranks rows of them have the size.
      int columns = (int) Math.sqrt(or(size, 16, 1) / (double) Double.BYTES * count);
      costs.addAll(
          HeatCosts.measure(
              count,
              new HeatRanks.Heat(columns, every, checkpoints, repetitions, scratch),
              threads));
    }
    return costs;
  }

  private long or(@Nullable Long chosen, long mebibytes, long quickMebibytes) {
    return chosen != null ? chosen : (quick ? quickMebibytes : mebibytes) << 20;
  }

  private void print(Table table) {
    if (!json.requested()) {
      terminal.out().print(table);
      terminal.out().println();
      terminal.out().flush();
    }
  }

  private static Table table(List<HeatCosts.Cost> costs) {
    Table table =
        new Table(
            ">ranks",
            "over",
            "tiers",
            "",
            ">ms/iteration",
            ">ms lost",
            ">iterations lost",
            ">±",
            ">sum",
            ">centre",
            "bits");
    for (HeatCosts.Cost cost : costs) {
      table.row(
          String.valueOf(cost.ranks()),
          cost.transport(),
          cost.tier(),
          cost.asynchronous() ? "asynchronous" : "synchronous",
          Target.number(cost.iterationMilliseconds()),
          Target.number(cost.milliseconds()),
          Target.number(cost.iterations()),
          Target.number(cost.spread()),
          String.valueOf(cost.sum()),
          String.valueOf(cost.centre()),
          cost.equal() ? "equal" : "DIFFERENT");
    }
    return table;
  }

  private static Table trafficTable(List<TierTraffic.Sent> all, long bytes) {
    Table table =
        new Table(
            Quantities.bytes(bytes) + " per rank", ">dirty", ">sent", ">sent / (m × dirty)", "");
    for (TierTraffic.Sent traffic : all) {
      table.row(
          traffic.tier(),
          Quantities.bytes(traffic.dirty()),
          Quantities.bytes(traffic.sent()),
          Target.number(traffic.ratio()),
          traffic.passed() ? "PASS" : "MISS");
    }
    return table;
  }

  private static Table updateTable(List<TierUpdate.Updated> all, long bytes) {
    Table table =
        new Table(
            PAIR + " × " + Quantities.bytes(bytes),
            ">changed",
            ">until there, s",
            ">processor, s",
            ">raw write, s",
            ">/ raw");
    for (TierUpdate.Updated updated : all) {
      table.row(
          updated.tier(),
          Math.round(updated.changed() * 100) + " %",
          Target.number(updated.seconds()),
          Target.number(updated.processor()),
          Target.number(updated.raw()),
          Target.number(updated.ratio()));
    }
    return table;
  }

  private static Table rebuildTable(List<TierRebuild.Rebuilt> all, long bytes) {
    Table table =
        new Table(
            Quantities.bytes(bytes) + " per rank",
            ">restart, s",
            ">+ rebuild, s",
            ">+ redundancy, s",
            ">copy, s",
            ">rebuild / copy");
    for (TierRebuild.Rebuilt rebuilt : all) {
      table.row(
          rebuilt.tier(),
          Target.number(rebuilt.restart()),
          Target.number(rebuilt.rebuild()),
          Target.number(rebuilt.redundancy()),
          Target.number(rebuilt.copy()),
          Target.number(rebuilt.ratio()));
    }
    return table;
  }
}
