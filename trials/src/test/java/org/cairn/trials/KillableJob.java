// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.cairn.apps.cloverleaf.CloverLeafProgram;
import org.cairn.testkit.process.ChildJava;
import org.cairn.trials.KillableRank.Program;

/** A program on ranks that are processes of their own, while it runs. */
final class KillableJob implements AutoCloseable {
  /** So long nothing happens only in a job that hangs; one that is merely slow goes on. */
  static final Duration LIMIT = Duration.ofSeconds(60);

  private static final Duration LOOK = Duration.ofMillis(500);
  private static final Duration GRACE = Duration.ofSeconds(20);

  private final Process launcher;
  private final Path pids;
  private final Path output;
  private final int ranks;
  private final Set<ProcessHandle> seen = new LinkedHashSet<>();

  private KillableJob(Process launcher, Path pids, Path output, int ranks) {
    this.launcher = launcher;
    this.pids = pids;
    this.output = output;
    this.ranks = ranks;
  }

  /**
   * Starts Heat2D.
   *
   * @param launcher the command that starts the ranks
   * @param apart whether every rank is a failure domain of its own; otherwise hosts are
   * @param scratch an empty directory for output and process ids
   */
  static KillableJob start(
      List<String> launcher, boolean apart, int ranks, Path scratch, List<String> options)
      throws IOException {
    List<String> flags = List.of("-D" + KillableRank.APART + "=" + apart);
    return start(launcher, ranks, scratch, HeatInThreads.likeIt(), flags, Program.HEAT, options);
  }

  /**
   * Starts a program of the mesh language, which says where it went on.
   *
   * @param launcher the command that starts the ranks
   * @param scratch an empty directory for output and process ids
   */
  static KillableJob startMesh(
      List<String> launcher, int ranks, Path scratch, Program program, List<String> options)
      throws IOException {
    List<String> flags = List.of("-Dorg.slf4j.simpleLogger.log.org.cairn.mesh.Mesh=info");
    ChildJava java = ChildJava.like(CloverLeafProgram.class, "--size", "8", "--steps", "3");
    return start(launcher, ranks, scratch, java, flags, program, options);
  }

  private static KillableJob start(
      List<String> launcher,
      int ranks,
      Path scratch,
      ChildJava java,
      List<String> flags,
      Program program,
      List<String> options)
      throws IOException {
    Path pids = Files.createDirectories(scratch.resolve("pids"));
    Path output = scratch.resolve("output");
    List<String> allFlags =
        new ArrayList<>(List.of("-Xmx128m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"));
    allFlags.addAll(flags);
    List<String> arguments = new ArrayList<>(List.of(pids.toString(), program.name()));
    arguments.addAll(options);
    List<String> command = new ArrayList<>(launcher);
    command.addAll(java.command(allFlags, KillableRank.class, arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .start();
    return new KillableJob(process, pids, output, ranks);
  }

  private boolean isRunning() {
    return launcher.isAlive();
  }

  /** The process of a rank, once it has begun. */
  OptionalLong pid(int rank) throws IOException {
    Path file = pids.resolve("rank" + rank);
    return Files.exists(file)
        ? OptionalLong.of(Long.parseLong(Files.readString(file, UTF_8)))
        : OptionalLong.empty();
  }

  /** SIGKILL, to one rank only; what becomes of the others is up to the launcher. */
  void kill(int rank) throws IOException {
    launcher.descendants().forEach(seen::add);
    ProcessHandle.of(pid(rank).orElseThrow()).ifPresent(ProcessHandle::destroyForcibly);
  }

  /** SIGKILL, to all ranks, as soon as there are that many. */
  void killAll() throws IOException, InterruptedException {
    for (int rank = 0; rank < ranks; rank++) {
      int next = rank;
      await("rank " + rank, () -> pid(next).isPresent());
    }
    for (int rank = 0; rank < ranks; rank++) {
      kill(rank);
    }
  }

  /** Waits for something that the job does; not for long, and not beyond its end. */
  void await(String what, Condition condition) throws IOException, InterruptedException {
    await(what, condition, Duration.ofMillis(5));
  }

  /** The same for what is over in a moment, at the cost of half a core. */
  void awaitMoment(String what, Condition condition) throws IOException, InterruptedException {
    await(what, condition, Duration.ofNanos(300_000));
  }

  private void await(String what, Condition condition, Duration pause)
      throws IOException, InterruptedException {
    Quiet quiet = new Quiet();
    while (!condition.holds()) {
      if (!isRunning()) {
        throw new AssertionError("the job ended by itself, before " + what + "\n" + said());
      }
      if (quiet.isTooLong()) {
        throw new AssertionError(
            "no " + what + ", and nothing else for " + LIMIT + "\n" + stacks() + said());
      }
      Thread.sleep(pause);
    }
  }

  /** How long there was no process, no line and no change of a file of the test. */
  private final class Quiet {
    private long happened = happened();
    private long last = System.nanoTime();
    private long looked = last;

    boolean isTooLong() {
      long now = System.nanoTime();
      if (now - looked > LOOK.toNanos()) {
        looked = now;
        long more = happened();
        if (more != happened) {
          happened = more;
          last = now;
        }
      }
      return now - last > LIMIT.toNanos();
    }

    private long happened() {
      long sum = 0;
      try (Stream<Path> files = Files.walk(output.resolve("../..").normalize())) {
        for (Path file : (Iterable<Path>) files::iterator) {
          sum += Files.getLastModifiedTime(file).toMillis() + Files.size(file);
        }
      } catch (IOException | UncheckedIOException e) {
        sum++; // a file is gone: that is something, too
      }
      return sum;
    }
  }

  /** Something to wait for. */
  interface Condition {
    boolean holds() throws IOException;
  }

  /**
   * Waits until the launcher has ended and none of the processes is left.
   *
   * @return the exit code of the launcher
   */
  int awaitEnd() throws IOException, InterruptedException {
    Quiet quiet = new Quiet();
    while (!launcher.waitFor(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
      if (quiet.isTooLong()) {
        throw new AssertionError("the job does not end\n" + stacks() + said());
      }
    }
    long deadline = System.nanoTime() + GRACE.toNanos();
    while (processes().anyMatch(ProcessHandle::isAlive)) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("processes outlive their launcher\n" + stacks() + said());
      }
      Thread.sleep(2);
    }
    return launcher.exitValue();
  }

  private Stream<ProcessHandle> processes() throws IOException {
    LongStream.Builder known = LongStream.builder();
    for (int rank = 0; rank < ranks; rank++) {
      pid(rank).ifPresent(known);
    }
    return Stream.concat(
        seen.stream(),
        known.build().mapToObj(ProcessHandle::of).flatMap(handle -> handle.stream()));
  }

  /** What all ranks have written so far. */
  String said() throws IOException {
    return Files.readString(output, UTF_8);
  }

  /** Where the threads of all ranks are, for those who wonder why they hang. */
  String stacks() throws IOException {
    StringBuilder text = new StringBuilder();
    String jstack = Path.of(System.getProperty("java.home"), "bin", "jstack").toString();
    for (int rank = 0; rank < ranks; rank++) {
      OptionalLong pid = pid(rank);
      if (pid.isPresent() && ProcessHandle.of(pid.getAsLong()).isPresent()) {
        Process asked =
            new ProcessBuilder("timeout", "5", jstack, String.valueOf(pid.getAsLong()))
                .redirectErrorStream(true)
                .start();
        text.append("rank ").append(rank).append('\n');
        text.append(new String(asked.getInputStream().readAllBytes(), UTF_8)).append('\n');
      }
    }
    return text.toString();
  }

  /** Ends whatever is left of it. */
  @Override
  public void close() throws IOException {
    launcher.descendants().forEach(seen::add);
    processes().forEach(ProcessHandle::destroyForcibly);
    launcher.destroyForcibly();
  }
}
