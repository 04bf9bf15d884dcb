// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.demo;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.Folder;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.TemporaryFolder;
import org.cairn.cli.demo.HeatProcess.Ending;
import org.cairn.cli.demo.HeatProcess.Kill;
import org.cairn.cli.run.MpiLauncher;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Table;
import org.cairn.cli.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code cairn demo}. */
@Command(
    name = "demo",
    description = {
      "Shows a program that is killed, comes back and ends with the same bits.",
      "",
      "Heat2D runs twice, in JVMs of its own: once undisturbed and without checkpoints, once with"
          + " checkpoints, killed with SIGKILL at random moments and started again. Then the"
          + " results are compared, bit for bit.",
      "",
      "With --ranks it runs on many ranks, in a process each, through MPI where one is installed."
          + " Then a rank is lost in the middle, process and directory, and comes back from its"
          + " partner or from parity; with --restart-on the job goes on with another number.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  cairn demo                          about fifteen seconds",
      "  cairn demo --kills 5 --async        killed five times, checkpoints in the background",
      "  cairn demo --seed 42                killed at the moments of an earlier run",
      "  cairn demo --ranks 4                four ranks, one of which loses all its files",
      "  cairn demo --ranks 5 --lose 2 --tier erasure",
      "                                      two of five come back from the parity of the others",
      "  cairn demo --ranks 4 --restart-on 3 the three that are left go on with what four had",
      "  cairn demo --dir /scratch/d --keep  leaves checkpoints and results to look at:",
      "  cairn show /scratch/d/checkpoints"
    })
public final class DemoCommand implements Callable<Integer> {
  private static final int CHECKPOINTS = 15;
  private static final List<String> TIERS = List.of("partner", "erasure");

  /** How often a program that is faster than its kill begins anew. */
  private static final int ATTEMPTS = 5;

  private final Terminal terminal;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--size",
      paramLabel = "M",
      description = "Columns of the plate (2048; with --ranks 1024).")
  private @Nullable Integer chosenSize;

  @Option(
      names = "--iterations",
      paramLabel = "N",
      description = "Iterations of each run (600; with --ranks 300).")
  private @Nullable Long chosenIterations;

  @Option(
      names = "--kills",
      paramLabel = "K",
      description = "How often the second run is killed (2); not with --ranks.")
  private @Nullable Integer chosenKills;

  @Option(
      names = {"-n", "--ranks"},
      paramLabel = "N",
      description = "Run on N ranks (2 to 16), and lose one of them.")
  private @Nullable Integer ranks;

  @Option(
      names = "--lose",
      paramLabel = "M",
      description = "With --ranks: how many ranks are lost (1).")
  private @Nullable Integer lose;

  @Option(
      names = "--restart-on",
      paramLabel = "K",
      description =
          "With --ranks: go on with K ranks (1 to 16) after the loss (as many as before).")
  private @Nullable Integer restartOn;

  @Option(
      names = "--tier",
      paramLabel = "TIER",
      description = "With --ranks: keep checkpoints with a partner, or as erasure code (both).")
  private @Nullable String tier;

  @Option(
      names = "--mpi",
      paramLabel = "NAME",
      description =
          "With --ranks: openmpi, mpich, or none for threads of one process (what is there).")
  private @Nullable String mpi;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Seed of the random moments; printed by every run.")
  private @Nullable Long seed;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "An empty or new directory to work in; a temporary one unless given.")
  private @Nullable Path dir;

  @Option(names = "--keep", description = "Keep checkpoints and results.")
  private boolean keep;

  @Option(names = "--async", description = "Make checkpoints durable in the background.")
  private boolean asynchronous;

  @Mixin private final JsonOption json = new JsonOption();

  /** The command, writing to this terminal. */
  public DemoCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    requireSensibleOptions();
    long chosenSeed = seed != null ? seed : ThreadLocalRandom.current().nextLong(1_000_000);
    Optional<RanksDemo> many = ranks == null ? Optional.empty() : Optional.of(ranksDemo(ranks));
    try (TemporaryFolder folder = TemporaryFolder.of(dir, "demo")) {
      Path home = folder.path();
      boolean well = false;
      try {
        well = many.isPresent() ? showRanks(many.get(), home, chosenSeed) : show(home, chosenSeed);
        return well ? 0 : 1;
      } finally {
        if (keep || !well) {
          folder.keep();
          terminal.remark("Checkpoints and results are in " + home);
        }
      }
    }
  }

  private boolean show(Path home, long chosenSeed) throws IOException, InterruptedException {
    if (!json.requested()) {
      announce(chosenSeed);
    }
    DemoReport report = runBoth(home, chosenSeed);
    if (json.requested()) {
      JsonOption.print(terminal, report);
    } else {
      print(report);
    }
    return report.identical();
  }

  private boolean showRanks(RanksDemo demo, Path home, long chosenSeed)
      throws IOException, InterruptedException {
    if (!json.requested()) {
      demo.announce(chosenSeed);
    }
    RanksReport report = demo.run(home, chosenSeed);
    if (json.requested()) {
      JsonOption.print(terminal, report);
    } else {
      demo.print(report);
    }
    return report.identical() && report.recovered();
  }

  private RanksDemo ranksDemo(int count) {
    int lost = lose == null ? 1 : lose;
    List<String> tiers = tier == null ? TIERS : List.of(tier);
    return new RanksDemo(
        spec,
        terminal,
        launcher(),
        count,
        restartOn == null ? count : restartOn,
        tiers,
        lost,
        size(),
        iterations(),
        asynchronous);
  }

  private Optional<MpiLauncher> launcher() {
    if (mpi == null) {
      Optional<MpiLauncher> found = MpiLauncher.find(List.of(MpiLauncher.Kind.values()));
      if (found.isEmpty()) {
        terminal.remark(
            "No MPI is on the path (%s), so the ranks are threads of one process."
                .formatted(MpiLauncher.Kind.OPENMPI.remedy()));
      }
      return found;
    } else if (mpi.equals("none")) {
      return Optional.empty();
    }
    MpiLauncher.Kind kind = MpiLauncher.Kind.of(mpi).orElseThrow();
    return Optional.of(
        MpiLauncher.find(kind)
            .orElseThrow(
                () ->
                    new CommandFailedException(
                        mpi + " is not on the path; install it: " + kind.remedy())));
  }

  private int size() {
    return chosenSize != null ? chosenSize : ranks == null ? 2048 : 1024;
  }

  private long iterations() {
    return chosenIterations != null ? chosenIterations : ranks == null ? 600 : 300;
  }

  private int kills() {
    return chosenKills != null ? chosenKills : 2;
  }

  private void requireSensibleOptions() {
    require(size() >= 1 && size() <= 40_000, "--size must be between 1 and 40000, not " + size());
    require(iterations() >= 1, "--iterations must be at least 1, not " + iterations());
    require(kills() >= 0 && kills() <= 1000, "--kills must be between 0 and 1000, not " + kills());
    if (ranks == null) {
      require(
          lose == null && tier == null && mpi == null && restartOn == null,
          "--lose, --restart-on, --tier and --mpi need --ranks");
      return;
    }
    require(ranks >= 2 && ranks <= 16, "--ranks must be between 2 and 16, not " + ranks);
    require(
        restartOn == null || (restartOn >= 1 && restartOn <= 16),
        "--restart-on must be between 1 and 16, not " + restartOn);
    require(chosenKills == null, "--kills is for one rank; with --ranks, use --lose");
    require(tier == null || TIERS.contains(tier), "--tier can be partner or erasure, not " + tier);
    require(
        mpi == null || mpi.equals("none") || MpiLauncher.Kind.of(mpi).isPresent(),
        "--mpi " + mpi + ": it can be openmpi, mpich or none");
    // Of two neighbours one has the copy of the other; parity needs somebody who is left.
    int most = "partner".equals(tier) ? ranks / 2 : ranks - 1;
    require(
        lose == null || (lose >= 1 && lose <= most),
        "--lose must be between 1 and %d here, not %d".formatted(most, lose));
  }

  private void require(boolean sound, String message) {
    if (!sound) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }

  private void announce(long chosenSeed) {
    terminal.tell(
        "Heat2D: a plate of %s x %s points (%s), %s iterations, a checkpoint every %s.%n"
            + "The second run is killed with SIGKILL %s, at random (seed %d).%n",
        Quantities.count(size() + 3L),
        Quantities.count(size()),
        Quantities.bytes((size() + 3L) * size() * Double.BYTES),
        Quantities.count(iterations()),
        Quantities.count(every()),
        times(kills()),
        chosenSeed);
    terminal.out().flush();
  }

  private long every() {
    return Math.max(1, iterations() / CHECKPOINTS);
  }

  static String times(int number) {
    return switch (number) {
      case 1 -> "once";
      case 2 -> "twice";
      default -> number + " times";
    };
  }

  private DemoReport runBoth(Path home, long chosenSeed) throws IOException, InterruptedException {
    Path expected = home.resolve("uninterrupted.result");
    Path actual = home.resolve("killed.result");
    Path checkpoints = home.resolve("checkpoints");

    List<Ending> endings = new ArrayList<>();
    // Never reaches its first checkpoint: what Cairn does must not matter to the result.
    Path unused = home.resolve("uninterrupted");
    try (ProgressBar bar = bar("uninterrupted")) {
      endings.add(process(home, unused, iterations() + 1, expected).run(null, bar::reach));
    }
    milestone(endings.getLast());
    Folder.delete(unused);
    // A small plate is in balance before all iterations are done.
    long last = endings.getLast().last();

    try (ProgressBar bar = bar("killed " + times(kills()))) {
      endings.addAll(
          killed(home, checkpoints, actual, KillPlan.of(kills(), last, chosenSeed), bar));
      endings.add(process(home, checkpoints, every(), actual).run(null, bar::reach));
    }
    milestone(endings.getLast());
    return DemoReport.of(chosenSeed, endings, CheckpointEvents.read(checkpoints), expected, actual);
  }

  /**
   * Runs the program until it has been killed as often as it should. On a busy machine a small one
   * is faster than we are; then it begins anew, and is killed earlier.
   */
  private List<Ending> killed(
      Path home, Path checkpoints, Path actual, List<Kill> planned, ProgressBar bar)
      throws IOException, InterruptedException {
    List<Kill> plan = planned;
    for (int i = 0; i < ATTEMPTS; i++) {
      List<Ending> endings = new ArrayList<>();
      for (Kill kill : plan) {
        Ending ending = process(home, checkpoints, every(), actual).run(kill, bar::reach);
        milestone(ending);
        if (!ending.killed()) {
          break;
        }
        endings.add(ending);
        bar.note(moments(endings));
      }
      if (endings.size() == plan.size()) {
        return endings;
      }
      bar.note("faster than its kill; again");
      Folder.delete(checkpoints);
      Folder.delete(actual);
      plan = plan.stream().map(Kill::earlier).toList();
    }
    throw new CommandFailedException(
        "the program finished before it could be killed; give it more to do with --iterations or"
            + " --size");
  }

  private static String moments(List<Ending> endings) {
    return endings.stream()
        .map(ending -> Long.toString(ending.last()))
        .collect(Collectors.joining(", ", "killed at ", ""));
  }

  private void milestone(Ending ending) {
    terminal.milestone(
        "process %d: %s at iteration %d, after %s"
            .formatted(
                ending.pid(),
                ending.killed() ? "killed" : "finished",
                ending.last(),
                Quantities.duration(ending.time())));
  }

  private ProgressBar bar(String label) {
    int width = Math.max("uninterrupted".length(), ("killed " + times(kills())).length());
    return terminal.bar(
        label + " ".repeat(width - label.length()), iterations(), Quantities::count);
  }

  private HeatProcess process(Path home, Path checkpoints, long every, Path result) {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("--size", Integer.toString(size())));
    arguments.addAll(List.of("--iterations", Long.toString(iterations())));
    arguments.addAll(List.of("--checkpoints", checkpoints.toString()));
    arguments.addAll(List.of("--every", Long.toString(every)));
    arguments.addAll(List.of("--result", result.toString()));
    if (asynchronous) {
      arguments.add("--async");
    }
    return new HeatProcess(arguments, home.resolve("heat2d.log"));
  }

  private void print(DemoReport report) {
    terminal.out().println();
    terminal.print(runs(report));
    terminal.out().println();
    terminal.print(checkpoints(report));
    terminal
        .out()
        .println("Blocks never saved before count as dirty; those of zeros cost nothing.\n");
    terminal.tell("%s", report.conclusion());
  }

  private static Table runs(DemoReport report) {
    Table table = new Table("run", ">process", "began with", ">iterations", ">time", "ended");
    List<DemoReport.Run> runs = report.runs();
    for (int i = 0; i < runs.size(); i++) {
      DemoReport.Run run = runs.get(i);
      table.row(
          i == 0 ? "undisturbed" : runs.size() == 2 ? "with checkpoints" : "attempt " + i,
          Long.toString(run.process()),
          run.version() == null ? "nothing" : "version " + run.version(),
          run.fromIteration() + " - " + run.toIteration(),
          Quantities.seconds(run.seconds()),
          run.killed() ? "killed (SIGKILL)" : "finished");
    }
    return table;
  }

  private static Table checkpoints(DemoReport report) {
    Table table =
        new Table(
            "checkpoint",
            "kind",
            ">dirty blocks",
            ">share",
            ">written",
            ">program waited",
            ">durable after");
    for (CheckpointEvents.Taken taken : report.checkpoints()) {
      table.row(
          taken.version(),
          taken.full() ? "full" : "differential",
          Quantities.count(taken.dirtyBlocks()) + " of " + Quantities.count(taken.blocks()),
          Quantities.percent(taken.dirtyBlocks(), taken.blocks()),
          Quantities.bytes(taken.bytesWritten()),
          Quantities.seconds(taken.waitedSeconds()),
          Quantities.seconds(taken.durableSeconds()));
    }
    return table;
  }
}
