// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.demo;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cairn.cli.command.Child;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.SameJava;
import org.cairn.cli.run.MpiLauncher;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Heat2D on many ranks, each in a process of its own through MPI, or all in one JVM where there is
 * none; it can be watched and struck.
 */
final class HeatJob {
  private static final Pattern PROCESS = Pattern.compile("rank (\\d+) is process (\\d+)");
  private static final Pattern ITERATION = Pattern.compile("iteration (\\d+) of \\d+");
  private static final Pattern RESTARTED = Pattern.compile("restarted from version (\\S+)");
  private static final Pattern ORIGIN = Pattern.compile("rank (\\d+) restored from (.+)");

  /** How long the others have to end when a rank is gone. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final List<String> command;
  private final boolean threads;
  private final Path log;

  /**
   * Prepares a job.
   *
   * @param demo the command that shows it
   * @param launcher what starts its ranks; none to run them as threads
   * @param heat what Heat2D is told
   * @param log file for its complaints and those of MPI
   */
  HeatJob(
      CommandSpec demo, Optional<MpiLauncher> launcher, int ranks, List<String> heat, Path log) {
    List<String> run = new ArrayList<>(List.of("run", "--domains", "per-rank"));
    run.addAll(
        launcher.isEmpty()
            ? List.of("-n", Integer.toString(ranks), "--threads")
            : List.of("--tell-process"));
    run.add("heat2d");
    run.addAll(heat);
    run.add("--progress");
    List<String> cairn = SameJava.cairn(demo, run);
    this.command = launcher.map(mpi -> mpi.command(ranks, cairn)).orElse(cairn);
    this.threads = launcher.isEmpty();
    this.log = log;
  }

  /** What is done to a job while it runs. */
  interface Strike {
    Disaster plan();

    /** Whether it has come far enough to survive that. */
    boolean isReady() throws IOException;

    /** Called when the processes of the ranks that are to be lost are gone. */
    void hit() throws IOException;
  }

  /**
   * How a job ended.
   *
   * @param version the version it began with, or null if it began from nothing
   * @param first the iteration it began with
   * @param last the last iteration it was seen at
   * @param struck whether ranks of it were killed
   * @param origins for each rank the tier that its state came from
   */
  record Ending(
      @Nullable String version,
      long first,
      long last,
      boolean struck,
      SortedMap<Integer, String> origins,
      Duration time) {}

  /** Runs the job until it ends, struck or not. */
  Ending run(@Nullable Strike strike, LongConsumer progress)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectError(log.toFile());
    try (Child child = Child.start(builder);
        BufferedReader lines = child.process().inputReader();
        Watch watch = new Watch(child, strike, progress)) {
      lines.lines().forEach(watch::read);
      watch.joinStrike();
      int exitCode = child.process().waitFor();
      boolean struck = watch.struck && exitCode != 0; // it may have been faster
      check(exitCode, struck);
      return new Ending(
          watch.version,
          Math.max(0, watch.first),
          watch.last,
          struck,
          watch.origins,
          Duration.ofNanos(System.nanoTime() - start));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private void check(int exitCode, boolean struck) throws IOException {
    if (exitCode != 0 && !struck) {
      throw new CommandFailedException("the job ended with exit code " + exitCode + complaint());
    }
  }

  private String complaint() throws IOException {
    return Files.readString(log)
        .lines()
        .filter(line -> line.contains("Exception") || line.startsWith("cairn"))
        .findFirst()
        .map(line -> ": " + line)
        .orElse("; see " + log);
  }

  /** Follows what a job says of itself. Other lines, such as those of MPI, mean nothing here. */
  private final class Watch implements AutoCloseable {
    private final Child child;
    private final Process process;
    private final @Nullable Strike strike;
    private final LongConsumer progress;
    private final Map<Integer, ProcessHandle> ranks = new ConcurrentHashMap<>();
    private final SortedMap<Integer, String> origins = new TreeMap<>();
    private @Nullable String version;
    private @Nullable Thread striker;
    private volatile @Nullable IOException failure;
    private long first = -1;
    private long last;
    private boolean struck;

    Watch(Child child, @Nullable Strike strike, LongConsumer progress) {
      this.child = child;
      this.process = child.process();
      this.strike = strike;
      this.progress = progress;
    }

    void read(String line) {
      Matcher rank = PROCESS.matcher(line);
      Matcher iteration = ITERATION.matcher(line);
      Matcher restarted = RESTARTED.matcher(line);
      Matcher origin = ORIGIN.matcher(line);
      if (iteration.matches()) {
        reached(Long.parseLong(iteration.group(1)));
      } else if (rank.matches()) {
        ProcessHandle.of(Long.parseLong(rank.group(2)))
            .ifPresent(handle -> ranks.put(Integer.parseInt(rank.group(1)), handle));
      } else if (restarted.matches()) {
        version = restarted.group(1);
      } else if (origin.matches()) {
        origins.put(Integer.parseInt(origin.group(1)), origin.group(2));
      }
    }

    private void reached(long iteration) {
      first = first < 0 ? iteration : first;
      last = iteration;
      progress.accept(iteration);
      try {
        if (strike != null
            && !struck
            && iteration >= strike.plan().iteration()
            && strike.isReady()) {
          struck = true;
          striker = Thread.ofVirtual().start(() -> strikeLater(strike));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** On a thread of its own: the lines that still come must be read meanwhile. */
    private void strikeLater(Strike now) {
      try {
        Thread.sleep(now.plan().later());
        List<ProcessHandle> victims =
            threads
                ? List.of(process.toHandle())
                : now.plan().ranks().stream()
                    .flatMap(rank -> Optional.ofNullable(ranks.get(rank)).stream())
                    .toList();
        victims.forEach(ProcessHandle::destroyForcibly);
        for (ProcessHandle victim : victims) {
          awaitEnd(victim);
        }
        now.hit();
        if (!process.waitFor(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
          killAll(); // an MPI that does not notice
        }
      } catch (IOException e) {
        failure = e;
        killAll();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        killAll();
      }
    }

    private static void awaitEnd(ProcessHandle handle) throws InterruptedException {
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (handle.isAlive() && System.nanoTime() < deadline) {
        Thread.sleep(1);
      }
    }

    void joinStrike() throws IOException, InterruptedException {
      Thread waiting = striker;
      if (waiting != null) {
        waiting.join();
      }
      IOException e = failure;
      if (e != null) {
        throw e;
      }
    }

    /** Ranks may have outlived what started them. */
    @Override
    public void close() {
      killAll();
    }

    private void killAll() {
      ranks.values().forEach(ProcessHandle::destroyForcibly);
      child.kill();
    }
  }
}
