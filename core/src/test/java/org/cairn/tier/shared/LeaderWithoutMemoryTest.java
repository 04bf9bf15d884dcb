// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.cairn.Checkpoint;
import org.cairn.CheckpointFailedException;
import org.cairn.Checkpointer;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.store.MemoryStore;
import org.cairn.supply.Supply;
import org.cairn.testkit.schedule.Simulation;
import org.cairn.testkit.store.MemoryDirectories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A leader that has no memory for what a member sends fails the flush, and nothing else: all
 * members are told, alike, and the next one works.
 */
@Timeout(120)
class LeaderWithoutMemoryTest {
  private static final int RANKS = 3;
  private static final String LEADER = "rank0";

  /** More than fits into a message: the leader needs memory for several. */
  private static final int BYTES = 5 << 19;

  private static final StackWalker STACK = StackWalker.getInstance();

  /** Denies the n-th piece of memory that a leader wants for messages, and all that follow. */
  private static final class Denial {
    private final long at;
    private long count;
    private boolean over;

    Denial(long at) {
      this.at = at;
    }

    void requested(Simulation simulation, Supply.Kind kind, long amount) {
      boolean isAsked =
          !over && kind != Supply.Kind.THREAD && simulation.group().equals(LEADER) && isForIntake();
      if (isAsked && ++count >= at) {
        throw new OutOfMemoryError("denied: %d bytes of memory".formatted(amount));
      }
    }

    private static boolean isForIntake() {
      return STACK.walk(
          frames -> frames.anyMatch(one -> one.getClassName().equals(Intake.class.getName())));
    }
  }

  @Test
  void onlyTheFlushFails() throws Exception {
    List<String> reasons = new ArrayList<>();
    long n = 0;
    boolean denied = true;
    while (denied) {
      Denial denial = new Denial(++n);
      Simulation simulation = new Simulation(n);
      simulation
          .supplying((kind, amount) -> denial.requested(simulation, kind, amount))
          .run(() -> live(simulation, denial, reasons));
      denied = denial.count >= denial.at;
    }
    assertThat(n).as("places where a leader wants memory").isGreaterThan(1);
    assertThat(reasons).isNotEmpty().allSatisfy(one -> assertThat(one).contains("has no memory"));
  }

  private static void live(Simulation simulation, Denial denial, List<String> reasons) {
    MemoryDirectories directories = new MemoryDirectories();
    MemoryStore shared = new MemoryStore();
    Random bits = simulation.random();
    Options options =
        Options.defaults()
            .threads(1)
            .blockSize(64 << 10)
            .waitAtMost(Duration.ofSeconds(20))
            .flushOnClose(Duration.ZERO)
            .tiers(Tiers.none().shared(shared, 1).sharedGroup(RANKS))
            .clock(simulation.clock())
            .random(bits::nextLong);
    boolean[] failed = new boolean[RANKS];
    Ranks.run(
        RANKS,
        comm -> {
          simulation.enter("rank" + comm.rank());
          try (Checkpointer cairn = Checkpointer.open(directories, comm, options)) {
            failed[comm.rank()] = flushTwice(comm, cairn, denial, reasons);
          }
        });
    assertThat(failed).as("told alike").containsOnly(failed[0]);
    for (int rank = 0; rank < RANKS; rank++) {
      directories.lose(rank);
    }
    Ranks.run(
        RANKS,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(directories, comm, options)) {
            LongCell step = cairn.protect("step", 0L);
            cairn.protect("u", new byte[BYTES]);
            cairn.restart();
            assertThat(step.get()).as("from the shared directory").isEqualTo(2);
          }
        });
  }

  /** Whether the first flush failed; the second must not. */
  private static boolean flushTwice(
      Communicator comm, Checkpointer cairn, Denial denial, List<String> reasons) {
    LongCell step = cairn.protect("step", 0L);
    byte[] u = new byte[BYTES];
    new Random(comm.rank()).nextBytes(u);
    cairn.protect("u", u);
    step.set(1);
    boolean failed = false;
    Checkpoint first = cairn.checkpoint();
    try {
      first.await(TierKind.SHARED);
    } catch (CheckpointFailedException e) {
      failed = true;
      reasons.add(e.getMessage());
    }
    comm.barrier();
    denial.over = true;
    comm.barrier();
    step.set(2);
    cairn.checkpoint().await(TierKind.SHARED);
    return failed;
  }
}
