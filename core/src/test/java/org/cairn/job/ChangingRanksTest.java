// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.random.Thorough;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Disasters in which every life has another number of ranks. */
@Tag("slow")
class ChangingRanksTest {
  private static final int SIDE_BY_SIDE = 2;
  private static final AtomicInteger RUNS = new AtomicInteger();

  @Test
  @Thorough
  @Timeout(1800)
  void survives() throws Exception {
    Queue<Long> seeds = new ConcurrentLinkedQueue<>();
    // Three of ten on ordinary days: 500, which is what was promised.
    Seeds.of("ChangingRanksTest#survives", Boolean.getBoolean(Thorough.PROPERTY) ? 1250 : 1667)
        .forEach(seeds::add);
    try (ExecutorService threads = Executors.newFixedThreadPool(SIDE_BY_SIDE)) {
      Future<?> one = threads.submit(() -> runAll(seeds));
      Future<?> other = threads.submit(() -> runAll(seeds));
      one.get();
      other.get();
    }
    assertThat(ChangingRanks.REMAINS.count())
        .as("disasters that something keeps, of %d", ChangingRanks.REMAINS.watched())
        .isZero();
  }

  private static Void runAll(Queue<Long> seeds) {
    for (Long seed = seeds.poll(); seed != null; seed = seeds.poll()) {
      RUNS.incrementAndGet();
      try {
        new ChangingRanks(seed).run();
      } catch (Throwable e) {
        seeds.clear();
        throw new AssertionError(
            "replay with -Dtest=ChangingRanksTest#survives -D" + Seeds.SEED + "=" + seed, e);
      }
    }
    return null;
  }

  /** A test of disasters that never happen would pass as well. */
  @AfterAll
  static void rareBranchesWereReached() {
    System.out.println(
        "disasters with changing ranks: " + RUNS + " runs, " + ChangingRanks.REACHED);
    if (RUNS.get() >= 100) {
      assertThat(ChangingRanks.REACHED)
          .containsKeys(
              "another number",
              "from local",
              "from partner",
              "from erasure",
              "from shared",
              "came back",
              "unavailable",
              "damage or loss told");
    }
  }
}
