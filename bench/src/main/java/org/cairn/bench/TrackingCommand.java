// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.cairn.bench.track.Choices;
import org.cairn.bench.track.Durable;
import org.cairn.bench.track.Pattern;
import org.cairn.bench.track.ScanCosts;
import org.cairn.cli.command.Folder;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.cairn.track.SharedPages;
import org.cairn.track.UnwatchableException;
import org.cairn.work.Workers;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code cairn bench tracking}. */
@Command(
    name = "tracking",
    description =
        "Measures what it costs to track the pages that a program writes to, and what it spares.",
    footer = {
      "",
      "Examples:",
      "  cairn bench tracking                        512 MiB, some minutes",
      "  cairn bench tracking --size 128 --rounds 5  less of it",
    })
final class TrackingCommand implements Callable<Integer> {
  /** What is measured; the names are words of the command line. */
  enum Part {
    /** Scanning and hashing what was touched, against hashing everything. */
    scans,

    /** Tracked, not tracked, and as Cairn chooses. */
    choices,

    /** Until it is on the disk. */
    durable
  }

  private final Terminal terminal;

  @Option(
      names = "--size",
      paramLabel = "MIB",
      defaultValue = "512",
      description = "How much memory, in MiB (default: ${DEFAULT-VALUE}).")
  private int size = 512;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "9",
      description = "How often each part is measured (default: ${DEFAULT-VALUE}).")
  private int rounds = 9;

  @Option(
      names = "--checkpoints",
      paramLabel = "N",
      defaultValue = "40",
      description = "How many checkpoints a choice is measured over (default: ${DEFAULT-VALUE}).")
  private int checkpoints = 40;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "0",
      description = "How many threads hash (default: as many as there are cores, at most 8).")
  private int threads;

  @Option(
      names = "--parts",
      paramLabel = "PART",
      split = ",",
      description = "What to measure: ${COMPLETION-CANDIDATES} (default: all).")
  private List<Part> parts = List.of(Part.values());

  @Option(
      names = "--percents",
      paramLabel = "N",
      split = ",",
      description = "How much of the pages is written, of 100 (default: 0,3,10,50,100).")
  private List<Integer> percents = List.of(0, 3, 10, 50, 100);

  @Option(
      names = "--memory",
      paramLabel = "DIR",
      defaultValue = "/dev/shm",
      description =
          "Where containers are put in memory, for the choices (default: ${DEFAULT-VALUE}).")
  private Path memory = Path.of("/dev/shm");

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "Where files are written (default: a temporary directory).")
  private Path directory = Path.of(System.getProperty("java.io.tmpdir"));

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  TrackingCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, UnwatchableException {
    refuseNonsense();
    SharedPages shared = SharedPages.get();
    if (!shared.isAvailable()) {
      terminal.out().println("Pages cannot be tracked here: " + shared.why());
      return 1;
    }
    long bytes = (long) size << 20;
    int crew = threads > 0 ? threads : Math.min(8, Runtime.getRuntime().availableProcessors());
    terminal
        .out()
        .printf("%d MiB outside of the Java heap, blocks of 16 KiB, %d threads%n%n", size, crew);
    if (parts.contains(Part.scans)) {
      scans(bytes, crew);
    }
    if (parts.contains(Part.choices)) {
      choices(bytes);
    }
    if (parts.contains(Part.durable)) {
      durable(bytes, crew);
    }
    return 0;
  }

  private void refuseNonsense() {
    if (size < 1 || rounds < 1 || checkpoints < 1 || threads < 0) {
      throw new ParameterException(
          spec.commandLine(), "--size, --rounds and --checkpoints are at least 1, --threads 0");
    }
    for (int percent : percents) {
      if (percent < 0 || percent > 100) {
        throw new ParameterException(spec.commandLine(), "--percents are 0 to 100, not " + percent);
      }
    }
  }

  private List<Pattern> patterns() {
    List<Pattern> all = new ArrayList<>();
    for (int percent : percents) {
      all.add(new Pattern(percent, false, true));
      if (percent > 0) {
        all.add(new Pattern(percent, true, true));
        all.add(new Pattern(percent, false, false));
      }
    }
    return all;
  }

  private void scans(long bytes, int crew) throws UnwatchableException {
    Table table =
        new Table(
            "written",
            ">writes, ms",
            ">watched, ms",
            ">first write, µs",
            ">scan, ms",
            ">hash touched, ms",
            ">hash all, ms",
            ">share",
            ">bound",
            "");
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(crew, "bench")) {
      var memory = arena.allocate(bytes, 64 << 10);
      memory.fill((byte) 1);
      ScanCosts costs = new ScanCosts(memory, workers, rounds);
      for (Pattern pattern : patterns()) {
        row(table, costs.measure(pattern));
      }
    }
    terminal.out().println("What is looked at, against hashing everything:");
    terminal.out().println(table);
  }

  private static void row(Table table, ScanCosts.Result result) {
    double bound = bound(result.pattern());
    table.row(
        result.pattern().toString(),
        format("%.2f", result.plainWrites() * 1e3),
        format("%.2f", result.watchedWrites() * 1e3),
        format("%.2f", result.firstWriteMicros()),
        format("%.3f", result.scan() * 1e3),
        format("%.2f", result.hashTouched() * 1e3),
        format("%.2f", result.hashAll() * 1e3),
        format("%.3f", result.share()),
        Double.isNaN(bound) ? "" : format("≤ %.2f", bound),
        Double.isNaN(bound) ? "" : verdict(result.share() <= bound));
  }

  private static double bound(Pattern pattern) {
    return switch (pattern.percent()) {
      case 0 -> 0.02;
      case 3 -> pattern.scattered() ? 0.25 : 0.06;
      case 100 -> 1.1;
      default -> Double.NaN;
    };
  }

  private void choices(long bytes) throws IOException {
    Table table =
        new Table(
            "written",
            ">hashed, s",
            ">tracked, s",
            ">auto, s",
            ">auto/best",
            ">bound",
            "",
            "decision");
    for (Pattern pattern : patterns()) {
      try (Choices choices = new Choices(bytes, checkpoints, memory)) {
        Choices.Result result = choices.measure(pattern);
        table.row(
            pattern.toString(),
            format("%.3f", result.hashed()),
            format("%.3f", result.tracked()),
            format("%.3f", result.chosen()),
            format("%.3f", result.ratio()),
            "≤ 1.10",
            verdict(result.ratio() <= 1.1),
            result.decision().split(":", 2)[0]);
      }
    }
    terminal
        .out()
        .printf(
            "%nWriting and %d checkpoints to memory, with what was tried in vain:%n", checkpoints);
    terminal.out().println(table);
  }

  private void durable(long bytes, int crew) throws IOException, UnwatchableException {
    Pattern pattern = new Pattern(3, false, true);
    double hash;
    try (Arena arena = Arena.ofShared();
        Workers workers = new Workers(crew, "bench")) {
      var state = arena.allocate(bytes, 64 << 10);
      state.fill((byte) 1);
      hash = new ScanCosts(state, workers, rounds).measure(pattern).hashTouched();
    }
    Path place = Files.createTempDirectory(directory, "cairn-bench");
    try {
      Durable.Result result = new Durable(place, bytes, crew, rounds).measure(pattern, hash);
      terminal
          .out()
          .printf(
              Locale.ROOT,
              "%n3 %% written in a row, durable: %.1f ms (of that until all is written %.1f ms, records and two forces %.1f ms); raw forced write of what changed %.1f ms + hash of what was touched %.2f ms: ratio %.2f (≤ 1.20) %s%n",
              result.checkpoint() * 1e3,
              (result.checkpoint() - result.publishing()) * 1e3,
              result.publishing() * 1e3,
              result.raw() * 1e3,
              result.hash() * 1e3,
              result.ratio(),
              verdict(result.ratio() <= 1.2));
    } finally {
      Folder.delete(place);
    }
  }

  private static String verdict(boolean passed) {
    return passed ? "PASS" : "MISS";
  }

  @SuppressWarnings("AnnotateFormatMethod") // for Error Prone, whose annotations are not here
  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}
