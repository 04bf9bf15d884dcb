// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.cairn.bench.mpi.Programs;
import org.cairn.bench.ranks.DividedArray;
import org.cairn.bench.ranks.DividedArray.Times;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.Folder;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.SameJava;
import org.cairn.cli.run.MpiLauncher;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.comm.Ranks;
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
      "An array is divided among ranks, saved, and restored by another number: how long it takes"
          + " until the elements are there, and until restart() returns, with the version of the"
          + " new number; beside it, how long it takes to write as many bytes to new files and to"
          + " force them. Files are in the page cache."
    },
    footer = {
      "",
      "Examples:",
      "  cairn bench ranks                        512 MiB, 4 ranks to 3, 1 and so on",
      "  cairn bench ranks --mib 64 --rounds 5",
      "  cairn bench ranks --shared               from the shared directory alone",
      "  cairn bench ranks --mpi openmpi",
      "  cairn bench ranks --describe --mib 64",
      "  cairn bench ranks --pairs 256-256,256-200 --mib 64"
    })
final class RanksCommand implements Callable<Integer> {
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
      names = "--mpi",
      paramLabel = "MPI",
      description = "Ranks are processes under openmpi or mpich, cold at each restart.")
  private Optional<String> mpi = Optional.empty();

  @Option(
      names = "--describe",
      description =
          "Measure instead what it costs at each checkpoint to say how arrays are divided.")
  private boolean describe;

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

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path home = dir == null ? Files.createTempDirectory("cairn-bench-") : dir;
    try {
      if (describe) {
        printDescribing(new DividedArray(home.resolve("job"), mib, false));
      } else {
        print(measureAll(new DividedArray(home.resolve("job"), mib, shared)));
      }
    } finally {
      Folder.delete(home.resolve("job"));
      if (dir == null) {
        Files.deleteIfExists(home);
      }
    }
    return 0;
  }

  private Measured measureAll(DividedArray array) throws IOException, InterruptedException {
    List<Pair> all = pairs.stream().map(Pair::of).toList();
    Measured measured = new Measured(new LinkedHashMap<>(), new ArrayList<>());
    all.forEach(pair -> measured.times.put(pair, new ArrayList<>()));
    try (ProgressBar bar =
        terminal.bar("restarts", (long) (rounds + 1) * all.size(), Quantities::count)) {
      for (int round = 0; round <= rounds; round++) {
        for (Pair pair : round % 2 == 0 ? all : all.reversed()) {
          Times one = measure(pair, array);
          if (round > 0) {
            measured.times.getOrDefault(pair, new ArrayList<>()).add(one);
          }
          bar.advance(1);
        }
        double raw = writeRaw(all.getFirst().after, array);
        if (round > 0) {
          measured.raw.add(raw);
        }
      }
    }
    return measured;
  }

  /**
   * What was measured, by the rounds.
   *
   * @param raw seconds that it takes to write as many bytes to new files, and to force them
   */
  private record Measured(Map<Pair, List<Times>> times, List<Double> raw) {}

  private Times measure(Pair pair, DividedArray array) throws IOException, InterruptedException {
    Folder.delete(array.job());
    if (mpi.isPresent()) {
      launch("save", pair.before, array);
    } else {
      Ranks.run(pair.before, array::save);
    }
    if (shared) {
      try (Stream<Path> entries = Files.list(array.job())) {
        for (Path entry : entries.filter(path -> !path.endsWith("shared")).toList()) {
          Folder.delete(entry);
        }
      }
    }
    PageCache.load(array.job());
    return mpi.isPresent()
        ? DividedArray.parse(launch("restore", pair.after, array))
        : restore(pair.after, array);
  }

  private static Times restore(int ranks, DividedArray array) {
    long before = DividedArray.bytesRead();
    double[] restored = new double[ranks];
    double[] returned = new double[ranks];
    Ranks.run(
        ranks,
        comm -> {
          Times mine = array.restore(comm);
          restored[comm.rank()] = mine.restored();
          returned[comm.rank()] = mine.returned();
        });
    double read = before < 0 ? Double.NaN : DividedArray.bytesRead() - before;
    return new Times(
        Arrays.stream(restored).max().orElse(0),
        Arrays.stream(returned).max().orElse(0),
        read / array.bytes());
  }

  private String launch(String what, int ranks, DividedArray array)
      throws IOException, InterruptedException {
    MpiLauncher launcher =
        mpi.flatMap(MpiLauncher.Kind::of)
            .flatMap(MpiLauncher::find)
            .orElseThrow(
                () ->
                    new CommandFailedException(
                        "there is no MPI \"%s\"; say openmpi or mpich, which ./setup installs"
                            .formatted(mpi.orElse(""))));
    List<String> arguments =
        List.of(what, array.job().toString(), String.valueOf(mib), String.valueOf(shared));
    return Programs.output(
        launcher.command(ranks, SameJava.command(DividedArray.class, arguments)));
  }

  /** Beside the files that are there, as a restart writes: memory that they have is not free. */
  private static double writeRaw(int ranks, DividedArray array) {
    double[] seconds = new double[ranks];
    Ranks.run(ranks, comm -> seconds[comm.rank()] = array.writeRaw(comm));
    return Arrays.stream(seconds).max().orElse(0);
  }

  private void printDescribing(DividedArray array) throws IOException {
    Folder.delete(array.job());
    int ranks = Pair.of(pairs.getFirst()).before;
    List<List<double[]>> all = new ArrayList<>(Collections.nCopies(ranks, List.of()));
    Ranks.run(ranks, comm -> all.set(comm.rank(), array.describe(comm, 10 * rounds)));
    double with = new Series(all.getFirst().getFirst()).median();
    double without = new Series(all.getFirst().getLast()).median();
    if (json.requested()) {
      JsonOption.print(
          terminal, Map.of("ranks", ranks, "withSeconds", with, "withoutSeconds", without));
      return;
    }
    terminal
        .out()
        .printf(
            "checkpoints of %d ranks: %s with parts, %s without (%+.1f %%)%n",
            ranks,
            Quantities.seconds(with),
            Quantities.seconds(without),
            100 * (with / without - 1));
    terminal.out().flush();
  }

  // ---------------------------------------------------------------- what people see

  private void print(Measured measured) {
    List<Map<String, Object>> results = new ArrayList<>();
    Table table =
        new Table("ranks", ">restored", ">ratio", ">returned", ">ratio", ">read / needed");
    Times baseline = null;
    for (Map.Entry<Pair, List<Times>> one : measured.times.entrySet()) {
      Times median = median(one.getValue());
      baseline = baseline == null ? median : baseline;
      double restored = median.restored() / baseline.restored();
      double returned = median.returned() / baseline.returned();
      table.row(
          one.getKey().toString(),
          Quantities.seconds(median.restored()),
          "%.2f".formatted(restored),
          Quantities.seconds(median.returned()),
          "%.2f".formatted(returned),
          Double.isNaN(median.read()) ? "-" : "%.2f".formatted(median.read()));
      Map<String, Object> result = new LinkedHashMap<>();
      result.put("before", one.getKey().before);
      result.put("after", one.getKey().after);
      result.put("restoredSeconds", median.restored());
      result.put("restoredRatio", restored);
      result.put("returnedSeconds", median.returned());
      result.put("returnedRatio", returned);
      result.put("readByNeeded", median.read());
      results.add(result);
    }
    double raw =
        new Series(measured.raw.stream().mapToDouble(Double::doubleValue).toArray()).median();
    if (baseline != null) {
      table.row(
          "raw write, forced",
          "",
          "",
          Quantities.seconds(raw),
          "%.2f".formatted(raw / baseline.returned()),
          "");
      results.add(Map.of("rawWriteSeconds", raw, "rawWriteRatio", raw / baseline.returned()));
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
        new Series(all.stream().mapToDouble(Times::returned).toArray()).median(),
        new Series(all.stream().mapToDouble(Times::read).toArray()).median());
  }
}
