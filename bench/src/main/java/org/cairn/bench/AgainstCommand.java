// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.cairn.bench.Target.Bound;
import org.cairn.bench.against.Dialogue;
import org.cairn.bench.against.Fti;
import org.cairn.bench.against.Speaker;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.SameJava;
import org.cairn.cli.command.SizeConverter;
import org.cairn.cli.run.MpiLauncher;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn bench against}. */
@Command(
    name = "against",
    description = {
      "Measures Cairn beside FTI, another library for checkpoints, in one run: two jobs under MPI",
      "that change the same blocks and take checkpoints in turn, and restart in turn. You name a",
      "build of FTI; a small program of ours is compiled against it. Nothing of FTI is shipped.",
      "Ratios are Cairn's time over FTI's."
    },
    footer = {
      "",
      "Examples:",
      "  cairn bench against --fti $HOME/fti                    differential checkpoints of both",
      "  cairn bench against --fti $HOME/fti --mode local       FTI's first level, all of it",
      "  cairn bench against --fti $HOME/fti --mode erasure --ranks 4",
      "  cairn bench against --fti $HOME/fti --set dcp_mode=0   another setting of FTI",
      "",
      "Exit codes: 0 all bounds kept, 1 a bound missed or a line void."
    })
final class AgainstCommand implements Callable<Integer> {
  private static final int BLOCK = 16 << 10;
  private static final double[] PARTS = {1, 0.1, 0.03, 0};
  private static final double FEW = 0.03;

  /** What of both is compared, and which level of FTI that is. */
  enum Mode {
    /** FTI's differential checkpoints of level 4, which need not write all. */
    differential(8, 3, 1.0 / 15),
    /** Level 1: all of it to local files. */
    local(1, 1, Double.NaN),
    /** Level 3: local files and Reed-Solomon codes. */
    erasure(3, 1, 1.0 / 20);

    final int level;

    /** How FTI writes files: 1 by POSIX calls, 3 in its own format. */
    final int format;

    /** What a checkpoint of 3 % may take of FTI's. */
    final double few;

    Mode(int level, int format, double few) {
      this.level = level;
      this.format = format;
      this.few = few;
    }
  }

  private final Terminal terminal;

  @Option(
      names = "--fti",
      paramLabel = "DIR",
      required = true,
      description = "Where FTI was installed to: include/fti.h and lib/libfti.*.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private Path prefix;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      defaultValue = "differential",
      description = "What is compared: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Mode mode = Mode.differential;

  @Option(
      names = "--mpicc",
      paramLabel = "PROGRAM",
      defaultValue = "mpicc",
      description = "The compiler of the MPI that FTI was built with (default: ${DEFAULT-VALUE}).")
  private String compiler = "mpicc";

  @Option(
      names = "--libs",
      paramLabel = "FLAG",
      split = ",",
      defaultValue = "-lfti,-lm",
      description = "What to link (default: ${DEFAULT-VALUE}); static builds need more.")
  private List<String> libraries = List.of();

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "A setting of section [basic] of FTI's configuration.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--ranks",
      paramLabel = "N",
      defaultValue = "2",
      description = "Ranks of each job (default: ${DEFAULT-VALUE}).")
  private int ranks = 2;

  @Option(
      names = "--size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "256MiB",
      description = "State of a rank (default: ${DEFAULT-VALUE}).")
  private long size = 256L << 20;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "9",
      description = "Measurements of each (default: ${DEFAULT-VALUE}).")
  private int rounds = 9;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Where to write; a folder in it is made and deleted (default: the temporary one).")
  private @Nullable Path directory;

  @Mixin private JsonOption json = new JsonOption();

  private final List<Moment> moments = new ArrayList<>();

  /** What tells the state that was saved last. */
  private String sum = "";

  AgainstCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** One of the two: how to start its job on a folder. */
  private interface Side {
    Dialogue start(Path folder, boolean anew) throws IOException;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    MpiLauncher launcher =
        MpiLauncher.find(List.of(MpiLauncher.Kind.values()))
            .orElseThrow(
                () ->
                    new CommandFailedException(
                        "an MPI is missing: " + MpiLauncher.Kind.OPENMPI.remedy()));
    try (TargetsCommand.Scratch scratch = TargetsCommand.Scratch.in(directory)) {
      Path folder = scratch.path();
      Fti fti = new Fti(prefix, compiler, libraries, settings, folder);
      Side theirs = (place, anew) -> ofFti(launcher, fti, place, anew);
      Side ours = (place, anew) -> ofCairn(launcher, place);
      checkpoints(ours, theirs, folder);
      restarts(ours, theirs, folder);
      firsts(ours, theirs, folder);
    }
    print();
    return moments.stream().allMatch(Moment::passed) ? 0 : 1;
  }

  private Dialogue ofFti(MpiLauncher launcher, Fti fti, Path folder, boolean anew)
      throws IOException {
    Path configuration =
        anew ? fti.configure(folder, ranks, BLOCK, mode.format) : folder.resolve("config.fti");
    return new Dialogue(launcher.command(ranks, fti.command(configuration, size, mode.level)));
  }

  private Dialogue ofCairn(MpiLauncher launcher, Path folder) throws IOException {
    List<String> arguments =
        List.of(
            folder.toString(), String.valueOf(size), mode == Mode.erasure ? "erasure" : "local");
    return new Dialogue(launcher.command(ranks, SameJava.command(Speaker.class, arguments)));
  }

  // ---------------------------------------------------------------- in turn

  /** Both jobs are there; while one works the other waits, and sleeps. */
  private void checkpoints(Side ours, Side theirs, Path folder) throws IOException {
    Map<String, Series> series = new LinkedHashMap<>();
    OtherWork others = new OtherWork();
    String[] sums = new String[2];
    try (Dialogue cairn = ours.start(place(folder, "cairn"), true);
        Dialogue fti = theirs.start(place(folder, "fti"), true)) {
      cairn.checkpoint();
      fti.checkpoint();
      for (double part : PARTS) {
        say(name(part));
        new Rounds()
            .add("cairn", () -> changed(cairn, part))
            .add("fti", () -> changed(fti, part))
            .run(1, rounds)
            .forEach((side, times) -> series.put(side + part, times));
      }
      sums[0] = cairn.sum();
      sums[1] = fti.sum();
      if (!sums[0].equals(sums[1])) {
        throw new IllegalStateException("the two programs have not done the same");
      }
    }
    // Only now, when both have ended, is their own work known as ours.
    for (double part : PARTS) {
      Bound bound = part == FEW && !Double.isNaN(mode.few) ? Bound.atMost(mode.few) : null;
      add(name(part), series, String.valueOf(part), others, bound);
    }
    sum = sums[0];
  }

  private static double changed(Dialogue job, double part) throws IOException {
    job.change(part);
    return job.checkpoint();
  }

  /** From the end of MPI_Init until the state is back, in processes that have just begun. */
  private void restarts(Side ours, Side theirs, Path folder) throws IOException {
    say("restart");
    OtherWork others = new OtherWork();
    Map<String, Series> series =
        new Rounds()
            .add("cairn", () -> restarted(ours, place(folder, "cairn")))
            .add("fti", () -> restarted(theirs, place(folder, "fti")))
            .run(0, rounds);
    add("restart, file in memory", series, "", others, Bound.atMost(1));
  }

  private double restarted(Side side, Path folder) throws IOException {
    try (Dialogue job = side.start(folder, false)) {
      if (!job.sum().equals(sum)) {
        throw new IllegalStateException("what came back in " + folder + " is not what was saved");
      }
      return job.ready();
    }
  }

  private void firsts(Side ours, Side theirs, Path folder) throws IOException {
    say("first checkpoint");
    OtherWork others = new OtherWork();
    Map<String, Series> series =
        new Rounds()
            .add("cairn", () -> first(ours, place(folder, "first")))
            .add("fti", () -> first(theirs, place(folder, "first")))
            .run(0, rounds);
    add("first checkpoint of a process", series, "", others, null);
  }

  private static double first(Side side, Path folder) throws IOException {
    try (Dialogue job = side.start(folder, true)) {
      return job.checkpoint();
    } finally {
      new TargetsCommand.Scratch(folder).close();
    }
  }

  private static Path place(Path folder, String name) throws IOException {
    return Files.createDirectories(folder.resolve(name));
  }

  // ---------------------------------------------------------------- telling

  private static String name(double part) {
    return part == 0 ? "nothing dirty" : "%d %% dirty".formatted(Math.round(100 * part));
  }

  private void add(
      String name,
      Map<String, Series> series,
      String suffix,
      OtherWork others,
      @Nullable Bound bound) {
    moments.add(
        Moment.of(
            name,
            Targets.get(series, "cairn" + suffix),
            Targets.get(series, "fti" + suffix),
            others.cores(),
            bound));
  }

  private void say(String what) {
    terminal.bar(what, rounds, Quantities::count).close();
  }

  private void print() {
    if (json.requested()) {
      JsonOption.print(
          terminal, Map.of("bytes", size, "ranks", ranks, "mode", mode.name(), "moments", moments));
      return;
    }
    String head =
        "%d ranks of %s, %s, %d rounds".formatted(ranks, Quantities.bytes(size), mode, rounds);
    terminal.out().print(Moments.table(moments, head));
    terminal.out().println("measured: Cairn; baseline: FTI. " + Moments.LEGEND);
    terminal.out().flush();
  }
}
