// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.cairn.bench.Comparison.Build;
import org.cairn.bench.Comparison.Line;
import org.cairn.bench.Comparison.Value;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** {@code cairn bench compare}. */
@Command(
    name = "compare",
    description = {
      "Measures two builds in turn, each run in a process of its own, and says what became worse:",
      "by more than 5 %% and half the distance of the quartiles of both."
    },
    footer = {
      "",
      "Examples:",
      "  git worktree add ../before COMMIT && ../before/cairn --version    build what to compare with",
      "  cairn bench compare ../before . --runs 9                          all of it",
      "  cairn bench compare ../before . --measure targets --csv runs.csv  with every run in a file",
      "  cairn bench compare ../before . --measure tiers --with '--checkpoints 40 --rounds 3'   a JVM that is warm",
      "",
      "Exit codes: 0 nothing is worse, 1 something is."
    })
final class CompareCommand implements Callable<Integer> {
  /** What is measured: the commands with these names, quickly. */
  enum Measure {
    targets,
    tiers;

    private List<String> options() {
      return switch (this) {
        case targets -> List.of("--quick");
        case tiers -> List.of("--quick", "--threads");
      };
    }
  }

  private final Terminal terminal;

  @Parameters(
      index = "0",
      paramLabel = "BEFORE",
      description = "A checkout of what is compared with.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private Path before;

  @Parameters(index = "1", paramLabel = "AFTER", description = "A checkout of what is compared.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private Path after;

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "9",
      description = "Runs of each build (default: ${DEFAULT-VALUE}).")
  private int runs = 9;

  @Option(
      names = "--measure",
      paramLabel = "WHAT",
      split = ",",
      defaultValue = "targets,tiers",
      description = "What to measure: ${COMPLETION-CANDIDATES} (default: all).")
  private List<Measure> measures = List.of();

  @Option(
      names = "--with",
      paramLabel = "OPTIONS",
      defaultValue = "",
      description = "Further options of what is measured, in one argument, separated by blanks.")
  private String more = "";

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Where to write; folders in it are made and deleted (default: the temporary one).")
  private @Nullable Path directory;

  @Option(
      names = "--csv",
      paramLabel = "FILE",
      description = "Also write the figures of every run to a file, as they come.")
  private @Nullable Path csv;

  CompareCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Comparison comparison = new Comparison();
    try (Writer table = csv == null ? Writer.nullWriter() : Files.newBufferedWriter(csv);
        ProgressBar bar = terminal.bar("compare", 2L * runs * measures.size(), Quantities::count)) {
      table.write("run,build,group,figure,value\n");
      for (int run = 0; run < runs; run++) {
        for (Measure measure : measures) {
          // Whoever comes second finds the machine as the first left it: they take turns in that.
          for (Build build : run % 2 == 0 ? Build.values() : backwards()) {
            List<Value> values = measure(build, measure);
            comparison.add(build, values);
            write(run, build, values, table);
            bar.advance(1);
          }
        }
      }
    }
    return print(comparison);
  }

  private static Build[] backwards() {
    return new Build[] {Build.AFTER, Build.BEFORE};
  }

  private List<Value> measure(Build build, Measure measure)
      throws IOException, InterruptedException {
    String result = run(command(build, measure));
    try {
      return MeasuredFigures.of(new JsonMapper().readTree(result));
    } catch (JacksonException e) {
      throw new CommandFailedException(
          "cairn bench %s of %s told no figures: %s"
              .formatted(measure, build == Build.BEFORE ? before : after, e.getMessage()));
    }
  }

  private List<String> command(Build build, Measure measure) {
    Path root = build == Build.BEFORE ? before : after;
    List<String> command = new ArrayList<>();
    command.add(root.resolve("cairn").toAbsolutePath().toString());
    command.addAll(List.of("bench", measure.name(), "--json"));
    command.addAll(measure.options());
    command.addAll(Arrays.stream(more.split(" ")).filter(word -> !word.isEmpty()).toList());
    if (directory != null) {
      command.addAll(List.of("--dir", directory.toAbsolutePath().toString()));
    }
    return command;
  }

  /** What it printed. That a bound was missed, which it says by ending with 1, does not matter. */
  private static String run(List<String> command) throws IOException, InterruptedException {
    Path errors = Files.createTempFile("cairn-bench", ".err");
    try {
      Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
      String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
      if (process.waitFor() > 1 || printed.isBlank()) {
        throw new CommandFailedException(
            String.join(" ", command) + " failed: " + Files.readString(errors).strip());
      }
      return printed;
    } finally {
      Files.deleteIfExists(errors);
    }
  }

  /** A comparison takes long, and what ends it early must not cost what is known. */
  private static void write(int run, Build build, List<Value> values, Writer table)
      throws IOException {
    for (Value value : values) {
      table.write(
          "%d,%s,\"%s\",\"%s\",%s\n"
              .formatted(run, build, value.figure().group(), value.figure().name(), value.value()));
    }
    table.flush();
  }

  private int print(Comparison comparison) {
    terminal.out().print(comparison.markdown());
    List<Line> worse = comparison.lines().stream().filter(Line::isWorse).toList();
    terminal
        .out()
        .println(
            "\n%d runs of each; %s worse by more than 5 %% and the interval"
                .formatted(
                    runs,
                    switch (worse.size()) {
                      case 0 -> "nothing is";
                      case 1 -> "1 figure is";
                      default -> worse.size() + " figures are";
                    }));
    return worse.isEmpty() ? 0 : 1;
  }
}
