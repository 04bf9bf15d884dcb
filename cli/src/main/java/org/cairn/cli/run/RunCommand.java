// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.run;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.cairn.CheckpointDirectoryException;
import org.cairn.CheckpointFailedException;
import org.cairn.CheckpointUnavailableException;
import org.cairn.Options;
import org.cairn.cli.command.Child;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.Explanations;
import org.cairn.cli.command.SameJava;
import org.cairn.cli.command.TemporaryFolder;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Terminal;
import org.cairn.comm.Communicators;
import org.cairn.comm.Launch;
import org.cairn.comm.RankFailedException;
import org.cairn.comm.Ranks;
import org.cairn.tier.FileNames;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code cairn run}. */
@Command(
    name = "run",
    description = {
      "Runs a program, on one rank or many.",
      "",
      "Without -n the program runs in this process, as the rank that mpirun, mpiexec or srun has"
          + " made it, or alone. With -n this command starts the ranks itself, through the MPI that"
          + " is installed. A program finds its ranks by Communicators.world().",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  cairn run heat2d --size 500              one rank",
      "  cairn run -n 4 heat2d --every 100        four processes",
      "  cairn run examples/Wave.java             a program of one file, from its source",
      "  cairn run --name plate-7 heat2d          a job that has a name",
      "  cairn run -n 4 --threads app.jar         four threads of one process, without MPI",
      "  mpirun -n 8 ./cairn run app.jar          what a batch script does"
    })
public final class RunCommand implements Callable<Integer> {
  /** What a Java process takes that does next to nothing. */
  private static final long LEAST_BYTES = 32L << 20;

  /** Where one of these is set, ranks are started on more machines than this one. */
  private static final List<String> BATCH_SYSTEMS =
      List.of("SLURM_JOB_ID", "PBS_NODEFILE", "LSB_JOBID", "PE_HOSTFILE", "COBALT_JOBID");

  private static final String PER_RANK = "per-rank";

  private final Terminal terminal;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = {"-n", "--ranks"},
      paramLabel = "N",
      description = "Start N ranks.")
  private @Nullable Integer ranks;

  @Option(
      names = "--mpi",
      paramLabel = "NAME",
      description =
          "Which MPI to start them with: openmpi, mpich or none (default: what is there).")
  private @Nullable String mpi;

  @Option(names = "--threads", description = "Ranks are threads of one process, without MPI.")
  private boolean threads;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description =
          "What the job is called (CAIRN_JOB): it goes on only with checkpoints of that name.")
  private @Nullable String name;

  @Option(
      names = "--domains",
      paramLabel = PER_RANK,
      description =
          "Act as if each rank were on a node of its own, which is lost with it (for tests).")
  private @Nullable String domains;

  @Option(
      names = {"-cp", "--class-path"},
      paramLabel = "PATH",
      description = "Jars and folders with classes of the program, besides Cairn's own.")
  private String classPath = "";

  @Option(
      names = "--tell-process",
      hidden = true,
      description = "Say which process the rank is; for those who end it (cairn demo).")
  private boolean tellProcess;

  @Parameters(
      index = "0",
      paramLabel = "APP",
      description =
          "A jar, a .java file, a class of --class-path, or the name of a program that comes with"
              + " Cairn: heat2d, poisson, cloverleaf.")
  private String app = "";

  @Parameters(index = "1..*", paramLabel = "ARGUMENT", description = "What the program is told.")
  private List<String> arguments = List.of();

  /** Makes the command. */
  public RunCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws Exception {
    if (tellProcess) {
      tellProcess();
    }
    check();
    int count = ranks == null ? 1 : ranks;
    if (threads) {
      return runThreads(App.find(app, classPath), count);
    }
    if (ranks == null || (count == 1 && "none".equals(mpi))) {
      return runHere(App.find(app, classPath));
    }
    try (TemporaryFolder folder = TemporaryFolder.of(null, "run")) {
      App.Ready program = App.ready(app, classPath, folder.path());
      return runProcesses(count, program);
    }
  }

  private void tellProcess() {
    long process = ProcessHandle.current().pid();
    Launch.detect()
        .ifPresent(rank -> terminal.out().printf("rank %d is process %d%n", rank.rank(), process));
    terminal.out().flush();
  }

  private void check() {
    if (ranks != null && ranks < 1) {
      throw wrong("-n " + ranks + ": there is at least one rank");
    }
    if (ranks != null && !threads) {
      checkRoom(ranks);
    }
    if (name != null) {
      try {
        FileNames.checkJob(name);
      } catch (IllegalArgumentException e) {
        throw wrong("--name: " + e.getMessage());
      }
    } else {
      checkSurroundings();
    }
    if (domains != null && !domains.equals(PER_RANK)) {
      throw wrong("--domains can only be " + PER_RANK);
    }
    if (ranks != null && Launch.detect().isPresent()) {
      throw wrong(
          "-n inside of a rank that %s started; leave it out"
              .formatted(Launch.detect().get().launcher()));
    }
    if (mpi != null && !mpi.equals("none")) {
      kind(mpi);
    }
  }

  /** A machine that is asked for too many processes is of no use to anybody for a while. */
  private void checkRoom(int count) {
    boolean alone = BATCH_SYSTEMS.stream().noneMatch(System.getenv()::containsKey);
    if (alone
        && ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean machine
        && count > machine.getTotalMemorySize() / LEAST_BYTES) {
      throw wrong(
          "-n %d: so many processes do not fit into the %s of this machine, of which each takes %s or more; start fewer, or all over many machines: mpirun -n %d --hostfile HOSTS ./cairn run …"
              .formatted(
                  count,
                  Quantities.bytes(machine.getTotalMemorySize()),
                  Quantities.bytes(LEAST_BYTES),
                  count));
    }
  }

  /** What the job is called by its surroundings; told here once, and not by every rank. */
  private static void checkSurroundings() {
    try {
      Options.defaults().job();
    } catch (IllegalArgumentException e) {
      throw new CommandFailedException(String.valueOf(e.getMessage()), e);
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  // --- in this process -----------------------------------------------------------------------

  private int runHere(App program) {
    setName();
    if (domains != null) {
      int rank = Launch.detect().map(Launch::rank).orElse(0);
      System.setProperty("cairn.domain", domainOf(rank));
    }
    return guarded(() -> program.run(arguments));
  }

  /** The environment of this process cannot be changed any more. */
  private void setName() {
    if (name != null) {
      System.setProperty("cairn.job", name);
    }
  }

  private int runThreads(App program, int count) {
    setName();
    Ranks.Program rank =
        world ->
            Communicators.callAs(
                world,
                () -> {
                  program.run(arguments);
                  return 0;
                });
    return guarded(
        () -> {
          if (domains != null) {
            Ranks.run(count, RunCommand::domainOf, rank);
          } else {
            Ranks.run(count, rank);
          }
        });
  }

  private static String domainOf(int rank) {
    return "node" + rank;
  }

  private interface Body {
    void run() throws Exception;
  }

  /**
   * A program's exception is told with its place, unless it is about files and not about code; the
   * exit code ends the other ranks too.
   */
  private int guarded(Body body) {
    try {
      body.run();
      return 0;
    } catch (CheckpointUnavailableException e) {
      return refused(e);
    } catch (RankFailedException e) {
      if (e.getCause() instanceof CheckpointUnavailableException refusal) {
        return refused(refusal);
      }
      Optional<CommandFailedException> ofFiles = ofFiles("rank " + e.rank() + ": ", e.getCause());
      if (ofFiles.isPresent()) {
        throw ofFiles.get();
      }
      tell("rank " + e.rank() + ": ", e.getCause() == null ? e : e.getCause());
      return 1;
    } catch (Exception e) {
      Optional<CommandFailedException> ofFiles = ofFiles("", e);
      if (ofFiles.isPresent()) {
        throw ofFiles.get();
      }
      tell("", e);
      return 1;
    }
  }

  /**
   * What a program threw, on one line with the place in the program; with --debug as {@code java}
   * shows it.
   */
  private void tell(String where, Throwable e) {
    if (terminal.isDebugging()) {
      terminal.err().println("cairn run: " + where + Explanations.of(e));
      e.printStackTrace(terminal.err());
      return;
    }
    String kind = e.getClass().getSimpleName();
    String message = Explanations.of(e);
    String place =
        Arrays.stream(e.getStackTrace())
            .filter(frame -> !isInside(frame.getClassName()))
            .findFirst()
            .map(frame -> " (at " + frame + ")")
            .orElse("");
    terminal
        .err()
        .println(
            "cairn run: %s%s%s%s; run with --debug to see more"
                .formatted(
                    where,
                    message.startsWith(kind) ? "" : kind + ": ",
                    message.replace("; run with --debug to see more", ""),
                    place));
  }

  /** Whether a class is Java's or Cairn's; programs that come with Cairn are programs. */
  private static boolean isInside(String name) {
    return name.startsWith("java.")
        || name.startsWith("jdk.")
        || (name.startsWith("org.cairn.") && !name.startsWith("org.cairn.apps."));
  }

  /** A directory in use, a full disk: whoever reads it looks for the place, not for the code. */
  private static Optional<CommandFailedException> ofFiles(String where, @Nullable Throwable e) {
    boolean ofFiles =
        e instanceof CheckpointDirectoryException
            || (e instanceof CheckpointFailedException && e.getCause() instanceof IOException);
    if (e == null || !ofFiles) {
      return Optional.empty();
    }
    String what = Explanations.of(e);
    Throwable cause = e.getCause();
    if (cause != null && !what.contains(String.valueOf(cause.getMessage()))) {
      what += ": " + Explanations.of(cause);
    }
    return Optional.of(new CommandFailedException(where + what, e));
  }

  /**
   * A refusal is for a person to read, and the same on all ranks: one of them tells all of it, with
   * what there is to choose from.
   */
  private int refused(CheckpointUnavailableException e) {
    String message = String.valueOf(e.getMessage());
    boolean first = Launch.detect().map(Launch::rank).orElse(0) == 0;
    terminal
        .err()
        .println("cairn run: " + (first ? message : "the restart was refused; rank 0 says why"));
    return 1;
  }

  // --- in others -----------------------------------------------------------------------------

  private int runProcesses(int count, App.Ready program) throws IOException, InterruptedException {
    List<String> rank = new ArrayList<>(List.of("run"));
    if (domains != null) {
      rank.addAll(List.of("--domains", domains));
    }
    if (name != null) {
      rank.addAll(List.of("--name", name)); // not every launcher passes the environment on
    }
    if (terminal.isDebugging()) {
      rank.add("--debug");
    }
    rank.addAll(program.words());
    rank.addAll(arguments);
    List<String> command = launcher().command(count, SameJava.cairn(spec, rank));
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    if (name != null) {
      builder.environment().put("CAIRN_JOB", name);
    }
    return endingAs(builder);
  }

  private MpiLauncher launcher() {
    List<MpiLauncher.Kind> kinds =
        "none".equals(mpi)
            ? List.of()
            : mpi == null ? List.of(MpiLauncher.Kind.values()) : List.of(kind(mpi));
    return MpiLauncher.find(kinds).orElseThrow(() -> new CommandFailedException(noLauncher(kinds)));
  }

  private String noLauncher(List<MpiLauncher.Kind> kinds) {
    String instead = "run the ranks as threads of one process: --threads";
    if (kinds.isEmpty()) {
      return "ranks in processes of their own need an MPI; leave out --mpi none, or " + instead;
    }
    String remedies =
        kinds.stream().map(MpiLauncher.Kind::remedy).collect(Collectors.joining(" or "));
    return "no MPI is on the path to start ranks with; install one (%s), or %s"
        .formatted(remedies, instead);
  }

  private MpiLauncher.Kind kind(String name) {
    return MpiLauncher.Kind.of(name)
        .orElseThrow(() -> wrong("--mpi " + name + ": it can be openmpi, mpich or none"));
  }

  /** Ends the ranks when this process is told to end, and ends as they do. */
  private static int endingAs(ProcessBuilder builder) throws IOException, InterruptedException {
    try (Child ranks = Child.start(builder, RunCommand::end)) {
      return ranks.process().waitFor();
    }
  }

  private static void end(Process process) {
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
    }
  }
}
