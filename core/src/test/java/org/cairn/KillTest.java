// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.random.Thorough;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real processes, killed with SIGKILL at random moments and started again until they are done: what
 * they have computed in the end is bit for bit what an undisturbed one computes. No checkpoint that
 * was reported durable is ever lost.
 *
 * <p>{@code -Dcairn.iterations=N} sets the number of kills of each kind, {@code -Dcairn.seed} the
 * moments (as far as a scheduler lets anyone).
 */
@Tag("slow")
class KillTest {
  private static final int KILLS = 5;

  /** As many where there is time. */
  private static final int TIMES = 8;

  /** Every other life of them is tracked: in the profile for kills that are fifty. */
  private static final int KILLS_OF_TRACKED = 13;

  /** From here on it cannot be chance that none came at the worst of moments. */
  private static final int MANY = 10;

  /** The exit code of a process that was ended by SIGKILL. */
  private static final int KILLED = 128 + 9;

  private static final int STEPS = 250;

  /** Some kills come while the program starts, or at its first checkpoint, which is slow. */
  private static final int STARTING_MILLIS = 500;

  /** Most come a moment after one of the lines it writes. */
  private static final int MOST_LINES = 40;

  private static final int MOST_MICROS = 8_000;

  @TempDir Path directory;

  private static final class Tally {
    int kills;
    int runs;
    int midway;
    int insideCheckpoint;
    int whileStarting;
    int finished;

    @Override
    public String toString() {
      return "%d kills in %d runs: %d after progress, %d inside a checkpoint, %d while starting; %d ends"
          .formatted(kills, runs, midway, insideCheckpoint, whileStarting, finished);
    }
  }

  /** At once: each waits for its processes to start most of the time. */
  @Test
  @Timeout(value = 1800, unit = TimeUnit.SECONDS)
  @Thorough
  void killedAndRestartedUntilDone() throws Exception {
    try (ExecutorService two = Executors.newFixedThreadPool(2)) {
      List<Future<Void>> campaigns =
          two.invokeAll(
              List.of(
                  () -> campaign("sync", KILLS),
                  () -> campaign("async", KILLS),
                  () -> campaign("tracked", KILLS_OF_TRACKED)));
      for (Future<Void> campaign : campaigns) {
        campaign.get();
      }
    }
  }

  private Void campaign(String mode, int most) throws Exception {
    long seed = Seeds.of("KillTest#" + mode, 1).findFirst().orElseThrow();
    long kills = Seeds.more("KillTest#" + mode, most, TIMES).count();
    kills = Math.max(kills, System.getProperty(Seeds.SEED, "").isEmpty() ? 1 : most);
    System.out.println("KillTest " + mode + ": -Dcairn.seed=" + seed);
    String expected = KillProgram.undisturbed(new MemoryStore(), STEPS);
    Random random = new Random(seed);
    Tally tally = new Tally();
    while (tally.kills < kills) {
      Path place = directory.resolve(mode + tally.finished);
      Life life = new Life(mode, place, random, tally);
      assertThat(life.toTheEnd(kills)).as("end state of " + place).isEqualTo(expected);
      tally.finished++;
    }
    System.out.println("KillTest " + mode + ": " + tally);
    if (tally.kills >= MANY) {
      assertThat(tally.midway).as("kills after progress").isGreaterThan(tally.kills / 2);
      assertThat(tally.insideCheckpoint).as("kills inside a checkpoint").isPositive();
    }
    return null;
  }

  /** One computation in one directory, over as many processes as it takes. */
  private static final class Life {
    private final String mode;
    private final Path place;
    private final Random random;
    private final Tally tally;
    private long durable;
    private long begun;

    Life(String mode, Path place, Random random, Tally tally) {
      this.mode = mode;
      this.place = place;
      this.random = random;
      this.tally = tally;
    }

    String toTheEnd(long kills) throws Exception {
      while (true) {
        List<String> said = run(tally.kills < kills);
        String last = said.isEmpty() ? "" : said.getLast();
        if (last.startsWith("result ")) {
          return last.substring("result ".length());
        }
      }
    }

    private List<String> run(boolean kill) throws Exception {
      // What a life tracked the next one hashes, and the other way round.
      String way = mode.equals("tracked") && tally.runs % 2 == 1 ? "untracked" : mode;
      List<String> arguments = List.of(place.toString(), String.valueOf(STEPS), way);
      Process child = ChildJvm.start(KillProgram.class, List.of("-Xmx64m"), arguments);
      tally.runs++;
      List<String> said = new ArrayList<>();
      try (ScheduledExecutorService killer = Executors.newSingleThreadScheduledExecutor();
          BufferedReader output = child.inputReader(StandardCharsets.UTF_8)) {
        int lines = killAfter(kill);
        if (lines == 0) {
          killIn(killer, child, 1000 * random.nextInt(STARTING_MILLIS));
        }
        listen(output, said, lines, () -> killIn(killer, child, random.nextInt(MOST_MICROS)));
        killer.shutdownNow();
      }
      // Not destroyed before: the exit code has to tell who ended it.
      judge(said, child.waitFor());
      return said;
    }

    /** After how many lines of the program to kill it; 0 for while it starts, -1 for never. */
    private int killAfter(boolean kill) {
      if (!kill) {
        return -1;
      }
      return random.nextInt(6) == 0 ? 0 : 1 + random.nextInt(MOST_LINES);
    }

    private static void killIn(ScheduledExecutorService killer, Process child, int micros) {
      // By its handle: Process.destroyForcibly also closes the stream with its last words.
      ProcessHandle handle = child.toHandle();
      killer.schedule(handle::destroyForcibly, micros, TimeUnit.MICROSECONDS);
    }

    private static void listen(
        BufferedReader output, List<String> said, int lines, Runnable thenKill) throws IOException {
      String line = output.readLine();
      while (line != null) {
        said.add(line);
        if (said.size() == lines) {
          thenKill.run();
        }
        line = output.readLine();
      }
    }

    private void judge(List<String> said, int exit) {
      for (String line : said) {
        String[] words = line.split(" ", 2);
        switch (words[0]) {
          case "restarted" ->
              assertThat(Long.parseLong(words[1]))
                  .as("restart after durable " + durable + ", begun " + begun)
                  .isBetween(durable, Math.max(durable, begun));
          case "begin" -> begun = Long.parseLong(words[1]);
          case "durable" -> durable = Math.max(durable, Long.parseLong(words[1]));
          default -> assertThat(words[0]).as(line).isEqualTo("result");
        }
      }
      boolean killed = said.isEmpty() || !said.getLast().startsWith("result ");
      if (killed) {
        // Anything else is a death of its own, not ours.
        assertThat(exit).as("exit code after " + said).isEqualTo(KILLED);
        count(said);
      } else {
        // It may be hit between its last word and its end.
        assertThat(exit).as("exit code after the result").isIn(0, KILLED);
      }
    }

    private void count(List<String> said) {
      tally.kills++;
      String last = said.isEmpty() ? "" : said.getLast();
      if (said.isEmpty()) {
        tally.whileStarting++;
      }
      if (said.stream().anyMatch(line -> line.startsWith("durable "))) {
        tally.midway++;
      }
      if (last.startsWith("begin ")) {
        tally.insideCheckpoint++;
      }
    }
  }
}
