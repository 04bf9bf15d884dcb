// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs of programs that really ran. */
class RunHistoryTest {
  /** What the programs themselves take, on a slow machine. */
  private static final Offset<Double> REAL = within(20.0);

  @TempDir Path directory;

  @Test
  void twoLivesOfOneRank() {
    SmallRun run = new SmallRun(directory);
    run.live(3);
    run.kill();
    run.clock.leap(Duration.ofSeconds(1000));
    run.live(2);
    RunHistory history = RunHistory.read(directory);

    assertThat(history.ranks()).isEqualTo(1);
    assertThat(history.histories().getFirst().lives()).hasSize(2);
    assertThat(history.unreadable()).isZero();
    assertThat(history.checkpoints()).isEqualTo(5);
    assertThat(history.failedCheckpoints()).isZero();
    assertThat(history.tiers()).isEmpty();
    assertThat(history.span()).isCloseTo(1500, REAL);
    // 300 and 200 were seen; the first life ended half an interval after its last checkpoint.
    assertThat(history.interruptions().count()).isEqualTo(1);
    assertThat(history.interruptions().seconds()).isCloseTo(550, REAL);
    // Two in the first life and one in the second: the pause between them is none.
    Spread interval = history.interval().orElseThrow();
    assertThat(interval.count()).isEqualTo(3);
    assertThat(interval.max()).isCloseTo(100, REAL);
  }

  @Test
  void programThatEndsByItselfIsNotInterrupted() {
    SmallRun run = new SmallRun(directory);
    run.live(3);
    run.clock.leap(Duration.ofSeconds(1000));
    run.live(2);
    Interruptions interruptions = RunHistory.read(directory).interruptions();
    assertThat(interruptions.count()).isZero();
    assertThat(interruptions.seconds()).isCloseTo(500, REAL);
  }

  @Test
  void costsOfCheckpoints() {
    new SmallRun(directory).live(5);
    RunHistory history = RunHistory.read(directory);
    Spread dirty = history.dirtyFraction().orElseThrow();
    assertThat(dirty.max()).isEqualTo(1); // the first, of which every block was new
    assertThat(dirty.median()).isEqualTo(1.0 / SmallRun.BLOCKS);
    assertThat(history.protectedBytes().orElseThrow().min()).isEqualTo(16 * 1024);
    assertThat(history.bytesWritten().orElseThrow().min()).isBetween(1024.0, 15 * 1024.0);
    assertThat(history.waited().orElseThrow().min()).isPositive();
    assertThat(history.waited().orElseThrow().max()).isLessThan(20);
    assertThat(history.durable().orElseThrow().count()).isEqualTo(5);
    assertThat(history.hashRate().orElseThrow()).isGreaterThan(1e3).isLessThan(1e13);
    assertThat(history.writeRate().orElseThrow()).isGreaterThan(1e3).isLessThan(1e13);
    assertThat(history.restarts()).as("nothing to restart from").isEmpty();
    assertThat(history.interruptions().oneSided()).isTrue();
  }

  @Test
  void restartsAreTimed() {
    SmallRun run = new SmallRun(directory);
    run.live(1);
    run.kill();
    run.live(0);
    run.kill();
    run.live(0);
    RunHistory history = RunHistory.read(directory);
    assertThat(history.restarts().orElseThrow().count()).isEqualTo(2);
    assertThat(history.restarts().orElseThrow().min()).isPositive();
    // The second life came to no checkpoint, but it restarted: it was a life.
    assertThat(history.interruptions().count()).isEqualTo(2);
  }

  @Test
  void goingBackInALifeIsAnInterruption() {
    SmallRun run = new SmallRun(directory);
    run.live(
        2,
        cairn -> {
          cairn.restart();
          cairn.restart(); // nothing in between, so not another
          cairn.begin().abort();
          cairn.restart();
        });
    RunHistory history = RunHistory.read(directory);
    assertThat(history.interruptions().count()).isEqualTo(2);
    assertThat(history.failedCheckpoints()).as("aborted, not failed").isZero();
    RankHistory rank = history.histories().getFirst();
    assertThat(rank.events(RunEvent.CheckpointFailed.class)).hasSize(1);
  }

  @Test
  void twoRanksWithPartners() throws IOException {
    SmallRun run = new SmallRun(directory);
    run.liveTogether(3);
    run.kill();
    run.liveTogether(2);
    RunHistory history = RunHistory.read(directory);

    assertThat(history.ranks()).isEqualTo(2);
    assertThat(history.histories()).extracting(RankHistory::rank).containsExactly(0, 1);
    assertThat(history.checkpoints()).isEqualTo(5);
    assertThat(history.interruptions().count()).as("once, not once a rank").isEqualTo(1);
    assertThat(history.protectedBytes().orElseThrow().max()).isEqualTo(3 * 16 * 1024);
    assertThat(history.dirtyFraction().orElseThrow().median()).isEqualTo(2.0 / 48);
    assertThat(history.restarts().orElseThrow().count()).isEqualTo(2);
    assertThat(history.waited().orElseThrow().mean())
        .isCloseTo(slowestWait(history), within(1e-12));

    TierUse partner = history.tiers().getFirst();
    assertThat(partner.tier()).isEqualTo("partner");
    assertThat(partner.reached() + partner.skipped()).isEqualTo(5);
    assertThat(partner.failed()).isZero();
    assertThat(partner.repeated()).as("by the restart of the second life").isEqualTo(1);
    assertThat(partner.seconds().orElseThrow().count()).isEqualTo(partner.reached());
    assertThat(partner.bytes().orElseThrow().count()).isEqualTo(2 * partner.reached());
    assertThat(partner.bytes().orElseThrow().max()).isGreaterThan(1024);

    Files.delete(directory.resolve("rank0/events.jsonl"));
    RunHistory rest = RunHistory.read(directory);
    assertThat(rest.ranks()).as("rank 1 knows of both").isEqualTo(2);
    assertThat(rest.interruptions().count()).isEqualTo(1);
    assertThat(RunHistory.read(directory.resolve("rank1/events.jsonl"))).isEqualTo(rest);
  }

  /** The mean over versions of the longest wait, put together in another way. */
  private static double slowestWait(RunHistory history) {
    Map<String, List<RunEvent.Checkpointed>> versions =
        history.histories().stream()
            .flatMap(rank -> rank.events(RunEvent.Checkpointed.class).stream())
            .collect(Collectors.groupingBy(RunEvent.Checkpointed::version));
    double sum = 0;
    for (List<RunEvent.Checkpointed> ranks : versions.values()) {
      assertThat(ranks).hasSize(2);
      sum += Math.max(ranks.getFirst().waitedSeconds(), ranks.getLast().waitedSeconds());
    }
    return sum / versions.size();
  }

  @Test
  void aTimeLimitIsNoInterruption() throws IOException {
    rankLog(0, TERMINATED + TERMINATED_LATER + CLOSED);
    Interruptions interruptions = RunHistory.read(directory).interruptions();
    assertThat(interruptions.count()).isZero();
    assertThat(interruptions.seconds()).as("all ends are known").isEqualTo(300);

    rankLog(0, TERMINATED + KILLED_LATER + CLOSED);
    assertThat(RunHistory.read(directory).interruptions().count()).isEqualTo(1);
  }

  @Test
  void aSignalOfALauncherIsOneIfAnotherRankWasLost() throws IOException {
    // First rank 0 is killed, then rank 1, then the time limit comes.
    rankLog(0, KILLED + TERMINATED_LATER + TERMINATED_LAST + CLOSED);
    rankLog(1, TERMINATED + KILLED_LATER + TERMINATED_LAST + CLOSED);
    assertThat(RunHistory.read(directory).interruptions().count()).isEqualTo(2);
  }

  @Test
  void aLogLostWithItsDiskIsSeenByTheOthers() throws IOException {
    rankLog(0, TERMINATED + TERMINATED_LATER + TERMINATED_LAST + CLOSED);
    rankLog(1, TERMINATED_LAST + CLOSED); // its disk was lost at the end of the second life
    assertThat(RunHistory.read(directory).interruptions().count()).isEqualTo(1);
  }

  @Test
  void restartsTellHowSevereInterruptionsWere() throws IOException {
    String local = restart("\"local\",\"local\"");
    String partner = restart("\"local\",\"partner\"");
    rankLog(0, KILLED + in(1, partner, "") + in(2, local, "terminated") + in(3, local, "close"));
    Severities seen = RunHistory.read(directory).severities();
    assertThat(seen.restarts()).as("one life ended by a time limit").isEqualTo(2);
    assertThat(seen.severe()).isEqualTo(1);
    assertThat(seen.byTier()).containsExactly(entry("partner", 1));
    assertThat(seen.share(0.1)).isEqualTo(1.1 / 3);

    rankLog(0, CLOSED);
    assertThat(RunHistory.read(directory).severities().share(0.1)).isEqualTo(0.1);
  }

  /** A launcher ends the others when a rank is lost with its disk: what is fetched shows it. */
  @Test
  void aSignalAfterWhichATierIsNeeded() throws IOException {
    String shared = restart("\"shared\",\"local of rank 0\"");
    rankLog(0, TERMINATED + in(1, shared, "terminated") + in(2, restart(""), "close"));
    Severities seen = RunHistory.read(directory).severities();
    assertThat(seen.restarts()).isEqualTo(1);
    assertThat(seen.byTier()).containsExactly(entry("shared", 1));
  }

  private static String restart(String origins) {
    return "{\"time\":\"2026-01-01T0H:00:10Z\",\"event\":\"restart\",\"version\":\"1.0\","
        + "\"seconds\":1,\"origins\":["
        + origins
        + "]}\n";
  }

  private static String in(int hour, String restart, String end) {
    String life = life(hour, end);
    int first = life.indexOf('\n') + 1;
    return life.substring(0, first) + restart.replace("0H", "0" + hour) + life.substring(first);
  }

  private void rankLog(int rank, String lines) throws IOException {
    Path home = Files.createDirectories(directory.resolve("rank" + rank));
    Files.writeString(home.resolve("events.jsonl"), lines.replace("RANK", "" + rank));
  }

  private static final String TERMINATED = life(0, "terminated");
  private static final String KILLED = life(0, "");
  private static final String TERMINATED_LATER = life(1, "terminated");
  private static final String KILLED_LATER = life(1, "");
  private static final String TERMINATED_LAST = life(2, "terminated");
  private static final String CLOSED = life(3, "close");

  /** A life of 100 s in one of the hours; of one that was killed, 50 s are logged. */
  private static String life(int hour, String end) {
    String lines =
        """
        {"time":"2026-01-01T0H:00:00Z","event":"open","rank":RANK,"ranks":2}
        {"time":"2026-01-01T0H:00:50Z","event":"checkpoint","version":"1.H"}
        """;
    String last =
        """
        {"time":"2026-01-01T0H:01:40Z","event":"END","signal":"SIGTERM"}
        """;
    String all = end.isEmpty() ? lines : lines + last.replace("END", end);
    return all.replace("0H", "0" + hour).replace("H", "" + hour);
  }

  @Test
  void logsOfSeveralJobsAreToldApart() throws IOException {
    String log =
        """
        {"time":"2026-01-01T00:00:00Z","event":"open","rank":0,"ranks":1}
        {"time":"2026-01-01T00:00:09Z","event":"close"}
        """;
    Files.writeString(directory.resolve("events.jsonl"), log);
    Files.writeString(directory.resolve("events+plate-7.jsonl"), log + log);

    assertThatThrownBy(() -> RunHistory.read(directory))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("says which")
        .hasMessageContaining("plate-7");
    assertThat(RunHistory.read(directory, "plate-7").histories().getFirst().lives()).hasSize(2);
    assertThat(RunHistory.read(directory, "").histories().getFirst().lives()).hasSize(1);
  }

  @Test
  void aLogThatWasBegunAnewIsReadWithTheOlderOne() throws IOException {
    String open = "{\"time\":\"2026-01-01T00:00:00Z\",\"event\":\"open\",\"rank\":2,\"ranks\":4}\n";
    String checkpoint =
        "{\"time\":\"2026-01-01T00:0%d:00Z\",\"event\":\"checkpoint\",\"version\":\"1.%d\"}\n";
    String close = "{\"time\":\"2026-01-01T00:09:00Z\",\"event\":\"close\"}\n";
    for (String name : List.of("", "+plate.1")) {
      Path older = directory.resolve("events.1" + name + ".jsonl");
      Path newer = directory.resolve("events" + name + ".jsonl");
      Files.writeString(older, open + checkpoint.formatted(1, 1) + checkpoint.formatted(2, 2));
      Files.writeString(newer, checkpoint.formatted(3, 3) + close);
      RunHistory both = RunHistory.read(directory, name.isEmpty() ? "" : "plate.1");
      assertThat(both.ranks()).isEqualTo(4);
      assertThat(both.checkpoints()).isEqualTo(3);
      assertThat(both.interruptions().count()).isZero();
      assertThat(both.histories().getFirst().lives()).hasSize(1);
      assertThat(RunHistory.read(newer)).isEqualTo(both);
      Files.delete(newer);
      assertThat(RunHistory.read(directory, name.isEmpty() ? "" : "plate.1").checkpoints())
          .as("begun anew, and nothing logged since")
          .isEqualTo(2);
      Files.delete(older);
    }
  }

  @Test
  void withoutLogsItSaysHowToGetThem() throws IOException {
    assertThatThrownBy(() -> RunHistory.read(directory))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(directory + " has no events. Looked for events.jsonl there and in")
        .hasMessageContaining("Checkpointer.open");
    Path nowhere = directory.resolve("nowhere");
    assertThatThrownBy(() -> RunHistory.read(nowhere))
        .hasMessage("there is no directory " + nowhere);
    Files.writeString(directory.resolve("events.jsonl"), "{\"event\":\"op");
    assertThatThrownBy(() -> RunHistory.read(directory))
        .hasMessageStartingWith(directory + " has logs without any event in them. Looked for");
  }
}
