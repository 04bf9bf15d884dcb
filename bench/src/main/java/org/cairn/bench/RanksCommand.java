// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.cairn.Checkpointer;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.Part;
import org.cairn.RestartReport;
import org.cairn.Tiers;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.comm.Ranks;
import org.cairn.store.DirectoryStore;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn bench ranks}. */
@Command(
    name = "ranks",
    description = {
      "Measures restarts on another number of ranks, as ratios to one on the same number.",
      "",
      "An array is divided among thread ranks, saved, and restored by another number: how long it"
          + " takes until the elements are there, and until restart() returns, with the version of"
          + " the new number. Files are in the page cache."
    },
    footer = {
      "",
      "Examples:",
      "  cairn bench ranks                        512 MiB, 4 ranks to 3, 1 and so on",
      "  cairn bench ranks --mib 64 --rounds 5",
      "  cairn bench ranks --shared               from the shared directory alone",
      "  cairn bench ranks --pairs 256-256,256-200 --mib 64"
    })
final class RanksCommand implements Callable<Integer> {
  private static final int COLUMNS = 1024;

  private final Terminal terminal;

  @Option(
      names = "--mib",
      paramLabel = "MIB",
      defaultValue = "512",
      description = "Size of the array, of all ranks together (default: ${DEFAULT-VALUE}).")
  private int mib = 512;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "3",
      description = "How often each is measured (default: ${DEFAULT-VALUE}).")
  private int rounds = 3;

  @Option(
      names = "--pairs",
      paramLabel = "N-M",
      split = ",",
      defaultValue = "4-4,4-3,3-4,4-1,1-4,2-8",
      description =
          "Saved by N ranks, restored by M; the first is the baseline (${DEFAULT-VALUE}).")
  private List<String> pairs = List.of();

  @Option(names = "--shared", description = "Restore from the shared directory alone.")
  private boolean shared;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Where to work; a temporary directory unless given.")
  private @Nullable Path dir;

  @Mixin private JsonOption json = new JsonOption();

  RanksCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** A number of ranks that saves and one that restores. */
  private record Pair(int before, int after) {
    static Pair of(String text) {
      String[] numbers = text.split("-", 2);
      return new Pair(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]));
    }

    @Override
    public String toString() {
      return before + " → " + after;
    }
  }

  /**
   * How long a restart took, of the rank that took longest.
   *
   * @param restored until the elements were there
   * @param returned until the program could go on
   */
  private record Times(double restored, double returned) {}

  @Override
  public Integer call() throws IOException {
    List<Pair> all = pairs.stream().map(Pair::of).toList();
    Map<Pair, List<Times>> times = new LinkedHashMap<>();
    all.forEach(pair -> times.put(pair, new ArrayList<>()));
    Path home = dir == null ? Files.createTempDirectory("cairn-bench-") : dir;
    try (ProgressBar bar =
        terminal.bar("restarts", (long) (rounds + 1) * all.size(), Quantities::count)) {
      for (int round = 0; round <= rounds; round++) {
        for (Pair pair : round % 2 == 0 ? all : all.reversed()) {
          Times one = measure(pair, home.resolve("job"));
          if (round > 0) {
            times.getOrDefault(pair, new ArrayList<>()).add(one);
          }
          bar.advance(1);
        }
      }
    } finally {
      delete(home.resolve("job"));
      if (dir == null) {
        Files.deleteIfExists(home);
      }
    }
    print(times);
    return 0;
  }

  private Times measure(Pair pair, Path job) throws IOException {
    delete(job);
    save(pair.before, job);
    if (shared) {
      try (Stream<Path> entries = Files.list(job)) {
        for (Path entry : entries.filter(path -> !path.endsWith("shared")).toList()) {
          delete(entry);
        }
      }
    }
    return restore(pair.after, job);
  }

  private Options options(Path job) throws IOException {
    Options plain = Options.defaults().flushOnClose(java.time.Duration.ZERO);
    return shared
        ? plain.tiers(Tiers.none().shared(DirectoryStore.shared(job.resolve("shared")), 1))
        : plain;
  }

  private void save(int ranks, Path job) throws IOException {
    Options options = options(job);
    Ranks.run(
        ranks,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(job, comm, options)) {
            Part part = part(comm.rank(), ranks);
            double[] u = new double[Math.toIntExact(part.elements())];
            long first = part.offset().getFirst() * COLUMNS;
            Arrays.setAll(u, i -> Math.sin(first + i));
            cairn.protectEverywhere("step", 1L);
            cairn.protect("u", u).part(part);
            var taken = cairn.checkpoint();
            taken.tiers().forEach(taken::await);
          }
        });
  }

  private Times restore(int ranks, Path job) throws IOException {
    Options options = options(job);
    double[] restored = new double[ranks];
    double[] returned = new double[ranks];
    Ranks.run(
        ranks,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(job, comm, options)) {
            Part part = part(comm.rank(), ranks);
            double[] u = new double[Math.toIntExact(part.elements())];
            LongCell step = cairn.protectEverywhere("step", 0L);
            cairn.protect("u", u).part(part);
            comm.barrier();
            long start = System.nanoTime();
            RestartReport report = cairn.restart();
            returned[comm.rank()] = (System.nanoTime() - start) * 1e-9;
            restored[comm.rank()] = report.duration().toNanos() * 1e-9;
            check(u, part, step.get());
          }
        });
    return new Times(
        Arrays.stream(restored).max().orElse(0), Arrays.stream(returned).max().orElse(0));
  }

  private static void check(double[] u, Part part, long step) {
    long first = part.offset().getFirst() * COLUMNS;
    for (int i = 0; i < u.length; i += 997) {
      if (u[i] != Math.sin(first + i) || step != 1) {
        throw new IllegalStateException("element %d of %s is wrong".formatted(i, part));
      }
    }
  }

  private Part part(int rank, int ranks) {
    long rows = ((long) mib << 20) / Double.BYTES / COLUMNS;
    long from = rows * rank / ranks;
    long to = rows * (rank + 1) / ranks;
    return Part.of(
        new long[] {rows, COLUMNS}, new long[] {from, 0}, new long[] {to - from, COLUMNS});
  }

  private static void delete(Path path) throws IOException {
    if (Files.exists(path)) {
      try (Stream<Path> tree = Files.walk(path)) {
        for (Path one : tree.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(one);
        }
      }
    }
  }

  // ---------------------------------------------------------------- what people see

  private void print(Map<Pair, List<Times>> times) {
    List<Map<String, Object>> results = new ArrayList<>();
    Table table = new Table("ranks", ">restored", ">ratio", ">returned", ">ratio");
    Times baseline = null;
    for (Map.Entry<Pair, List<Times>> one : times.entrySet()) {
      Times median = median(one.getValue());
      baseline = baseline == null ? median : baseline;
      double restored = median.restored / baseline.restored;
      double returned = median.returned / baseline.returned;
      table.row(
          one.getKey().toString(),
          Quantities.seconds(median.restored),
          "%.2f".formatted(restored),
          Quantities.seconds(median.returned),
          "%.2f".formatted(returned));
      Map<String, Object> result = new LinkedHashMap<>();
      result.put("before", one.getKey().before);
      result.put("after", one.getKey().after);
      result.put("restoredSeconds", median.restored);
      result.put("restoredRatio", restored);
      result.put("returnedSeconds", median.returned);
      result.put("returnedRatio", returned);
      results.add(result);
    }
    if (json.requested()) {
      JsonOption.print(terminal, results);
    } else {
      terminal.out().print(table);
      terminal.out().flush();
    }
  }

  private static Times median(List<Times> all) {
    return new Times(
        new Series(all.stream().mapToDouble(Times::restored).toArray()).median(),
        new Series(all.stream().mapToDouble(Times::returned).toArray()).median());
  }
}
