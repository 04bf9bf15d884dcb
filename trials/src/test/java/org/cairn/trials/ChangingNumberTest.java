// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.cairn.event.EventLog;
import org.cairn.testkit.process.MpiJob.Launcher;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.random.Thorough;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real processes under real MPIs, in turn: every life has another number of ranks, one of which is
 * killed with SIGKILL and loses its directory; the result is that of the first number, undisturbed,
 * bit for bit.
 */
@DisabledIfSystemProperty(named = "cairn.mpi", matches = "off")
@Tag("slow")
@Thorough
class ChangingNumberTest {
  private static final int LIVES = 8;
  private static final int SIZE = 96;
  private static final long ENDLESS = 1_000_000;

  @TempDir Path directory;

  private final List<String> story = new ArrayList<>();
  private int starts;
  private long reached;

  static boolean isLongRunOrReplay() {
    return Boolean.getBoolean(Thorough.PROPERTY) || System.getProperty(Seeds.SEED) != null;
  }

  @SeededTest(seeds = 1)
  @EnabledIf("isLongRunOrReplay")
  void everyLifeHasAnotherNumberOfRanks(long seed) throws Exception {
    Random random = new Random(seed);
    System.out.printf("ChangingNumberTest: -Dcairn.seed=%d%n", seed);
    int began = 2 + random.nextInt(3);
    int ranks = began;
    for (int life = 0; life < LIVES; life++) {
      disaster(ranks, random);
      ranks = 2 + (ranks - 1 + random.nextInt(3)) % 4; // another one
    }
    finish(ranks, began);
    story.forEach(line -> System.out.println("  " + line));
  }

  private void disaster(int ranks, Random random) throws Exception {
    Launcher launcher = Launcher.values()[starts++ % 2];
    int victim = random.nextInt(ranks);
    story.add("%s, %d ranks, to be killed: rank %d".formatted(launcher, ranks, victim));
    try (KillableJob job = start(launcher.command(ranks), ranks, ENDLESS)) {
      try {
        job.await(
            "a version at the partner",
            () -> {
              RankEvents events = RankEvents.read(home(victim));
              return events.has("restart") && events.count("tier") >= 1;
            });
        Thread.sleep(random.nextInt(200));
        job.kill(victim);
        job.awaitEnd();
        learn(job);
      } catch (AssertionError | IOException e) {
        throw new AssertionError(String.join("\n", story) + e.getMessage() + job.said(), e);
      }
    }
    delete(home(victim));
    forgetEvents();
  }

  private KillableJob start(List<String> launcher, int ranks, long iterations) throws IOException {
    List<String> options =
        List.of(
            "--partner",
            "1",
            "--size",
            String.valueOf(SIZE),
            "--every",
            "1",
            "--progress",
            "--iterations",
            String.valueOf(iterations),
            "--checkpoints",
            directory.resolve("checkpoints").toString(),
            "--result",
            directory.resolve("result").toString());
    Path scratch = Files.createDirectories(directory.resolve("start" + starts));
    return KillableJob.start(launcher, true, ranks, scratch, options);
  }

  private Path home(int rank) {
    return directory.resolve("checkpoints").resolve("rank" + rank);
  }

  private void learn(KillableJob job) throws IOException {
    job.said()
        .lines()
        .filter(line -> line.startsWith("iteration "))
        .map(line -> line.split(" "))
        .filter(words -> words.length == 4)
        .forEach(words -> reached = Math.max(reached, Long.parseLong(words[1])));
    job.said().lines().filter(line -> line.contains("restarted from")).forEach(story::add);
  }

  private void forgetEvents() throws IOException {
    try (Stream<Path> homes = Files.list(directory.resolve("checkpoints"))) {
      for (Path home : homes.toList()) {
        Files.deleteIfExists(home.resolve(EventLog.NAME));
      }
    }
  }

  private static void delete(Path tree) throws IOException {
    try (Stream<Path> all = Files.walk(tree)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  private void finish(int ranks, int began) throws Exception {
    Launcher launcher = Launcher.values()[starts++ % 2];
    story.add("%s, %d ranks, undisturbed".formatted(launcher, ranks));
    try (KillableJob job = start(launcher.command(ranks), ranks, reached + 20)) {
      try {
        assertThat(job.awaitEnd()).as("exit code").isZero();
        learn(job);
        Undisturbed.verify(directory.resolve("result"), SIZE, began);
      } catch (AssertionError | IOException e) {
        throw new AssertionError(String.join("\n", story) + e.getMessage() + job.said(), e);
      }
    }
  }
}
