// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.cairn.VersionName;
import org.cairn.apps.cloverleaf.CloverLeafOptions;
import org.cairn.apps.cloverleaf.CloverLeafProgram;
import org.cairn.apps.poisson.PoissonOptions;
import org.cairn.apps.poisson.PoissonProgram;
import org.cairn.testkit.process.MpiJob.Launcher;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.random.Thorough;
import org.cairn.trials.KillableRank.Program;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs of the mesh language on real processes under real MPIs, which take turns: every life
 * ends with SIGKILL, for all ranks or for one and what the launcher makes of that, and the next has
 * another number of ranks; the last ends with the bits of a single rank that nobody disturbed.
 *
 * <p>A seed decides how often checkpoints are taken, how many ranks there are and who is killed
 * when, as far as a scheduler lets anyone.
 */
@DisabledIfSystemProperty(named = "cairn.mpi", matches = "off")
@Tag("slow")
class MeshLivesTest {
  private static final int MANY_KILLS = 6;

  /** So many lives leave something, and those after the first find it. */
  private static final int SURE = 2;

  private static final long ENDLESS = 1_000_000;

  /** After a checkpoint, or after the processes have begun. */
  private static final int MOST_MILLIS = 100;

  private static final Pattern WENT_ON =
      Pattern.compile("went on from call (\\d+): version ([0-9.]+),");

  @TempDir Path directory;

  private final List<String> story = new ArrayList<>();
  private int starts;
  private List<String> saving = List.of();

  /** What the newest checkpoint known to be complete is called; 0 as long as there is none. */
  private long safe;

  /** Which call of a loop a life has gone on from. */
  private long call;

  /** Lives that went on from a checkpoint, the last one included. */
  private int cameBack;

  /** How a life is ended. */
  private enum Blow {
    /** A rank dies, and the launcher ends the others. */
    ONE,
    /** All die at once. */
    ALL,
    /** The others die when they may have noticed. */
    ONE_THEN_ALL
  }

  /** How a story begins. */
  enum Beginning {
    POISSON_ON_2(Program.POISSON, 2),
    POISSON_ON_4(Program.POISSON, 4),
    CLOVERLEAF_ON_2(Program.CLOVERLEAF, 2),
    CLOVERLEAF_ON_4(Program.CLOVERLEAF, 4);

    private final Program program;
    private final int ranks;

    Beginning(Program program, int ranks) {
      this.program = program;
      this.ranks = ranks;
    }
  }

  static boolean isLongRunOrReplay() {
    return Boolean.getBoolean(Thorough.PROPERTY) || System.getProperty(Seeds.SEED) != null;
  }

  @SeededTest(seeds = 1)
  void twoLives(long seed) throws Exception {
    live(seed, Beginning.POISSON_ON_2, 1, List.of(2, 4));
  }

  @SeededTest(seeds = 1)
  @EnabledIf("isLongRunOrReplay")
  @Thorough
  void manyLives(long seed, Beginning beginning) throws Exception {
    live(seed, beginning, MANY_KILLS, List.of(2, 4, 2, 4, 1, 3, 5)); // some more often than others
  }

  private void live(long seed, Beginning beginning, int kills, List<Integer> numbers)
      throws Exception {
    Random random = new Random(seed + ((long) beginning.ordinal() << 45)); // four stories
    int every = List.of(1, 3, 10).get(random.nextInt(3));
    boolean asynchronous = random.nextBoolean();
    saving = new ArrayList<>(List.of("--every", String.valueOf(every)));
    if (asynchronous) {
      saving.add("--async");
    }
    System.out.printf("MeshLivesTest: -Dcairn.seed=%d: %s, %s%n", seed, beginning, saving);
    starts = random.nextInt(Launcher.values().length);
    int ranks = beginning.ranks;
    for (int life = 0; life < kills; life++) {
      // Later ones may be over before they have begun.
      int checkpoints = life < SURE ? 1 + random.nextInt(3) : random.nextInt(4);
      killed(beginning.program, ranks, checkpoints, random);
      ranks = another(ranks, numbers, random);
    }
    // Beyond any checkpoint: in a life the first may be late, and the last not reported.
    long steps = every * (checkpoints() + 2L * kills + 2);
    undisturbed(beginning.program, ranks, steps);
    System.out.println("  " + String.join("\n  ", story));
    assertThat(cameBack)
        .as("lives that went on from a checkpoint")
        .isGreaterThanOrEqualTo(Math.min(kills, SURE));
  }

  private static int another(int ranks, List<Integer> numbers, Random random) {
    List<Integer> choice = numbers.stream().filter(number -> number != ranks).toList();
    return choice.get(random.nextInt(choice.size()));
  }

  // ---------------------------------------------------------------- lives

  /** A life that is ended a moment after so many checkpoints of its own. */
  private void killed(Program program, int ranks, int checkpoints, Random random) throws Exception {
    Blow blow = Blow.values()[random.nextInt(Blow.values().length)];
    int victim = random.nextInt(ranks);
    int millis = random.nextInt(MOST_MILLIS);
    Launcher launcher = nextLauncher();
    story.add(
        "%s, %d ranks, %s killed (rank %d) %d ms after %d checkpoints"
            .formatted(launcher, ranks, blow, victim, millis, checkpoints));
    long before = checkpoints();
    try (KillableJob job = start(launcher, ranks, program, ENDLESS)) {
      try {
        job.await("rank " + victim, () -> job.pid(victim).isPresent());
        if (checkpoints > 0) {
          job.await(
              "a checkpoint",
              () -> checkpoints() >= before + checkpoints && (safe == 0 || hasGoneOn(job)));
        }
        Thread.sleep(millis);
        if (blow != Blow.ALL) {
          job.kill(victim);
        }
        if (blow == Blow.ONE_THEN_ALL) {
          Thread.sleep(random.nextInt(MOST_MILLIS));
        }
        if (blow != Blow.ONE) {
          job.killAll();
        }
        assertThat(job.awaitEnd()).as("exit code").isNotZero();
        learn(job, checkpoints > 0);
      } catch (AssertionError | IOException e) {
        throw told(e, job);
      }
    }
  }

  /** A life that comes to its end. */
  private void undisturbed(Program program, int ranks, long steps) throws Exception {
    Launcher launcher = nextLauncher();
    story.add("%s, %d ranks, undisturbed, to step %d".formatted(launcher, ranks, steps));
    try (KillableJob job = start(launcher, ranks, program, steps)) {
      try {
        assertThat(job.awaitEnd()).as("exit code").isZero();
        learn(job, true);
        assertThat(directory.resolve("result"))
            .hasSameTextualContentAs(neverKilled(program, steps));
      } catch (AssertionError | IOException e) {
        throw told(e, job);
      }
    }
  }

  private Launcher nextLauncher() {
    return Launcher.values()[starts++ % Launcher.values().length];
  }

  private KillableJob start(Launcher launcher, int ranks, Program program, long steps)
      throws IOException {
    Path scratch = Files.createDirectories(directory.resolve("start" + starts));
    List<String> options = options(directory, program, steps);
    if (program == Program.CLOVERLEAF) {
      options.addAll(List.of("--summary", "3")); // results that are not computed again
    }
    return KillableJob.startMesh(launcher.command(ranks), ranks, scratch, program, options);
  }

  private List<String> options(Path home, Program program, long steps) {
    List<String> options = new ArrayList<>(saving);
    options.addAll(List.of("--size", "29x23", "--threads", "1"));
    options.addAll(List.of("--steps", String.valueOf(steps)));
    options.addAll(List.of("--checkpoints", home.resolve("checkpoints").toString()));
    options.addAll(List.of("--result", home.resolve("result").toString()));
    if (program == Program.POISSON) {
      options.addAll(List.of("--tolerance", "0"));
    }
    return options;
  }

  /** The result of a single rank, in this JVM. */
  private Path neverKilled(Program program, long steps) throws IOException {
    Path home = Files.createDirectories(directory.resolve("neverKilled"));
    List<String> options = options(home, program, steps);
    switch (program) {
      case POISSON -> PoissonProgram.run(PoissonOptions.parse(words(options)));
      case CLOVERLEAF -> {
        options.addAll(List.of("--summary", "0"));
        CloverLeafProgram.run(CloverLeafOptions.parse(words(options)));
      }
      case HEAT -> throw new IllegalArgumentException("no program of the mesh language");
    }
    return home.resolve("result");
  }

  private static String[] words(List<String> options) {
    return options.toArray(String[]::new);
  }

  private AssertionError told(Throwable failure, KillableJob job) throws IOException {
    return new AssertionError(
        String.join("\n", story) + "\n" + failure.getMessage() + "\n" + job.said(), failure);
  }

  // ---------------------------------------------------------------- what they leave

  /** How many checkpoints rank 0 has reported, in all lives. */
  private long checkpoints() throws IOException {
    return reported().count();
  }

  /** The sequences of those checkpoints. */
  private LongStream reported() throws IOException {
    Path alone = directory.resolve("checkpoints");
    return Stream.of(RankEvents.read(alone), RankEvents.read(alone.resolve("rank0")))
        .flatMap(events -> events.entries().stream())
        .filter(entry -> entry.is("checkpoint"))
        .mapToLong(entry -> sequence(entry.version()));
  }

  private static long sequence(String version) {
    return VersionName.parse(version).sequence();
  }

  private static boolean hasGoneOn(KillableJob job) throws IOException {
    return WENT_ON.matcher(job.said()).find();
  }

  /** It went on from what had been reported, if that was there and it came so far. */
  private void learn(KillableJob job, boolean cameFar) throws IOException {
    Matcher said = WENT_ON.matcher(job.said());
    if (said.find()) {
      story.add("  " + said.group());
      assertThat(sequence(said.group(2)))
          .as("the version it went on from, of which %d was reported", safe)
          .isGreaterThanOrEqualTo(safe);
      long now = Long.parseLong(said.group(1));
      assertThat(now).as("the call it went on from").isGreaterThanOrEqualTo(call);
      call = now;
      cameBack++;
    } else if (safe > 0) {
      assertThat(cameFar).as("a life with checkpoints did not go on from any").isFalse();
    }
    safe = reported().max().orElse(0);
  }
}
