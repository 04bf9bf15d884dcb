// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.cairn.bench.aggregate.CheckpointSet;
import org.cairn.bench.aggregate.GeneratedSets;
import org.cairn.bench.aggregate.LoadedSet;
import org.cairn.bench.aggregate.Ratios;
import org.cairn.bench.aggregate.Ratios.Ratio;
import org.cairn.bench.aggregate.Sizes;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.SizeConverter;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn bench aggregate}. */
@Command(
    name = "aggregate",
    description = {
      "Measures how small and how fast checkpoints of many ranks become when they are aggregated:",
      "eight simulations, and reference files if there are some, against gzip, bzip2, zstd and FPC;",
      "orders, groups, blocks and passes; stores of several bandwidths. Tables and figures are those",
      "of mcrEngine (Islam et al.)."
    },
    footer = {
      "",
      "Examples:",
      "  cairn bench aggregate                                       all of it, some minutes",
      "  cairn bench aggregate --data ../shared/reference/data --plots docs/aggregate",
      "  cairn bench aggregate --parts stores --stores 100,1000 --sets amr --store-size 4MiB",
      "",
      "Exit codes: 0 all promises kept, 1 not so."
    })
final class AggregateCommand implements Callable<Integer> {
  private static final int[] LEVELS = {1, 3, 6};

  /** What is measured. */
  enum Part {
    sizes,
    orders,
    versions,
    fixed,
    speed,
    stores
  }

  private final Terminal terminal;

  @Option(
      names = "--parts",
      paramLabel = "PART",
      split = ",",
      defaultValue = "sizes,orders,versions,fixed,speed,stores",
      description = "What to measure: ${COMPLETION-CANDIDATES} (default: all).")
  private List<Part> parts = List.of();

  @Option(
      names = "--sets",
      paramLabel = "NAME",
      split = ",",
      description =
          "Simulations: heat2d, diffusion, shock, particles, amr, tables, integers, noise (default:"
              + " all).")
  private List<String> sets = List.copyOf(GeneratedSets.names());

  @Option(
      names = "--store-sets",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "diffusion,amr",
      description = "Simulations whose checkpoints go to stores (default: ${DEFAULT-VALUE}).")
  private List<String> storeSets = List.of();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Reference files: folders openpmd, cactus_grmhd, amrex_chk3d (default: none).")
  private @Nullable Path data;

  @Option(
      names = "--ranks",
      paramLabel = "N",
      defaultValue = "32",
      description = "Ranks of a simulation (default: ${DEFAULT-VALUE}).")
  private int ranks = 32;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "1MiB",
      description = "What a rank saves, about (default: ${DEFAULT-VALUE}).")
  private long size = 1L << 20;

  @Option(
      names = "--store-size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "1MiB",
      description = "The same where stores are measured (default: ${DEFAULT-VALUE}).")
  private long storeSize = 1L << 20;

  @Option(
      names = "--versions",
      paramLabel = "N",
      defaultValue = "5",
      description = "Checkpoints of a simulation (default: ${DEFAULT-VALUE}).")
  private int versions = 5;

  @Option(
      names = "--stores",
      paramLabel = "MB/S",
      split = ",",
      defaultValue = "100,500,2000",
      description = "Bandwidths of stores (default: ${DEFAULT-VALUE}).")
  private List<Double> stores = List.of();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "How often what takes time is measured; the best counts (default: 5).")
  private int rounds = 5;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "11",
      description = "Of all that is random (default: ${DEFAULT-VALUE}).")
  private long seed = 11;

  @Option(names = "--plots", paramLabel = "DIR", description = "Draws figures into this folder.")
  private @Nullable Path plots;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Where to write; a folder in it is made and deleted (default: the temporary one).")
  private @Nullable Path directory;

  @Mixin private JsonOption json = new JsonOption();

  private final AggregateChecks checks = new AggregateChecks();
  private final Map<String, Object> results = new LinkedHashMap<>();

  AggregateCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    AggregateCharts charts = plots == null ? null : new AggregateCharts(plots);
    try (TargetsCommand.Scratch scratch = TargetsCommand.Scratch.in(directory)) {
      GeneratedSets generated = new GeneratedSets(scratch.path());
      List<List<CheckpointSet>> all = new ArrayList<>();
      for (String name : sets) {
        all.add(generated.write(name, ranks, Math.toIntExact(size), versions, seed));
      }
      if (data != null) {
        CheckpointSet.reference(data).forEach(set -> all.add(List.of(set)));
      }
      measureSets(all, scratch.path(), charts);
      if (parts.contains(Part.stores)) {
        measureStores(generated, scratch.path(), charts);
      }
    }
    results.put("checks", checks.all());
    print(AggregateTables.checks(checks.all()));
    if (json.requested()) {
      JsonOption.print(terminal, results);
    }
    return checks.all().stream().allMatch(AggregateChecks.Check::kept) ? 0 : 1;
  }

  private void measureSets(
      List<List<CheckpointSet>> all, Path scratch, @Nullable AggregateCharts charts)
      throws IOException {
    List<Sizes> sizes = new ArrayList<>();
    List<Ratio> grid = new ArrayList<>();
    List<Ratios.Improvement> improvements = new ArrayList<>();
    List<Ratio> overVersions = new ArrayList<>();
    List<Ratios.AgainstFixed> fixed = new ArrayList<>();
    List<AggregateSpeed.Speed> speeds = new ArrayList<>();
    List<AggregateTables.Characteristics> characteristics = new ArrayList<>();
    for (List<CheckpointSet> one : all) {
      CheckpointSet last = one.getLast();
      try (LoadedSet set = LoadedSet.of(last)) {
        long start = System.nanoTime();
        characteristics.add(AggregateTables.Characteristics.of(set));
        if (parts.contains(Part.sizes)) {
          sizes.add(Sizes.of(last, set, scratch));
          checks.sizes(sizes.getLast());
        }
        if (parts.contains(Part.orders)) {
          List<Ratio> own = Ratios.grid(set);
          grid.addAll(own);
          improvements.addAll(Ratios.improvements(own));
          if (charts != null) {
            charts.grid(own);
          }
        }
        if (parts.contains(Part.versions) && one.size() > 1) {
          List<Ratio> own = Ratios.overVersions(one);
          overVersions.addAll(own);
          if (charts != null) {
            charts.versions(own);
          }
        }
        if (parts.contains(Part.fixed)) {
          for (int level : LEVELS) {
            fixed.add(Ratios.againstFixed(set, level));
            checks.fixed(fixed.getLast());
          }
        }
        if (parts.contains(Part.speed)) {
          speeds.add(AggregateSpeed.measure(last, set, rounds));
          checks.speed(speeds.getLast());
        }
        terminal.milestone(
            "%s: %s".formatted(set.name(), Quantities.seconds((System.nanoTime() - start) / 1e9)));
      }
    }
    show("characteristics", characteristics, AggregateTables.characteristics(characteristics));
    show("sizes", sizes, AggregateTables.sizes(sizes));
    show("ratios", grid, AggregateTables.passes(grid));
    show("groups", List.of(), AggregateTables.groups(grid));
    show("blocks", List.of(), AggregateTables.blocks(grid));
    show("improvements", improvements, AggregateTables.improvements(improvements));
    show("versions", overVersions, AggregateTables.versions(overVersions));
    show("fixed", fixed, AggregateTables.fixed(fixed));
    show("speed", speeds, AggregateTables.speeds(speeds));
  }

  private void measureStores(
      GeneratedSets generated, Path scratch, @Nullable AggregateCharts charts) throws IOException {
    int cores = Math.min(2, Runtime.getRuntime().availableProcessors());
    AggregateStores measured = new AggregateStores(scratch, cores, rounds);
    List<AggregateStores.Result> all = new ArrayList<>();
    List<AggregateStores.BreakEven> breakEvens = new ArrayList<>();
    List<AggregateStores.Slowdown> slowdowns = new ArrayList<>();
    for (String name : storeSets) {
      List<CheckpointSet> versionsOfSet =
          generated.write(name, ranks, Math.toIntExact(storeSize), 2, seed);
      try (LoadedSet set = LoadedSet.of(versionsOfSet.getLast())) {
        List<AggregateStores.Result> own = new ArrayList<>();
        for (double store : stores) {
          own.addAll(measured.measure(set, store));
          slowdowns.addAll(measured.slowdowns(set, store));
        }
        breakEvens.addAll(measured.breakEven(set));
        all.addAll(own);
        if (charts != null && !own.isEmpty()) {
          charts.stores(own);
        }
      }
    }
    checks.stores(all);
    show("stores", all, AggregateTables.stores(all));
    show("breakEven", breakEvens, AggregateTables.breakEven(breakEvens));
    show("slowdowns", slowdowns, AggregateTables.slowdowns(slowdowns));
  }

  private void show(String name, List<?> values, Table table) {
    if (!values.isEmpty()) {
      results.put(name, values);
    }
    print(table);
  }

  private void print(Table table) {
    if (!json.requested() && !table.isEmpty()) {
      terminal.out().print(table);
      terminal.out().println();
      terminal.out().flush();
    }
  }
}
