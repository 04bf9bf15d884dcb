// SPDX-License-Identifier: Apache-2.0
package org.cairn.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.cairn.Checkpoint;
import org.cairn.Checkpointer;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.StuckException;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.testkit.comm.LossyCommunicator;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.schedule.Simulation;
import org.cairn.testkit.schedule.Steps;
import org.cairn.testkit.store.MemoryDirectories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ranks that wait for each other in vain are ended; those that wait for one at work are not. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class WatchTest {
  private static final int RANKS = 3;
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final Duration PERIOD = Vigil.period(RANKS, LIMIT);

  private final BeatClock clock = new BeatClock();
  private final MemoryDirectories directories = new MemoryDirectories();
  private final AtomicReferenceArray<Throwable> thrown = new AtomicReferenceArray<>(RANKS);

  private interface Life {
    void live(Communicator ranks, Checkpointer cairn) throws Exception;
  }

  private void run(Life life) {
    Options options =
        Options.defaults()
            .threads(1)
            .clock(clock)
            .waitAtMost(LIMIT)
            .flushOnClose(Duration.ZERO)
            .tiers(Tiers.none().partner(1));
    Ranks.run(
        RANKS,
        ranks -> {
          Checkpointer cairn = Checkpointer.open(directories, ranks, options);
          cairn.protect("state", new long[] {ranks.rank()});
          cairn.checkpoint();
          life.live(ranks, cairn);
        });
  }

  private void beats(Duration time, int watching) throws InterruptedException {
    for (long i = time.dividedBy(PERIOD) + 1; i > 0; i--) {
      clock.pass(PERIOD, watching);
    }
  }

  @Test
  void thoseWhoWaitForOneThatClosedAreTold() {
    CountDownLatch told = new CountDownLatch(RANKS - 1);
    run(
        (ranks, cairn) -> {
          if (ranks.rank() == 1) {
            cairn.close();
            // Goes on: a thread that ends would be noticed by its communicator.
            while (told.getCount() > 0) {
              clock.passIfAsleep(PERIOD, told.getCount());
            }
          } else {
            thrown.set(ranks.rank(), catchThrowable(cairn::checkpoint));
            told.countDown();
            told.await(); // whoever is told last would miss the one that has left
            cairn.close();
          }
        });
    for (int rank : new int[] {0, 2}) {
      assertThat(thrown.get(rank))
          .isInstanceOf(StuckException.class)
          .hasMessageContaining("rank 1 has closed its checkpoints")
          .hasMessageNotContaining("silent");
    }
  }

  @Test
  void nobodyIsEndedWhileOneComputes() {
    run(
        (ranks, cairn) -> {
          if (ranks.rank() == 1) {
            beats(LIMIT.multipliedBy(10), RANKS); // a day between checkpoints
          }
          thrown.set(ranks.rank(), catchThrowable(cairn::checkpoint));
          cairn.close();
        });
    for (int rank = 0; rank < RANKS; rank++) {
      assertThat(thrown.get(rank)).isNull();
    }
  }

  // ---------------------------------------------------------------- two at a time

  @SeededTest(seeds = 40)
  void twoOverOneCommunicatorDoNotDisturbEachOther(Random random) throws Exception {
    boolean duplicated = random.nextBoolean();
    MemoryDirectories elsewhere = new MemoryDirectories();
    Simulation simulation = new Simulation(random.nextLong());
    Options options =
        Options.defaults()
            .threads(1)
            .tiers(Tiers.none().partner(1))
            .waitAtMost(Duration.ofSeconds(10))
            .clock(simulation.clock());
    simulation.run(
        () -> {
          for (int life = 0; life < 2; life++) {
            int begun = life;
            Ranks.run(
                RANKS,
                plain -> {
                  Communicator ranks = new LossyCommunicator(plain, 1);
                  Communicator other = duplicated ? ranks.duplicate() : ranks;
                  runTwo(
                      begun,
                      Checkpointer.open(Steps.of(directories), ranks, options),
                      Checkpointer.open(Steps.of(elsewhere), other, options));
                  if (duplicated) {
                    other.close();
                  }
                });
          }
        });
  }

  private static void runTwo(int begun, Checkpointer one, Checkpointer two) {
    try (one;
        two) {
      LongCell first = one.protect("n", 0L);
      LongCell second = two.protect("n", 100L);
      one.restart();
      two.restart();
      assertThat(first.get()).isEqualTo(3 * begun);
      assertThat(second.get()).isEqualTo(100 + 3 * begun);
      for (int i = 0; i < 3; i++) {
        first.increment();
        second.increment();
        // Begun in one order, ended in another.
        Checkpoint background = one.checkpointAsync();
        two.checkpoint().await(TierKind.PARTNER);
        background.await(TierKind.PARTNER);
      }
    }
  }
}
