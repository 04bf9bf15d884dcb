// SPDX-License-Identifier: Apache-2.0
package org.cairn.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.cairn.Compression;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.random.Thorough;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real processes under real MPIs: ranks are killed with SIGKILL, directories are lost and damaged,
 * and the job is started again, until its result shows that nothing was lost, bit for bit.
 *
 * <p>A seed decides the number of ranks, when which rank is killed and what is lost then, as far as
 * a scheduler lets anyone. The same disasters by the hundred, but in one JVM, are in core.
 */
@DisabledIfSystemProperty(named = "cairn.mpi", matches = "off")
@Tag("slow")
@Thorough(times = 2)
class DisasterTest {
  /** From here on it cannot be chance that a phase was never hit. */
  private static final int MANY = 30;

  /** In this many the rank that is killed does so each of the things that there are to do. */
  private static final int ALL = 5;

  /** Of them, on every day; what is left out here the other test may have. */
  private static final int SOME = 2;

  private static final List<Compression> COMPRESSIONS =
      List.of(Compression.none(), Compression.fast(), Compression.auto());

  private static final Map<Phase, Integer> HITS = new EnumMap<>(Phase.class);
  private static int disasters;

  @TempDir Path directory;

  /** Both at once is tried always. */
  static boolean isLongRunOrReplay() {
    return Boolean.getBoolean(Thorough.PROPERTY) || System.getProperty(Seeds.SEED) != null;
  }

  @SeededTest(seeds = 1)
  @EnabledIf("isLongRunOrReplay")
  void partner(long seed) throws Exception {
    live("partner", seed, (ranks, random) -> Protection.none().partner(1));
  }

  @SeededTest(seeds = 1)
  @EnabledIf("isLongRunOrReplay")
  void erasure(long seed) throws Exception {
    live("erasure", seed, (ranks, random) -> Protection.none().erasure(1, ranks));
  }

  @SeededTest(seeds = 1)
  void partnerAndErasure(long seed) throws Exception {
    live(
        "partner and erasure",
        seed,
        (ranks, random) -> Protection.none().partner(1).erasure(1 + random.nextInt(3), ranks));
  }

  @SeededTest(seeds = 1)
  void shared(long seed) throws Exception {
    live(
        "shared",
        seed,
        (ranks, random) ->
            Protection.none()
                .shared(directory.resolve("shared"), 1 + random.nextInt(2), ranks)
                .compressed(COMPRESSIONS.get(random.nextInt(COMPRESSIONS.size()))));
  }

  private interface Chooser {
    Protection choose(int ranks, Random random);
  }

  private void live(String tiers, long seed, Chooser chooser) throws Exception {
    Random random = new Random(seed);
    int ranks = seed % 3 == 0 ? 3 : 4;
    int size = List.of(96, 256, 512).get(random.nextInt(3));
    boolean asynchronous = random.nextBoolean();
    Protection protection = chooser.choose(ranks, random).asynchronous(asynchronous);
    System.out.printf(
        "DisasterTest %s: -Dcairn.seed=%d: %d ranks, %s%n",
        tiers, seed, ranks, protection.options());
    HeatLife life = new HeatLife(directory, ranks, size, protection, random);
    long start = System.nanoTime();
    for (Phase aim : aims(random)) {
      count(life.disaster(aim));
    }
    life.finish();
    assertThat(life.leftovers()).isEmpty();
    life.story().forEach(line -> System.out.println("  " + line));
    System.out.printf("  %.1f s%n", (System.nanoTime() - start) * 1e-9);
  }

  /** The first must leave something that can be lost; a rebuild follows a loss. */
  private static List<Phase> aims(Random random) {
    List<Phase> rest = new ArrayList<>(List.of(Phase.START, Phase.CHECKPOINT, Phase.REBUILD));
    Collections.shuffle(rest, random);
    List<Phase> aims = new ArrayList<>(List.of(Phase.TRANSFER, Phase.REBUILD));
    if (random.nextBoolean()) {
      Collections.swap(rest, 0, 1);
      aims.set(0, Phase.COMPUTATION);
      rest.set(rest.indexOf(Phase.REBUILD), Phase.TRANSFER);
    }
    aims.addAll(rest);
    assertThat(aims).hasSize(ALL);
    return isLongRunOrReplay() ? aims : aims.subList(0, SOME);
  }

  private static synchronized void count(Set<Phase> phases) {
    disasters++;
    phases.forEach(phase -> HITS.merge(phase, 1, Integer::sum));
  }

  @AfterAll
  static void eachPhaseWasHit() {
    System.out.println("DisasterTest: " + disasters + " disasters, in " + HITS);
    if (disasters >= MANY) {
      assertThat(HITS).containsKeys(Phase.START, Phase.REBUILD, Phase.CHECKPOINT, Phase.TRANSFER);
    }
  }
}
