// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.ToLongFunction;
import org.cairn.TierKind;
import org.cairn.bench.scale.ScaleRun;
import org.cairn.bench.scale.ScaleRun.Phase;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.tier.TierTypes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn bench scale}. */
@Command(
    name = "scale",
    description = {
      "Counts what opening, checkpoints, flushes and restarts of jobs of thread ranks cost the rank",
      "that has most of it: messages, bytes and heap, and how that grows with the ranks."
    },
    footer = {
      "",
      "Examples:",
      "  cairn bench scale                       16 to 512 ranks, with a shared directory",
      "  cairn bench scale --tiers partner       with a copy at a partner too",
      "  cairn bench scale --ranks 16,64 --json"
    })
final class ScaleCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Option(
      names = "--ranks",
      paramLabel = "N",
      split = ",",
      defaultValue = "16,32,64,128,256,512",
      description = "How many ranks (default: ${DEFAULT-VALUE}).")
  private List<Integer> ranks = List.of();

  /** What may be there beside the shared directory. */
  enum Beside {
    partner,
    erasure
  }

  @Option(
      names = "--tiers",
      paramLabel = "TIER",
      split = ",",
      description = "Tiers beside the shared directory: ${COMPLETION-CANDIDATES} (default: none).")
  private List<Beside> tiers = List.of();

  @Mixin private JsonOption json = new JsonOption();

  ScaleCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** What a phase cost the rank that had most of it; heap is what all ranks hold, shared out. */
  record Cost(long messages, long bytes, long heap) {}

  @Override
  public Integer call() {
    Map<Integer, Map<Phase, Cost>> costs = measureAll();
    if (json.requested()) {
      JsonOption.print(terminal, results(costs));
      return 0;
    }
    print("messages", costs, Cost::messages, String::valueOf);
    print("bytes", costs, Cost::bytes, Quantities::bytes);
    print("heap of a rank", costs, Cost::heap, Quantities::bytes);
    return 0;
  }

  private Map<Integer, Map<Phase, Cost>> measureAll() {
    Map<Integer, Map<Phase, Cost>> costs = new TreeMap<>();
    new ScaleRun(2, beside(), (phase, load) -> {}).run(); // classes are no heap of a rank
    long all = ranks.stream().mapToLong(count -> (long) count * Phase.values().length).sum();
    try (ProgressBar bar = terminal.bar("ranks × phases", all, Quantities::count)) {
      for (int count : ranks) {
        long start = System.nanoTime();
        costs.put(count, measure(count, bar));
        terminal.milestone(
            "%d ranks: %s".formatted(count, Quantities.seconds((System.nanoTime() - start) / 1e9)));
      }
    }
    return costs;
  }

  private Map<Phase, Cost> measure(int count, ProgressBar bar) {
    Map<Phase, Cost> costs = new EnumMap<>(Phase.class);
    long before = heap();
    new ScaleRun(
            count,
            beside(),
            (phase, load) -> {
              long held = Math.max(0, heap() - before) / count;
              costs.put(phase, new Cost(load.messages(), load.bytes(), held));
              bar.advance(count);
              bar.note("%d ranks, %s".formatted(count, label(phase)));
            })
        .run();
    return costs;
  }

  private Set<TierKind> beside() {
    Set<TierKind> beside = new TreeSet<>();
    tiers.forEach(tier -> beside.add(TierTypes.kindCalled(tier.name().toLowerCase(Locale.ROOT))));
    return beside;
  }

  /** What is reachable; files of the job, which are in memory here, among it. */
  private static long heap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private static List<Map<String, Object>> results(Map<Integer, Map<Phase, Cost>> costs) {
    List<Map<String, Object>> results = new ArrayList<>();
    costs.forEach(
        (count, phases) ->
            phases.forEach(
                (phase, cost) -> {
                  Map<String, Object> one = new LinkedHashMap<>();
                  one.put("ranks", count);
                  one.put("phase", label(phase));
                  one.put("messages", cost.messages);
                  one.put("bytes", cost.bytes);
                  one.put("heap", cost.heap);
                  results.add(one);
                }));
    return results;
  }

  private interface Shown {
    String of(long value);
  }

  private void print(
      String title, Map<Integer, Map<Phase, Cost>> costs, ToLongFunction<Cost> part, Shown shown) {
    List<String> headings = new ArrayList<>(List.of(title));
    costs.keySet().forEach(count -> headings.add(">" + count));
    headings.add(">growth");
    Table table = new Table(headings.toArray(String[]::new));
    for (Phase phase : Phase.values()) {
      List<String> cells = new ArrayList<>(List.of(label(phase)));
      Map<Integer, Long> values = new TreeMap<>();
      costs.forEach(
          (count, phases) -> {
            Cost cost = phases.get(phase);
            values.put(count, cost == null ? 0 : part.applyAsLong(cost));
          });
      values.values().forEach(value -> cells.add(shown.of(value)));
      cells.add(growth(values));
      table.row(cells.toArray(String[]::new));
    }
    terminal.out().print(table);
    terminal.out().println();
    terminal.out().flush();
  }

  private static String label(Phase phase) {
    return phase.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** The power of the number of ranks that fits best: 0 does not grow, 1 grows with the ranks. */
  private static String growth(Map<Integer, Long> values) {
    double n = 0;
    double sumX = 0;
    double sumY = 0;
    double sumXx = 0;
    double sumXy = 0;
    for (Map.Entry<Integer, Long> one : values.entrySet()) {
      if (one.getValue() > 0) {
        double x = Math.log(one.getKey());
        double y = Math.log(one.getValue());
        n++;
        sumX += x;
        sumY += y;
        sumXx += x * x;
        sumXy += x * y;
      }
    }
    return n < 2 ? "-" : "P^%.2f".formatted((n * sumXy - sumX * sumY) / (n * sumXx - sumX * sumX));
  }
}
