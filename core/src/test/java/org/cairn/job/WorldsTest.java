// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Thorough;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** Several jobs, several runs and forks in one world, and nobody's state becomes another's. */
@Tag("slow")
class WorldsTest {
  private static final AtomicInteger WORLDS = new AtomicInteger();

  @SeededTest(seeds = 25)
  @Timeout(600)
  @Thorough(times = 40)
  void nobodysStateBecomesAnothers(long seed) throws IOException {
    WORLDS.incrementAndGet();
    new World(seed).run();
  }

  /** A test of things that never happen would pass as well. */
  @AfterAll
  static void rareBranchesWereReached() {
    System.out.println("worlds: " + WORLDS + ", " + World.REACHED);
    if (WORLDS.get() >= 300) {
      assertThat(World.REACHED)
          .containsKeys(
              "restored",
              "chosen",
              "begun anew",
              "begun anew for want of anything better",
              "again",
              "fork refused",
              "refused",
              "fell back",
              "restored beside another life",
              "beside another file",
              "misplaced",
              "rebuilt from partner",
              "rebuilt from local",
              "rebuilt from shared",
              "purged",
              "collected",
              "died before it was restored");
    }
  }
}
