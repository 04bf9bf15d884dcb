// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.SizeConverter;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.hash.HashPath;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn bench targets}. */
@Command(
    name = "targets",
    description = {
      "Measures every promise about speed and size as a ratio to a baseline of the same run.",
      "Repetitions of both alternate; shown are medians, and half the distance of the quartiles.",
      "The first table is of a JVM that is warm. The second is of the moments that users feel, most",
      "in processes that have just begun, with intervals of 95 %%; what was measured while others",
      "had more than 0.2 cores is void, not kept."
    },
    footer = {
      "",
      "Examples:",
      "  cairn bench targets --quick                  64 MiB, fewer repetitions",
      "  cairn bench targets                          512 MiB; writes some 80 GB in all",
      "  cairn bench targets --dir /scratch --json    on another disk, for machines",
      "  cairn bench targets --parts cold,changes     some of the rows only",
      "",
      "Exit codes: 0 all bounds kept, 1 a bound missed or a line void."
    })
final class TargetsCommand implements Callable<Integer> {
  /** What can be measured apart. */
  enum Part {
    warm,
    cold,
    changes,
    fixed,
    asynchronous,
    tiers,
    memory
  }

  /** Fewer say too little of a moment. */
  private static final int MOMENT_ROUNDS = 9;

  private static final int DATASETS = 8;
  private static final int BLOCK = 16 << 10;

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
      names = "--threads",
      paramLabel = "N",
      defaultValue = "2",
      description = "Threads of Cairn and of the baselines (default: ${DEFAULT-VALUE}).")
  private int threads = 2;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Repetitions (default: 15, of moments 9; with --quick 7 and 5).")
  private @Nullable Integer rounds;

  @Option(
      names = "--age",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Checkpoints that make a file old (default: ${DEFAULT-VALUE}).")
  private int age = 1000;

  @Option(
      names = "--parts",
      paramLabel = "PART",
      split = ",",
      description = "What to measure: ${COMPLETION-CANDIDATES} (default: all, with --quick warm).")
  private @Nullable List<Part> parts;

  @Option(names = "--heap", description = "Keep the state in double[] instead of off-heap memory.")
  private boolean heap;

  @Option(names = "--quick", description = "A smaller state and fewer repetitions.")
  private boolean quick;

  @Mixin private JsonOption json = new JsonOption();

  TargetsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    long bytes = size != null ? size : (quick ? 64L : 512L) << 20;
    int repetitions = rounds != null ? rounds : quick ? 7 : 15;
    try (Scratch scratch = Scratch.in(directory)) {
      Settings settings =
          new Settings(scratch.path(), bytes, DATASETS, BLOCK, threads, repetitions, age);
      List<Part> wanted = parts != null ? parts : quick ? List.of(Part.warm) : all();
      List<Target> targets =
          wanted.contains(Part.warm)
              ? new Targets(settings, heap, terminal).run()
              : List.<Target>of();
      int times = rounds != null ? rounds : quick ? 5 : MOMENT_ROUNDS;
      List<Moment> moments =
          new Moments(scratch.path(), bytes, times, terminal).measure(momentsOf(wanted));
      print(settings, targets, moments);
      boolean kept =
          targets.stream().allMatch(Target::passed) && moments.stream().allMatch(Moment::passed);
      return kept ? 0 : 1;
    }
  }

  private static List<Part> all() {
    return List.of(Part.values());
  }

  private static List<Moments.Part> momentsOf(List<Part> parts) {
    return parts.stream()
        .filter(part -> part != Part.warm)
        .map(part -> Moments.Part.valueOf(part.name()))
        .toList();
  }

  private void print(Settings settings, List<Target> targets, List<Moment> moments) {
    if (json.requested()) {
      JsonOption.print(
          terminal, Map.of("settings", describe(settings), "targets", targets, "moments", moments));
      return;
    }
    terminal.out().println(describe(settings));
    if (!targets.isEmpty()) {
      print(targets);
    }
    if (!moments.isEmpty()) {
      terminal
          .out()
          .print(Moments.table(moments, "moments, " + Quantities.bytes(settings.bytes())));
      terminal.out().println(Moments.LEGEND);
      long bounds = moments.stream().filter(moment -> moment.bound() != null).count();
      long missed = moments.stream().filter(moment -> !moment.passed()).count();
      terminal.out().println(bounds - missed + " of " + bounds + " bounds of moments kept");
    }
    terminal.out().flush();
  }

  private void print(List<Target> targets) {
    Table table =
        new Table(
            "file", "target", ">measured", ">baseline", ">ratio", ">±", ">best", ">bound", "");
    for (Target target : targets) {
      table.row(
          target.file(),
          target.name(),
          target.measured(),
          target.baseline(),
          Target.number(target.ratio()),
          Target.number(target.spread()),
          Target.number(target.best()),
          target.bound() == null ? "" : target.bound().toString(),
          target.verdict());
    }
    terminal.out().print(table);
    long missed = targets.stream().filter(target -> !target.passed()).count();
    long bounds = targets.stream().filter(target -> target.bound() != null).count();
    terminal.out().println(bounds - missed + " of " + bounds + " bounds kept");
  }

  private String describe(Settings settings) {
    return "%s in %d datasets (%s), blocks of %s, %d threads, %d repetitions, aged by %s checkpoints; XXH3 path: %s"
        .formatted(
            Quantities.bytes(settings.bytes()),
            settings.datasets(),
            heap ? "double[]" : "off-heap",
            Quantities.bytes(settings.blockSize()),
            settings.threads(),
            settings.rounds(),
            Quantities.count(settings.agingCheckpoints()),
            HashPath.current());
  }

  /** A folder that goes with all its contents. */
  record Scratch(Path path) implements AutoCloseable {
    static Scratch in(@Nullable Path parent) throws IOException {
      if (parent == null) {
        return new Scratch(Files.createTempDirectory("cairn-bench"));
      }
      Files.createDirectories(parent);
      return new Scratch(Files.createTempDirectory(parent, "cairn-bench"));
    }

    @Override
    public void close() throws IOException {
      try (var files = Files.walk(path)) {
        for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      }
    }
  }
}
