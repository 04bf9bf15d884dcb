// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.prove;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.cairn.cli.command.Child;
import org.cairn.cli.command.Folder;
import org.cairn.cli.terminal.Quantities;
import org.cairn.tier.FileNames;
import org.jspecify.annotations.Nullable;

/**
 * One life of a program: started, watched, perhaps killed. Only processes that were started here
 * are ended: the one that was started, and those that descend from it.
 */
final class Life {
  private static final Pattern PROCESS = Pattern.compile("rank (\\d+) is process (\\d+)");
  private static final Set<String> MARKS =
      Set.of("open", "restart", "checkpointBegan", "checkpoint", "checkpointFailed");

  private static final long TICK = TimeUnit.MICROSECONDS.toNanos(500);

  /** How long the others have to end when a rank is gone. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Program program;
  private final Ground ground;
  private final Child child;
  private final Process process;
  private final long start = System.nanoTime();
  private final long outputBefore;
  private final EventWatch watch;

  private Life(Program program, Ground ground) throws IOException {
    this.program = program;
    this.ground = ground;
    this.watch = new EventWatch(List.of(ground.work(), ground.temporary()));
    this.outputBefore = Files.exists(ground.output()) ? Files.size(ground.output()) : 0;
    this.child = program.start(ground);
    this.process = child.process();
  }

  /**
   * How a life ended.
   *
   * @param kill what was done to it; empty if it ended by itself
   * @param stacks what its threads did when it had lasted too long; else empty
   * @param output what it printed
   */
  record Ending(
      Optional<Kill> kill,
      int exitCode,
      Duration time,
      List<Seen> events,
      String stacks,
      String output) {

    boolean hung() {
      return !stacks.isEmpty();
    }

    /** What was restored in this life, if anything. */
    Optional<String> restored() {
      return events.stream().filter(Seen::isRestored).map(Seen::version).findFirst();
    }

    /** Events of a rank, in their order. */
    List<Seen> of(int rank) {
      return ofRank(events, rank);
    }

    /** The line of its output that tells best what went wrong. */
    String complaint() {
      List<String> lines = output.lines().filter(line -> !line.isBlank()).toList();
      return lines.stream()
          .filter(line -> line.startsWith("cairn") || line.contains("Exception"))
          .findFirst()
          .or(() -> lines.stream().reduce((_, last) -> last))
          .map(String::strip)
          .orElse("it printed nothing");
    }
  }

  /**
   * A kill as it turned out.
   *
   * @param where for people
   * @param ranks the ranks that were killed; empty of a program without any
   * @param deleted ranks whose directory was deleted
   */
  record Kill(Place.Kind kind, String where, List<Integer> ranks, SortedSet<Integer> deleted) {}

  /**
   * Lives one.
   *
   * @param strike what is to be done to it
   * @param rhythm of an undisturbed life, if it is known
   * @param limit how long it may last
   */
  static Ending live(
      Program program,
      Ground ground,
      @Nullable Strike strike,
      @Nullable Rhythm rhythm,
      @Nullable Duration limit)
      throws IOException, InterruptedException {
    ground.removeResults();
    Life life = new Life(program, ground);
    try (Child _ = life.child) {
      return life.run(strike, rhythm, limit);
    }
  }

  private Ending run(@Nullable Strike strike, @Nullable Rhythm rhythm, @Nullable Duration limit)
      throws IOException, InterruptedException {
    Optional<Kill> kill = Optional.empty();
    String stacks = "";
    while (process.isAlive()) {
      watch.poll();
      if (strike != null
          && rhythm != null
          && strike.place().isReached(ofRank(watch.seen(), strike.rank()))) {
        LockSupport.parkNanos(strike.place().wait(rhythm).toNanos());
        kill = strike(strike);
        break;
      }
      if (limit != null && System.nanoTime() - start > limit.toNanos()) {
        stacks = stacks();
        child.kill();
        break;
      }
      LockSupport.parkNanos(TICK);
    }
    int exitCode = process.waitFor();
    watch.poll();
    Duration time = Duration.ofNanos(System.nanoTime() - start);
    return new Ending(kill, exitCode, time, watch.seen(), stacks, printed());
  }

  private static List<Seen> ofRank(List<Seen> events, int rank) {
    return events.stream().filter(event -> event.rank() == rank).toList();
  }

  private String printed() throws IOException {
    byte[] all = Files.readAllBytes(ground.output());
    int from = (int) Math.min(outputBefore, all.length);
    return new String(all, from, all.length - from, UTF_8);
  }

  // ---------------------------------------------------------------- killing

  private Optional<Kill> strike(Strike strike) throws IOException, InterruptedException {
    Map<Integer, ProcessHandle> ranks = ranks();
    Instant moment = Instant.now();
    if (!process.isAlive()) {
      return Optional.empty(); // it was faster
    }
    // What cannot be borne at this moment is not done.
    watch.poll();
    Losses.Loss loss =
        strike.loss().isBearable(program.count(), watch.seen()) ? strike.loss() : Losses.Loss.NONE;
    List<Integer> killed = kill(strike, loss, ranks);
    if (!process.waitFor(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
      child.kill(); // an MPI that does not notice
      process.waitFor();
    }
    watch.poll();
    SortedSet<Integer> deleted = delete(loss.ranks());
    return Optional.of(observed(strike, moment, killed, deleted));
  }

  /** All at once, so that none of them can do anything more than the others. */
  private List<Integer> kill(Strike strike, Losses.Loss loss, Map<Integer, ProcessHandle> ranks) {
    if (!program.hasProcesses() || ranks.get(strike.rank()) == null) {
      child.kill();
      return IntStream.range(0, program.ranks()).boxed().toList();
    }
    SortedSet<Integer> victims = new TreeSet<>(loss.ranks());
    victims.add(strike.rank());
    for (int rank : victims) {
      Optional.ofNullable(ranks.get(rank)).ifPresent(ProcessHandle::destroyForcibly);
    }
    return List.copyOf(victims);
  }

  /** The processes of ranks, by what they print; a process that is none of ours is not believed. */
  private Map<Integer, ProcessHandle> ranks() throws IOException {
    Map<Integer, ProcessHandle> ranks = new HashMap<>();
    if (program.hasProcesses()) {
      Map<Long, ProcessHandle> ours = new HashMap<>();
      process.descendants().forEach(child -> ours.put(child.pid(), child));
      Matcher told = PROCESS.matcher(printed());
      while (told.find()) {
        ProcessHandle handle = ours.get(Long.parseLong(told.group(2)));
        if (handle != null) {
          ranks.put(Integer.parseInt(told.group(1)), handle);
        }
      }
    }
    return ranks;
  }

  /** Only what a rank of this run has for itself, below what was made for the run. */
  private SortedSet<Integer> delete(SortedSet<Integer> ranks) throws IOException {
    Set<Path> gone = new HashSet<>();
    SortedSet<Integer> deleted = new TreeSet<>();
    for (Seen event : watch.seen()) {
      Path directory = event.directory();
      boolean own =
          FileNames.isDirectory(String.valueOf(directory.getFileName()))
              && directory.startsWith(ground.home().toAbsolutePath());
      if (ranks.contains(event.rank()) && own && gone.add(directory)) {
        Folder.delete(directory);
        deleted.add(event.rank());
      }
    }
    return deleted;
  }

  private Kill observed(
      Strike strike, Instant moment, List<Integer> killed, SortedSet<Integer> deleted) {
    Seen last =
        ofRank(watch.seen(), strike.rank()).stream()
            .filter(event -> MARKS.contains(event.kind()))
            .reduce((_, later) -> later)
            .orElse(null);
    Place.Kind kind = strike.place().kind();
    String where;
    if (last != null && last.is("checkpointBegan")) {
      kind = Place.Kind.IN;
      where = "in checkpoint " + last.version();
    } else if (last != null && last.is("checkpoint")) {
      kind = kind == Place.Kind.IN ? Place.Kind.SHORTLY_AFTER : kind;
      where = later(last, moment) + " after checkpoint " + last.version();
    } else if (last != null && last.isRestored()) {
      kind = Place.Kind.BETWEEN;
      where = later(last, moment) + " after the restart";
    } else {
      where = "before any checkpoint";
    }
    return new Kill(kind, whom(killed) + where + loss(deleted), killed, deleted);
  }

  private static String later(Seen event, Instant moment) {
    Duration late = Duration.between(event.time(), moment);
    return Quantities.duration(late.isNegative() ? Duration.ZERO : late);
  }

  private String whom(List<Integer> ranks) {
    if (ranks.size() > 1 && ranks.size() == program.ranks()) {
      return "all ranks ";
    }
    return ranks.isEmpty() ? "" : (ranks.size() == 1 ? "rank " : "ranks ") + join(ranks) + " ";
  }

  private static String loss(SortedSet<Integer> deleted) {
    return deleted.isEmpty() ? "" : ", files of " + join(deleted) + " deleted";
  }

  private static String join(Iterable<Integer> ranks) {
    List<String> all = new ArrayList<>();
    ranks.forEach(rank -> all.add(Integer.toString(rank)));
    return all.stream().collect(Collectors.joining(" and "));
  }

  // ---------------------------------------------------------------- hanging

  private String stacks() throws IOException, InterruptedException {
    List<ProcessHandle> asked = new ArrayList<>(ranks().values());
    if (asked.isEmpty()) {
      asked.add(process.toHandle());
    }
    StringBuilder stacks = new StringBuilder();
    for (ProcessHandle one : asked) {
      stacks.append(Stacks.of(one.pid())).append('\n');
    }
    return stacks.toString();
  }
}
