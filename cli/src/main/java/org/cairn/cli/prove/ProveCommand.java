// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.prove;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.JsonOption;
import org.cairn.cli.command.TemporaryFolder;
import org.cairn.cli.run.App;
import org.cairn.cli.run.MpiLauncher;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Terminal;
import org.cairn.cli.terminal.Text;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code cairn prove}. */
@Command(
    name = "prove",
    description = {
      "Answers whether a program protects everything.",
      "",
      "The program is run twice undisturbed, then run again and again, killed with SIGKILL in,"
          + " between and shortly after checkpoints, started again, and its results are compared"
          + " with those of the undisturbed run, byte for byte.",
      "",
      "Every run has an empty working directory and an empty directory for temporary files."
          + " Checkpoints anywhere else are refused. Write results and checkpoints to relative"
          + " paths.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  cairn prove app.jar --runs 20 --result u.npy",
      "  cairn prove examples/Wave.java --result wave.txt -- --steps 200",
      "  cairn prove -n 4 app.jar --result u.npy     kills ranks, and deletes what tiers can bear",
      "  cairn prove app.jar --result u.npy --runs 1 --seed 4711     one run again",
      "",
      "Exit codes: 0 all runs that count ended with the same result, 1 one did not, none counted,",
      "or the program is not deterministic or takes no checkpoints, 2 wrong usage."
    })
public final class ProveCommand implements Callable<Integer> {
  /** A life that lasts longer than so many undisturbed ones does not end. */
  private static final int HANG = 5;

  /** Where the last column of the table of runs begins. */
  private static final int INDENT = 40;

  private final Terminal terminal;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(names = "--runs", paramLabel = "K", description = "How many runs are killed (20).")
  private int runs = 20;

  @Option(
      names = "--result",
      paramLabel = "FILE",
      arity = "1..*",
      description =
          "What the program leaves, relative to its working directory; several are possible.")
  private List<Path> results = new ArrayList<>();

  @Option(
      names = {"-n", "--ranks"},
      paramLabel = "N",
      description = "Run on N ranks (1 to 64); ranks are killed, and lose their files.")
  private @Nullable Integer ranks;

  @Option(
      names = "--mpi",
      paramLabel = "NAME",
      description = "With -n: openmpi, mpich, or none for threads of one process (what is there).")
  private @Nullable String mpi;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Seed of the first run, the others follow; each is printed.")
  private @Nullable Long seed;

  @Option(
      names = "--shared",
      paramLabel = "DIR",
      description =
          "A new or empty directory that the program uses as shared store; emptied between runs.")
  private List<Path> shared = new ArrayList<>();

  @Option(
      names = "--input",
      paramLabel = "PATH",
      description = "A file or folder that the program reads; copied to each working directory.")
  private List<Path> inputs = new ArrayList<>();

  @Option(
      names = {"-cp", "--class-path"},
      paramLabel = "PATH",
      description = "Jars and folders with classes of the program, besides Cairn's own.")
  private String classPath = "";

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "An empty or new directory to work in; a temporary one unless given.")
  private @Nullable Path dir;

  @Option(names = "--keep", description = "Keep the files of all runs.")
  private boolean keep;

  @Mixin private final JsonOption json = new JsonOption();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "APP",
      description = "What cairn run takes: a jar, a .java file, a class of --class-path, a name.")
  private @Nullable String app;

  @Parameters(
      index = "1..*",
      paramLabel = "ARGUMENT",
      description = "What the program is told; write -- before it.")
  private List<String> arguments = new ArrayList<>();

  /** The command, writing to this terminal. */
  public ProveCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    requireSensibleOptions();
    Optional<MpiLauncher> launcher = ranks == null ? Optional.empty() : launcher();
    long first = seed != null ? seed : ThreadLocalRandom.current().nextLong(1_000_000);
    try (TemporaryFolder folder = TemporaryFolder.of(dir, "prove")) {
      String name = String.valueOf(app);
      App.Ready ready = App.ready(name, classPath, folder.path().resolve("classes"));
      int count = ranks == null ? 0 : ranks;
      Program program = new Program(spec, name, ready, arguments, count, launcher);
      Report report = prove(program, folder, first);
      if (json.requested()) {
        JsonOption.print(terminal, report);
      } else {
        terminal.say(report.answer());
        Optional.ofNullable(report.kept())
            .ifPresent(kept -> terminal.say("Its files are in " + kept));
      }
      return report.proved() ? 0 : 1;
    }
  }

  // ---------------------------------------------------------------- what was asked for

  private void requireSensibleOptions() {
    takeAppFromResults();
    require(app != null, "say which program: a jar, a .java file, a class or a name");
    require(
        !results.isEmpty(),
        "say what the program leaves, so that it can be compared: --result FILE");
    require(runs >= 1, "--runs must be at least 1, not " + runs);
    require(ranks == null || (ranks >= 1 && ranks <= 64), "-n must be between 1 and 64");
    require(mpi == null || ranks != null, "--mpi needs -n");
    require(
        mpi == null || mpi.equals("none") || MpiLauncher.Kind.of(mpi).isPresent(),
        "--mpi " + mpi + ": it can be openmpi, mpich or none");
    for (Path result : results) {
      Path plain = result.normalize();
      require(
          !plain.isAbsolute() && !plain.startsWith("..") && !plain.toString().isEmpty(),
          "--result %s: write it relative to the working directory, which each run has for itself"
              .formatted(result));
    }
    for (Path input : inputs) {
      require(Files.exists(input), "--input " + input + " does not exist");
    }
    shared.forEach(this::requireEmpty);
  }

  /** {@code --result u.npy app.jar}: the option takes whatever follows it. */
  private void takeAppFromResults() {
    if (app == null && results.size() > 1 && Files.exists(results.getLast())) {
      app = results.removeLast().toString();
    }
  }

  private void requireEmpty(Path directory) {
    require(
        !directory.toString().contains(File.pathSeparator),
        "--shared " + directory + ": a name with " + File.pathSeparator + " cannot be passed on");
    try {
      require(
          !Files.exists(directory) || TemporaryFolder.isEmpty(directory),
          "--shared %s is not empty; prove would delete what is in it".formatted(directory));
    } catch (IOException e) {
      throw new CommandFailedException("--shared " + directory + " cannot be read", e);
    }
  }

  private void require(boolean sound, String message) {
    if (!sound) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }

  private Optional<MpiLauncher> launcher() {
    if ("none".equals(mpi)) {
      return Optional.empty();
    }
    List<MpiLauncher.Kind> kinds =
        mpi == null
            ? List.of(MpiLauncher.Kind.values())
            : List.of(MpiLauncher.Kind.of(mpi).orElseThrow());
    Optional<MpiLauncher> found = MpiLauncher.find(kinds);
    if (found.isEmpty()) {
      String remedy = kinds.getFirst().remedy();
      if (mpi != null) {
        throw new CommandFailedException(mpi + " is not on the path; install it: " + remedy);
      }
      terminal.remark(
          "No MPI is on the path (%s), so the ranks are threads of one process.".formatted(remedy));
    }
    return found;
  }

  // ---------------------------------------------------------------- undisturbed

  private Report prove(Program program, TemporaryFolder folder, long first)
      throws IOException, InterruptedException {
    List<Double> seconds = new ArrayList<>();
    List<Life.Ending> endings = new ArrayList<>();
    List<Ground> grounds = new ArrayList<>();
    Duration limit = null;
    for (int i = 1; i <= 2; i++) {
      Ground ground = ground(folder, "u" + i);
      Life.Ending ending = undisturbed(program, ground, limit);
      grounds.add(ground);
      endings.add(ending);
      seconds.add(ending.time().toNanos() * 1e-9);
      limit = ending.time().multipliedBy(HANG);
      Optional<String> failure = failure(ending, ground);
      if (failure.isPresent()) {
        return without(program, folder, first, seconds, 0, true, failure.get(), null);
      }
    }
    return compared(program, folder, first, seconds, endings, grounds);
  }

  private Life.Ending undisturbed(Program program, Ground ground, @Nullable Duration limit)
      throws IOException, InterruptedException {
    terminal.milestone("undisturbed: " + program.app());
    try (ProgressBar bar = terminal.bar("undisturbed", 1, Quantities::count)) {
      bar.note("running");
      Life.Ending ending = Life.live(program, ground, null, null, limit);
      bar.note(Quantities.duration(ending.time()));
      bar.reach(1);
      return ending;
    }
  }

  private static Optional<String> failure(Life.Ending ending, Ground ground) throws IOException {
    if (ending.hung()) {
      return Optional.of(
          "The second undisturbed run lasted more than five times as long as the first.\n"
              + String.join("\n", Stacks.ofMain(ending.stacks())));
    }
    if (ending.exitCode() != 0) {
      return Optional.of(
          "The program fails undisturbed, with exit code %d: %s"
              .formatted(ending.exitCode(), ending.complaint()));
    }
    for (Path result : ground.results()) {
      if (!Files.isRegularFile(ground.work().resolve(result))) {
        return Optional.of(
            "The program left no %s in its working directory; there are %s. Results are given with --result, relative to it."
                .formatted(result, Run.files(ground.work())));
      }
    }
    return Optional.empty();
  }

  private Report compared(
      Program program,
      TemporaryFolder folder,
      long first,
      List<Double> seconds,
      List<Life.Ending> endings,
      List<Ground> grounds)
      throws IOException, InterruptedException {
    Rhythm rhythm = rhythm(endings, program);
    Optional<Difference> difference =
        Difference.first(results, grounds.getFirst().work(), grounds.getLast().work());
    if (difference.isPresent()) {
      return without(
          program,
          folder,
          first,
          seconds,
          rhythm.checkpoints(),
          false,
          "The program is not deterministic: two undisturbed runs differ. "
              + difference.get().inWords()
              + ".\nSeeds, the time of day and the order of threads are what such differences come from.",
          difference.get());
    }
    if (rhythm.checkpoints() == 0) {
      return without(
          program,
          folder,
          first,
          seconds,
          0,
          true,
          "The program never takes a checkpoint: none became durable in an undisturbed run. If it uses checkpointIfDue(), let it run longer or choose a shorter interval.",
          null);
    }
    Path expected = folder.path().resolve("expected");
    grounds.getFirst().removeAllBut(expected);
    grounds.getLast().remove();
    String tiers =
        endings.getFirst().events().stream()
            .filter(event -> event.is("open"))
            .map(event -> event.event().path("tiers").asString(""))
            .findFirst()
            .orElse("");
    Duration longest =
        endings.stream().map(Life.Ending::time).max(Comparator.naturalOrder()).orElseThrow();
    Run.Measure measure =
        new Run.Measure(
            expected, rhythm, Losses.of(program.count(), tiers), longest.multipliedBy(HANG));
    announce(program, seconds, rhythm);
    return killed(program, folder, first, seconds, measure);
  }

  private static Rhythm rhythm(List<Life.Ending> endings, Program program) {
    Rhythm fewest = Rhythm.of(endings.getFirst().of(0));
    for (Life.Ending ending : endings) {
      for (int rank = 0; rank < program.count(); rank++) {
        Rhythm rhythm = Rhythm.of(ending.of(rank));
        fewest = rhythm.checkpoints() < fewest.checkpoints() ? rhythm : fewest;
      }
    }
    return fewest;
  }

  private Report without(
      Program program,
      TemporaryFolder folder,
      long first,
      List<Double> seconds,
      int checkpoints,
      boolean deterministic,
      String answer,
      @Nullable Difference difference) {
    folder.keep();
    return Report.without(
        program,
        first,
        seconds,
        checkpoints,
        deterministic,
        answer,
        difference,
        folder.path().toString());
  }

  private Ground ground(TemporaryFolder folder, String name) throws IOException {
    Path home = folder.path().toAbsolutePath().resolve(name);
    List<Path> absolute = shared.stream().map(Path::toAbsolutePath).toList();
    return Ground.fresh(home, absolute, results, inputs);
  }

  // ---------------------------------------------------------------- killed

  private void announce(Program program, List<Double> seconds, Rhythm rhythm) {
    if (json.requested()) {
      return;
    }
    String many =
        ranks == null
            ? ""
            : " on %d ranks (%s)"
                .formatted(
                    ranks,
                    program
                        .launcher()
                        .map(found -> found.kind().label())
                        .orElse("threads of one process"));
    terminal.say(
        "%s%s, undisturbed: %s and %s, %d checkpoints, the same results."
            .formatted(
                program.app(),
                many,
                Quantities.seconds(seconds.getFirst()),
                Quantities.seconds(seconds.getLast()),
                rhythm.checkpoints()));
    terminal.out().println();
    terminal.out().println(Report.heading());
    terminal.out().flush();
  }

  private Report killed(
      Program program,
      TemporaryFolder folder,
      long first,
      List<Double> seconds,
      Run.Measure measure)
      throws IOException, InterruptedException {
    List<Run> done = new ArrayList<>();
    String kept = null;
    try (ProgressBar bar = terminal.bar("prove", runs, Quantities::count)) {
      for (int i = 1; i <= runs; i++) {
        Ground ground = ground(folder, "r" + i);
        Run run = Run.of(program, ground, measure, first + i - 1);
        done.add(run);
        tell(bar, i, run);
        bar.reach(i);
        if (run.verdict().isBad() && kept == null) {
          kept = ground.home().toString();
        } else if (!keep) {
          ground.remove();
        }
      }
    }
    if (!json.requested()) {
      terminal.out().println();
    }
    if (keep || kept != null) {
      folder.keep();
    }
    List<String> names = results.stream().map(Path::toString).toList();
    String where = kept == null && keep ? folder.path().toString() : kept;
    int checkpoints = measure.rhythm().checkpoints();
    return Report.of(program, first, seconds, checkpoints, done, names, where);
  }

  private void tell(ProgressBar bar, int number, Run run) {
    String plain = Text.wrap(Report.line(number, run), terminal.columns(), " ".repeat(INDENT));
    String line = run.verdict().isBad() ? terminal.colours().alarming(plain) : plain;
    if (json.requested()) {
      terminal.milestone(line);
    } else {
      bar.aside(
          () -> {
            terminal.out().println(line);
            terminal.out().flush();
          });
    }
  }
}
