// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;

import org.cairn.checkpoint.Staging;
import org.cairn.comm.Ranks;
import org.cairn.testkit.store.MemoryDirectories;
import org.junit.jupiter.api.Test;

/** Ranks of one host share its cores. */
class SharedHostTest {
  private static final int CORES = Runtime.getRuntime().availableProcessors();

  @Test
  void defaultsAreDividedAmongTheRanksOfAHost() {
    Options alone = Options.defaults();
    assertThat(alone.threads()).isEqualTo(CORES);
    assertThat(alone.readers()).isEqualTo(4 * CORES);
    Options shared = alone.sharedBy(4 * CORES);
    assertThat(shared.threads()).isEqualTo(1);
    assertThat(shared.readers()).isEqualTo(1);
    assertThat(alone.sharedBy(2).threads()).isEqualTo(Math.max(1, CORES / 2));
  }

  @Test
  void whatSomebodyChoseStays() {
    Options chosen =
        Options.defaults().threads(3).staging(40 << 20).buffer(8 << 20).sharedBy(4 * CORES);
    assertThat(chosen.threads()).isEqualTo(3);
    assertThat(chosen.readers()).isEqualTo(12);
    assertThat(chosen.staging()).isEqualTo(new Staging(40 << 20, 8 << 20, 3, 4 * CORES));
  }

  @Test
  void manyRanksDoNotMakeMoreThreadsThanTheMachineHasCores() {
    int ranks = 2 * CORES + 2;
    long[] crew = new long[ranks];
    MemoryDirectories directories = new MemoryDirectories();
    Ranks.run(
        ranks,
        rank -> "node" + rank,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(directories, comm, Options.defaults())) {
            cairn.protect("u", new double[10_000]);
            cairn.restart();
            cairn.checkpoint();
            comm.barrier();
            crew[comm.rank()] =
                Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().startsWith("cairn-crew"))
                    .count();
            comm.barrier();
          }
        });
    assertThat(crew[0] + ranks).as("threads that hash").isLessThanOrEqualTo(ranks + CORES);
  }
}
