// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.concurrent.TimeUnit;
import org.cairn.comm.Communicator;
import org.cairn.comm.RankFailedException;
import org.cairn.comm.Ranks;
import org.cairn.store.Directories;
import org.cairn.testkit.random.Thorough;
import org.cairn.testkit.schedule.Simulation;
import org.cairn.testkit.store.MemoryDirectories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Two ranks go on with what three saved, and one of them runs out of something at every single
 * place: nobody waits in vain, and the next start has all of it.
 */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
@Tag("slow")
@Thorough
class NthFailureOnOtherRanksTest {
  private static final int ROWS = 12;
  private static final int COLUMNS = 2000;
  private static final long STRIDE =
      Long.getLong("cairn.stride", Boolean.getBoolean(Thorough.PROPERTY) ? 8 : 11);
  private static final String IN_VAIN = "none has moved";

  private static Part part(int rank, int ranks) {
    long from = (long) ROWS * rank / ranks;
    long to = (long) ROWS * (rank + 1) / ranks;
    return Part.of(
        new long[] {ROWS, COLUMNS}, new long[] {from, 0}, new long[] {to - from, COLUMNS});
  }

  private static Options options(Simulation simulation) {
    return SampleState.options()
        .threads(2)
        .tiers(Tiers.none())
        .waitAtMost(Duration.ofSeconds(20))
        .clock(simulation.clock());
  }

  private static void run(Directories directories, Options options, Communicator comm) {
    try (Checkpointer cairn = Checkpointer.open(directories, comm, options)) {
      Part mine = part(comm.rank(), comm.size());
      double[] u = new double[(int) mine.elements()];
      LongCell step = cairn.protectEverywhere("step", 0L);
      cairn.protect("u", u).part(mine);
      if (cairn.restart().isRestored()) {
        assertThat(step.get()).isEqualTo(7);
        long first = mine.offset().getFirst() * COLUMNS;
        for (int i = 0; i < u.length; i++) {
          assertThat(u[i] == first + i + 0.5).isTrue();
        }
        return;
      }
      step.set(7);
      Arrays.setAll(u, i -> mine.offset().getFirst() * COLUMNS + i + 0.5);
      cairn.checkpoint();
    }
  }

  @ParameterizedTest
  @CsvSource({"0, false", "1, false", "0, true", "1, true"})
  void everythingFails(int victim, boolean forGood) throws Exception {
    MemoryDirectories saved = new MemoryDirectories();
    Simulation peace = new Simulation(1);
    peace.run(() -> Ranks.run(3, comm -> run(saved, options(peace), comm)));
    boolean denied = true;
    int places = 0;
    for (long n = 1; denied; n += STRIDE) {
      MemoryDirectories directories = saved.copy();
      Ration ration = new Ration(EnumSet.allOf(Ration.Thing.class));
      ration.deny(n, forGood);
      Simulation simulation = new Simulation(n);
      try {
        simulation
            .supplying(
                (kind, amount) -> {
                  if (simulation.group().equals("rank" + victim)) {
                    ration.requested(kind, amount);
                  }
                })
            .run(() -> suffer(simulation, directories, ration, victim, forGood));
      } catch (Throwable e) {
        throw new AssertionError(
            "rank %d, %d%s (%s): %s"
                .formatted(victim, n, forGood ? " ff." : "", ration.denied(), e.getMessage()),
            e);
      }
      denied = ration.hasDenied();
      places++;
    }
    assertThat(places).as("places at which something can fail").isGreaterThan(20);
  }

  private static void suffer(
      Simulation simulation,
      MemoryDirectories directories,
      Ration ration,
      int victim,
      boolean forGood) {
    try {
      Ranks.run(
          2,
          rank -> "node" + rank,
          comm -> {
            simulation.enter("rank" + comm.rank());
            boolean rationed = comm.rank() == victim;
            run(rationed ? ration.of(directories) : directories, options(simulation), comm);
          });
    } catch (RankFailedException e) {
      // Who can do nothing more cannot say so either; who fails once can.
      if (!forGood) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
          assertThat(String.valueOf(cause.getMessage())).doesNotContain(IN_VAIN);
        }
      }
    }
    ration.allow();
    Ranks.run(
        2,
        comm -> {
          simulation.enter("later" + comm.rank());
          run(directories, options(simulation), comm);
        });
  }
}
