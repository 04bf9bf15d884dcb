// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.cairn.CheckpointStats;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.bench.Target.Bound;
import org.cairn.bench.cold.Plain;
import org.cairn.bench.cold.Program;
import org.cairn.bench.mpi.Programs;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.SizeConverter;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn bench moments}. */
@Command(
    name = "moments",
    description = {
      "Measures the moments that users feel: opening, restart and first checkpoint of processes",
      "that have just begun, as plain java -cp; and large changes after small ones.",
      "Ratios of medians of measurements in turn, with intervals of 95 %. What was measured while",
      "others had more than 0.2 cores is void."
    },
    footer = {
      "",
      "Examples:",
      "  cairn bench moments --quick                  64 MiB, five rounds",
      "  cairn bench moments --dir /scratch           512 MiB, nine rounds",
      "",
      "Exit codes: 0 all bounds kept, 1 a bound missed or a line void."
    })
final class MomentsCommand implements Callable<Integer> {
  private static final int DATASETS = 8;
  private static final long MIB = 1 << 20;

  private final Terminal terminal;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description = "Size of the protected state (default: 512MiB, with --quick 64MiB).")
  private @Nullable Long size;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Where to write; a folder in it is made and deleted (default: the temporary one).")
  private @Nullable Path directory;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Measurements of each (default: 9, with --quick 5).")
  private @Nullable Integer rounds;

  @Option(names = "--quick", description = "A smaller state and fewer rounds.")
  private boolean quick;

  @Mixin private JsonOption json = new JsonOption();

  private final List<Moment> moments = new ArrayList<>();

  MomentsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    long bytes = size != null ? size : (quick ? 64 : 512) * MIB;
    int times = rounds != null ? rounds : quick ? 5 : 9;
    try (TargetsCommand.Scratch scratch = TargetsCommand.Scratch.in(directory)) {
      restarts(scratch.path(), bytes, times);
      firstCheckpoint(scratch.path(), bytes, times);
      alternating(scratch.path(), bytes, Math.max(1, times / 2));
    }
    print(bytes, times);
    return moments.stream().allMatch(Moment::passed) ? 0 : 1;
  }

  // ---------------------------------------------------------------- fresh processes

  private void restarts(Path folder, long bytes, int times) throws IOException {
    Path saved = folder.resolve("saved");
    run(Program.class, "first", saved, bytes);
    Path file = saved.resolve(Checkpointer.containerName(0));
    restarts("restart in a fresh process, file in memory", saved, file, bytes, times, false, 2.5);
    if (PageCache.drop(file)) {
      restarts("restart in a fresh process, file on disk", saved, file, bytes, times, true, 1.6);
    }
  }

  private void restarts(
      String name, Path saved, Path file, long bytes, int times, boolean drops, double bound)
      throws IOException {
    OtherWork others = new OtherWork();
    double[] opened = new double[times];
    int[] round = {0};
    Map<String, Series> series =
        measured(
            name,
            times,
            new Rounds()
                .add("plain", () -> run(Plain.class, "read", dropped(file, drops), bytes)[0])
                .add(
                    "cairn",
                    () -> {
                      dropped(file, drops);
                      double[] seconds = run(Program.class, "restart", saved, bytes);
                      opened[Math.min(round[0]++, times - 1)] = seconds[0];
                      return seconds[1];
                    }));
    double cores = others.cores();
    Series plain = Targets.get(series, "plain");
    moments.add(Moment.of(name, Targets.get(series, "cairn"), plain, cores, Bound.atMost(bound)));
    moments.add(Moment.of("  of that, opening", new Series(opened), plain, cores, null));
  }

  private static Path dropped(Path file, boolean drops) throws IOException {
    if (drops) {
      PageCache.drop(file);
    }
    return file;
  }

  private void firstCheckpoint(Path folder, long bytes, int times) throws IOException {
    String name = "first checkpoint of a process / a new file, forced";
    OtherWork others = new OtherWork();
    Map<String, Series> series =
        measured(
            name,
            times,
            new Rounds()
                .add("plain", () -> fresh(Plain.class, "write", folder.resolve("raw"), bytes))
                .add("cairn", () -> fresh(Program.class, "first", folder.resolve("new"), bytes)));
    moments.add(
        Moment.of(
            name,
            Targets.get(series, "cairn"),
            Targets.get(series, "plain"),
            others.cores(),
            Bound.atMost(1.2)));
  }

  /** What is written goes afterwards. */
  private static double fresh(Class<?> program, String what, Path place, long bytes)
      throws IOException {
    try {
      double[] seconds = run(program, what, place, bytes);
      return seconds[seconds.length - 1];
    } finally {
      delete(place);
    }
  }

  private static void delete(Path place) throws IOException {
    if (Files.isDirectory(place)) {
      new TargetsCommand.Scratch(place).close();
    } else {
      Files.deleteIfExists(place);
    }
  }

  /** Runs a program as anybody would, without a flag. */
  private static double[] run(Class<?> program, String what, Path place, long bytes)
      throws IOException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            program.getName(),
            what,
            place.toString(),
            String.valueOf(bytes));
    try {
      String[] numbers = Programs.output(command).strip().split(" ", -1);
      return Arrays.stream(numbers).mapToDouble(Double::parseDouble).toArray();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while " + program.getSimpleName() + " ran", e);
    }
  }

  private Map<String, Series> measured(String name, int times, Rounds all) throws IOException {
    terminal.bar(name, times, Quantities::count).close();
    return all.run(0, times);
  }

  // ---------------------------------------------------------------- alternating

  /** Twelve checkpoints of 10 %, one of all, twenty of 3 %, one of all; then nothing changed. */
  private void alternating(Path folder, long bytes, int times) throws IOException {
    OtherWork others = new OtherWork();
    List<Double> raws = new ArrayList<>();
    List<Double> large = new ArrayList<>();
    List<Double> written = new ArrayList<>();
    long movedForNothing = 0;
    try (State state = State.offHeap(bytes, DATASETS);
        RawFile raw = new RawFile(folder.resolve("raw"), state, 3 * state.bytes());
        Checkpointer cairn = Checkpointer.open(folder.resolve("alternating"), Options.defaults());
        ProgressBar bar = terminal.bar("alternating", 36L * times, Quantities::count)) {
      state.protect(cairn);
      cairn.checkpoint();
      for (int i = 0; i < times; i++) {
        for (double part : sequence()) {
          long changed = state.change(part, true, State.GRAIN);
          if (part == 1) {
            raws.add(Rounds.time(() -> raw.overwrite(state.bytes())));
            large.add(Rounds.time(cairn::checkpoint));
          } else {
            CheckpointStats stats = cairn.checkpoint().stats().orElseThrow();
            if (changed == 0) {
              movedForNothing += stats.movedBlocks();
            } else {
              written.add((double) (stats.bytesWritten() - MIB) / changed);
            }
          }
          bar.advance(1);
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    double cores = others.cores();
    moments.add(
        Moment.of(
            "100 % after small changes / raw",
            series(large), series(raws), cores, Bound.atMost(0.85)));
    Series ones = Series.of(1.0);
    double worst = written.stream().mapToDouble(one -> one).max().orElseThrow();
    moments.add(Moment.of("bytes written (less 1 MiB) / changed", series(written), ones, 0, null));
    moments.add(
        Moment.of("  in the worst checkpoint", Series.of(worst), ones, 0, Bound.atMost(1.3)));
    moments.add(
        Moment.of(
            "blocks moved where nothing changed",
            Series.of(movedForNothing),
            ones,
            0,
            Bound.atMost(0)));
  }

  private static double[] sequence() {
    double[] parts = new double[36];
    Arrays.fill(parts, 0, 12, 0.1);
    parts[12] = 1;
    Arrays.fill(parts, 14, 34, 0.03);
    parts[34] = 1;
    return parts;
  }

  private static Series series(List<Double> values) {
    return new Series(values.stream().mapToDouble(one -> one).toArray());
  }

  // ---------------------------------------------------------------- telling

  private void print(long bytes, int times) {
    if (json.requested()) {
      JsonOption.print(terminal, Map.of("bytes", bytes, "rounds", times, "moments", moments));
      return;
    }
    Table table =
        new Table(
            Quantities.bytes(bytes) + ", " + times + " rounds",
            ">measured",
            ">baseline",
            ">ratio",
            ">95 %",
            ">others",
            ">bound",
            "");
    for (Moment moment : moments) {
      table.row(
          moment.name(),
          Target.number(moment.measured()),
          Target.number(moment.baseline()),
          Target.number(moment.ratio()),
          Target.number(moment.low()) + "–" + Target.number(moment.high()),
          Double.isNaN(moment.others()) ? "?" : Target.number(moment.others()),
          moment.bound() == null ? "" : moment.bound().toString(),
          moment.verdict());
    }
    terminal.out().print(table);
    terminal.out().println("Times in seconds; others: cores that other processes had meanwhile.");
    terminal.out().flush();
  }
}
