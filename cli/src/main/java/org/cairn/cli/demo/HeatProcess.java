// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.demo;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cairn.apps.heat2d.Heat2DProgram;
import org.cairn.cli.command.Child;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.command.SameJava;
import org.jspecify.annotations.Nullable;

/** Heat2D in a JVM of its own, which can be watched and killed. */
final class HeatProcess {
  /** What the operating system reports of a process that SIGKILL ended: 128 + 9. */
  static final int KILLED = 137;

  private static final Pattern ITERATION = Pattern.compile("iteration (\\d+) of \\d+");
  private static final Pattern RESTARTED = Pattern.compile("restarted from version (\\S+)");

  private final List<String> command;
  private final Path log;

  /**
   * Prepares a process.
   *
   * @param arguments what Heat2D is told; {@code --progress} is added
   * @param log file that the process writes its complaints to
   */
  HeatProcess(List<String> arguments, Path log) {
    this.command = SameJava.command(Heat2DProgram.class, withProgress(arguments));
    this.log = log;
  }

  private static List<String> withProgress(List<String> arguments) {
    List<String> all = new java.util.ArrayList<>(arguments);
    all.add("--progress");
    return all;
  }

  /**
   * Runs the process until it ends, or kills it where {@code kill} says so, if it is not faster.
   */
  Ending run(@Nullable Kill kill, LongConsumer progress) throws IOException, InterruptedException {
    long start = System.nanoTime();
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectError(log.toFile());
    try (Child child = Child.start(builder);
        BufferedReader lines = child.process().inputReader()) {
      Process process = child.process();
      Watch watch = new Watch(process, kill, progress);
      lines.lines().forEach(watch::read);
      int exitCode = process.waitFor();
      check(exitCode, watch.kills);
      return new Ending(
          process.pid(),
          watch.version,
          watch.first,
          watch.last,
          exitCode,
          Duration.ofNanos(System.nanoTime() - start));
    }
  }

  /** A process that is to be killed may be faster, and end well. */
  private void check(int exitCode, boolean killed) throws IOException {
    if (exitCode != 0 && !(killed && exitCode == KILLED)) {
      throw new CommandFailedException(
          "the program ended with exit code " + exitCode + complaint());
    }
  }

  private String complaint() throws IOException {
    return Files.readString(log)
        .lines()
        .filter(line -> !line.startsWith("WARNING: Using incubator modules"))
        .findFirst()
        .map(line -> ": " + line)
        .orElse("");
  }

  /**
   * When to kill a process: some time after it has reached an iteration, so that it may be
   * computing, comparing, writing or forcing.
   */
  record Kill(long iteration, Duration later) {

    /** The same, for a program that was faster. */
    Kill earlier() {
      return new Kill(iteration / 8, Duration.ZERO);
    }
  }

  /**
   * How a process ended.
   *
   * @param version the version it began with, or null if it began from nothing
   * @param first the iteration it began with
   * @param last the last iteration it was seen at
   */
  record Ending(
      long pid, @Nullable String version, long first, long last, int exitCode, Duration time) {

    boolean killed() {
      return exitCode == KILLED;
    }
  }

  /** Follows what a process says of itself. */
  private static final class Watch {
    private final Process process;
    private final @Nullable Kill kill;
    private final LongConsumer progress;
    private @Nullable String version;
    private long first = -1;
    private long last;
    private boolean kills;

    Watch(Process process, @Nullable Kill kill, LongConsumer progress) {
      this.process = process;
      this.kill = kill;
      this.progress = progress;
    }

    void read(String line) {
      Matcher iteration = ITERATION.matcher(line);
      Matcher restarted = RESTARTED.matcher(line);
      if (restarted.matches()) {
        version = restarted.group(1);
      } else if (iteration.matches()) {
        reached(Long.parseLong(iteration.group(1)));
      }
    }

    private void reached(long iteration) {
      first = first < 0 ? iteration : first;
      last = iteration;
      progress.accept(iteration);
      if (kill != null && !kills && iteration >= kill.iteration()) {
        kills = true;
        killLater(kill.later());
      }
    }

    /** On a thread of its own: the lines that still come must be read meanwhile. */
    private void killLater(Duration delay) {
      Thread.ofVirtual()
          .start(
              () -> {
                try {
                  process.waitFor(delay.toNanos(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
                // By its handle: Process.destroyForcibly also closes the stream that is being read.
                process.toHandle().destroyForcibly();
              });
    }
  }
}
