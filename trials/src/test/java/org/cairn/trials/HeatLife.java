// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.cairn.event.EventLog;
import org.cairn.testkit.process.MpiJob.Launcher;
import org.cairn.tier.FileNames;

/**
 * One job from its first start to its result, with disasters on the way: a rank is killed, the
 * directories of some ranks are lost or damaged, and the job is started again. The launchers take
 * turns: what ranks of one MPI have saved, ranks of the other restore.
 */
final class HeatLife {
  private static final int ENDLESS = 1_000_000;

  private final Path directory;
  private final int ranks;
  private final int size;
  private final Protection protection;
  private final Random random;
  private final Knowledge knowledge;
  private final List<String> story = new ArrayList<>();
  private int starts;
  private long reached;

  HeatLife(Path directory, int ranks, int size, Protection protection, Random random) {
    this.directory = directory;
    this.ranks = ranks;
    this.size = size;
    this.protection = protection;
    this.random = random;
    this.knowledge = new Knowledge(ranks, protection.bears());
    this.starts = random.nextInt(2);
  }

  /** What has happened so far, line by line. */
  List<String> story() {
    return story;
  }

  // ---------------------------------------------------------------- disasters

  /** Loses what the tiers can do without, starts the job, and kills a rank when it does this. */
  Set<Phase> disaster(Phase aim) throws Exception {
    lose(aim == Phase.REBUILD ? 1 : 0);
    Launcher launcher = nextLauncher();
    int victim = random.nextInt(ranks);
    boolean rebuilding = !knowledge.weak().isEmpty();
    tell("%s, to be killed: rank %d in %s".formatted(launcher, victim, aim));
    try (KillableJob job = start(launcher.command(ranks), ENDLESS)) {
      try {
        awaitMoment(job, aim, victim);
        job.kill(victim);
        job.awaitEnd();
        learn(job);
      } catch (AssertionError | IOException e) {
        throw new AssertionError(told() + e.getMessage() + "\n" + job.said(), e);
      }
    }
    RankEvents last = RankEvents.read(home(victim));
    Set<Phase> phases = phases(last, victim, rebuilding);
    tell("it was in %s; %s".formatted(phases, knowledge));
    forgetEvents();
    return phases;
  }

  private Launcher nextLauncher() {
    return Launcher.values()[starts++ % 2];
  }

  private KillableJob start(List<String> launcher, long iterations) throws IOException {
    List<String> options = new ArrayList<>(protection.options());
    options.addAll(List.of("--size", String.valueOf(size), "--every", "1", "--progress"));
    options.addAll(List.of("--iterations", String.valueOf(iterations)));
    options.addAll(List.of("--checkpoints", checkpoints().toString()));
    options.addAll(List.of("--result", directory.resolve("result").toString()));
    Path scratch = Files.createDirectories(directory.resolve("start" + starts));
    return KillableJob.start(launcher, true, ranks, scratch, options);
  }

  private Path checkpoints() {
    return directory.resolve("checkpoints");
  }

  private Path home(int rank) {
    return checkpoints().resolve("rank" + rank);
  }

  private void awaitMoment(KillableJob job, Phase aim, int victim) throws Exception {
    job.await("a process", () -> job.pid(victim).isPresent());
    switch (aim) {
      case START -> sleepUpTo(300);
      case RESTART, REBUILD -> {
        job.awaitMoment("open", () -> RankEvents.read(home(victim)).has("open"));
        sleepUpTo(40);
      }
      case CHECKPOINT -> {
        awaitProgress(job, "checkpoint", victim, 1 + random.nextInt(4));
        job.awaitMoment("a write", () -> isWriting(victim));
      }
      case TRANSFER -> {
        long wanted = 1 + random.nextInt(5);
        job.await(
            "a transfer", () -> RankEvents.read(home(victim)).transfersSinceRestart() > wanted);
        job.awaitMoment("being in it", () -> RankEvents.read(home(victim)).isTransferring());
      }
      case COMPUTATION -> {
        awaitProgress(job, "tier", victim, 1);
        sleepUpTo(200);
      }
    }
  }

  private void awaitProgress(KillableJob job, String kind, int victim, long count)
      throws Exception {
    job.await(
        kind,
        () -> {
          RankEvents events = RankEvents.read(home(victim));
          return events.has("restart") && events.count(kind) >= count;
        });
  }

  private void sleepUpTo(int millis) throws InterruptedException {
    Thread.sleep(Duration.ofNanos(random.nextInt(millis * 1000) * 1000L));
  }

  // ---------------------------------------------------------------- what it was doing

  private Set<Phase> phases(RankEvents events, int victim, boolean rebuilding) throws IOException {
    if (!events.has("open")) {
      return EnumSet.of(Phase.START);
    }
    if (!events.has("restart")) {
      return EnumSet.of(rebuilding ? Phase.REBUILD : Phase.RESTART);
    }
    Set<Phase> phases = EnumSet.noneOf(Phase.class);
    if (events.isTransferring()) {
      phases.add(Phase.TRANSFER);
    }
    if (isWriting(victim)) {
      phases.add(Phase.CHECKPOINT);
    }
    return phases.isEmpty() ? EnumSet.of(Phase.COMPUTATION) : phases;
  }

  /** Whether a rank has written to its container since it reported its last checkpoint. */
  private boolean isWriting(int rank) throws IOException {
    Optional<Instant> reported =
        RankEvents.read(home(rank)).last("checkpoint").map(RankEvents.Entry::time);
    try {
      Instant written =
          Files.getLastModifiedTime(home(rank).resolve(FileNames.local(rank))).toInstant();
      return reported.isPresent() && written.isAfter(reported.get());
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private void learn(KillableJob job) throws IOException {
    List<RankEvents> logs = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      logs.add(RankEvents.read(home(rank)));
    }
    knowledge.learn(logs);
    job.said()
        .lines()
        .filter(line -> line.startsWith("iteration "))
        .map(line -> line.split(" "))
        .filter(words -> words.length == 4)
        .forEach(words -> reached = Math.max(reached, Long.parseLong(words[1])));
    job.said()
        .lines()
        .filter(line -> line.contains("restarted from") || line.contains("restored from"))
        .filter(line -> !line.endsWith("restored from local"))
        .forEach(this::tell);
  }

  /** So that what the logs say next is about the next run. */
  private void forgetEvents() throws IOException {
    for (int rank = 0; rank < ranks; rank++) {
      Files.deleteIfExists(home(rank).resolve(EventLog.NAME));
    }
  }

  // ---------------------------------------------------------------- losses

  private void lose(int least) throws IOException {
    int wanted = Math.min(knowledge.bearable(), Math.max(least, random.nextInt(ranks + 1)));
    List<Integer> candidates = new ArrayList<>(IntStream.range(0, ranks).boxed().toList());
    Collections.shuffle(candidates, random);
    // Those that are weak already come first: together no more than the tiers can do without.
    candidates.sort(Comparator.comparing(rank -> !knowledge.weak().contains(rank)));
    for (int rank : candidates.subList(0, wanted)) {
      if (!Files.isDirectory(home(rank))) {
        continue;
      }
      knowledge.lost(rank);
      if (random.nextInt(3) == 0) {
        damage(rank);
      } else {
        tell("the directory of rank " + rank + " is lost");
        deleteAll(home(rank));
      }
    }
  }

  /** Flips one byte of the container; a tier's file would not be missed before it is needed. */
  private void damage(int rank) throws IOException {
    Path file = home(rank).resolve(FileNames.local(rank));
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long at = random.nextLong(channel.size());
      tell("byte %d of %s is damaged".formatted(at, file.getFileName()));
      ByteBuffer one = ByteBuffer.allocate(1);
      if (channel.read(one, at) == 1) {
        one.put(0, (byte) (one.get(0) ^ 1 << random.nextInt(8))).rewind();
        channel.write(one, at);
      }
    } catch (NoSuchFileException e) {
      tell(file.getFileName() + " was not there");
    }
  }

  private static void deleteAll(Path tree) throws IOException {
    try (Stream<Path> all = Files.walk(tree)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  // ---------------------------------------------------------------- the end

  /** Lets the job run to its end: the result is that of a run that nothing has disturbed. */
  void finish() throws Exception {
    lose(0);
    Launcher launcher = nextLauncher();
    tell(launcher + ", undisturbed");
    try (KillableJob job = start(launcher.command(ranks), reached + 20)) {
      try {
        int exit = job.awaitEnd();
        assertThat(exit).as("exit code").isZero();
        learn(job);
        Undisturbed.verify(directory.resolve("result"), size, ranks);
      } catch (AssertionError | IOException e) {
        throw new AssertionError(told() + e.getMessage() + "\n" + job.said(), e);
      }
    }
  }

  private void tell(String line) {
    story.add(line);
  }

  private String told() {
    return String.join("\n", story) + "\n";
  }

  /** Files in the directories that nobody has a use for any more. */
  List<String> leftovers() throws IOException {
    List<String> names = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(home(rank), "*rebuilt*")) {
        files.forEach(file -> names.add(file.toString()));
      }
    }
    return names;
  }
}
