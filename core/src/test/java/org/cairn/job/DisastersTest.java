// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;

class DisastersTest {
  private static final AtomicInteger RUNS = new AtomicInteger();

  @SeededTest(seeds = 80)
  @Timeout(600)
  void survives(Random random) throws Exception {
    RUNS.incrementAndGet();
    new Disasters(random).run();
  }

  /** A test of disasters that never happen would pass as well. */
  @AfterAll
  static void rareBranchesWereReached() {
    System.out.println("disasters: " + RUNS + " runs, " + Disasters.REACHED);
    if (RUNS.get() >= 80) {
      assertThat(Disasters.REACHED)
          .containsKeys(
              "agreed failure",
              "rebuilt from partner",
              "rebuilt from local",
              "damage found",
              "died before anything was restored",
              "unavailable");
    }
  }
}
