// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.RankFailedException;
import org.cairn.comm.Ranks;
import org.cairn.store.Directories;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.supply.Supply;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.random.Thorough;
import org.cairn.testkit.schedule.Simulation;
import org.cairn.testkit.store.MemoryDirectories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Two ranks with every tier and a scrubber, of which one runs out of something at every single
 * place: all ranks are told, alike; nobody waits for ever; the next checkpoint works or the job
 * ends, and then both come back to the same state.
 */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
@Tag("slow")
@Thorough
class NthFailureInJobTest {
  private static final int RANKS = 2;
  private static final int CHECKPOINTS_BEFORE = 2;

  /**
   * One in so many places is tried, the same ones each time: {@code -Dcairn.stride=1} tries all,
   * {@code -Dcairn.seed=random} others.
   */
  private static final long STRIDE =
      Long.getLong("cairn.stride", Boolean.getBoolean(Thorough.PROPERTY) ? 8 : 256);

  private static final long FIRST =
      1 + Seeds.of("NthFailureInJobTest", 1).findFirst().orElseThrow() % STRIDE;

  private static final String IN_VAIN = "none has moved";
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** What is kept beside the containers. */
  enum Kept {
    COPIES_AND_FILES {
      @Override
      Tiers tiers(Store shared) {
        return Tiers.none().partner(1).shared(shared, 1).leaseRest(Duration.ofSeconds(1));
      }
    },
    PARITY {
      @Override
      Tiers tiers(Store shared) {
        return Tiers.none().erasure(1).group(2, 1);
      }
    };

    abstract Tiers tiers(Store shared);
  }

  @ParameterizedTest
  @CsvSource({
    "COPIES_AND_FILES, 0, false",
    "COPIES_AND_FILES, 1, false",
    "PARITY, 0, false",
    "PARITY, 1, false",
    "COPIES_AND_FILES, 0, true",
    "COPIES_AND_FILES, 1, true",
    "PARITY, 0, true",
    "PARITY, 1, true"
  })
  void everythingFails(Kept kept, int victim, boolean forGood) throws Exception {
    Disks before = new Disks(new MemoryDirectories(), new MemoryStore());
    Simulation peace = new Simulation(1);
    peace.run(() -> new Life(before, kept, victim, peace).inPeace(CHECKPOINTS_BEFORE));
    long n = FIRST;
    for (boolean denied = true; denied; n += STRIDE) {
      Simulation simulation = new Simulation(n);
      Life life = new Life(before.copy(), kept, victim, simulation);
      long at = n;
      try {
        simulation
            .supplying((kind, amount) -> life.requested(kind, amount))
            .run(() -> life.under(at, forGood));
      } catch (Throwable e) {
        throw new AssertionError(
            "%s, rank %d, %d%s (%s): %s"
                .formatted(
                    kept, victim, n, forGood ? " ff." : "", life.ration.denied(), e.getMessage()),
            e);
      }
      denied = life.ration.hasDenied();
    }
    System.out.printf(
        "%s, rank %d: %d places, from %d one in %d%n", kept, victim, n - 1, FIRST, STRIDE);
    assertThat(n).as("places at which something can fail").isGreaterThan(2);
  }

  /** What outlives a process. */
  private record Disks(MemoryDirectories directories, MemoryStore shared) {
    Disks copy() {
      return new Disks(directories.copy(), shared.copy());
    }
  }

  /** A job that goes on as long as it can. */
  private static final class Life {
    private final Disks disks;
    private final Kept kept;
    private final int victim;
    private final Simulation simulation;
    private final Ration ration = new Ration(EnumSet.allOf(Ration.Thing.class));
    private final Random bits = Seeds.content(7);
    private final List<Throwable> unexplained = new ArrayList<>();

    /** The newest state that is known to be safe, and the newest that may be. */
    private long safe;

    private long tried;

    private boolean forGood;

    Life(Disks disks, Kept kept, int victim, Simulation simulation) {
      this.disks = disks;
      this.kept = kept;
      this.victim = victim;
      this.simulation = simulation;
    }

    /** Only one rank is short of anything. */
    void requested(Supply.Kind kind, long amount) {
      if (simulation.group().equals("rank" + victim)) {
        ration.requested(kind, amount);
      }
    }

    private Options options(boolean rationed) {
      Store shared = rationed ? ration.of(disks.shared) : disks.shared;
      return SampleState.options()
          .threads(2)
          .buffer(2 << 20)
          .staging(4 << 20)
          .tiers(kept.tiers(shared))
          .scrub(Scrubbing.everyCheckpoints(1))
          .waitAtMost(PATIENCE)
          .clock(simulation.clock())
          .random(() -> rationed ? ration.random(bits) : bits.nextLong());
    }

    private Directories directories(boolean rationed) {
      return rationed ? ration.of(disks.directories) : disks.directories;
    }

    void inPeace(int checkpoints) {
      Ranks.run(
          RANKS,
          rank -> "node" + rank,
          comm -> {
            try (Actor actor = new Actor(comm, false)) {
              for (int i = 1; i <= checkpoints; i++) {
                actor.checkpoint(i).await();
              }
            }
          });
    }

    void under(long n, boolean lastingly) {
      forGood = lastingly;
      safe = CHECKPOINTS_BEFORE;
      tried = safe;
      ration.deny(n, lastingly);
      try {
        Ranks.run(
            RANKS,
            rank -> "node" + rank,
            comm -> {
              simulation.enter("rank" + comm.rank());
              suffer(comm);
            });
      } catch (RankFailedException e) {
        explain(e.getCause());
        for (Throwable other : e.getSuppressed()) {
          explain(other);
        }
      }
      ration.allow();
      assertThat(unexplained).isEmpty();
      recover();
    }

    private void suffer(Communicator comm) {
      boolean rationed = comm.rank() == victim;
      try (Actor actor = new Actor(comm, rationed)) {
        actor.restart();
        actor.attempt(CHECKPOINTS_BEFORE + 1);
        actor.attempt(CHECKPOINTS_BEFORE + 2);
        comm.barrier();
        ration.allow();
        comm.barrier();
        actor.checkpoint(CHECKPOINTS_BEFORE + 3);
      }
    }

    /** Whoever fails once is to be heard of; only who can do nothing more has to be waited for. */
    private void explain(@Nullable Throwable failure) {
      if (!forGood && failure != null && String.valueOf(failure.getMessage()).contains(IN_VAIN)) {
        unexplained.add(failure);
        return;
      }
      for (Throwable e = failure; e != null; e = e.getCause()) {
        if (e instanceof CommunicationException
            || ration.explains(e)
            || String.valueOf(e.getMessage()).matches("(?s).*(denied|bytes of memory).*")) {
          return;
        }
      }
      if (failure != null) {
        unexplained.add(failure);
      }
    }

    /** The next processes. */
    private void recover() {
      long[] found = new long[RANKS];
      long least = safe;
      long most = tried;
      Ranks.run(
          RANKS,
          rank -> "node" + rank,
          comm -> {
            simulation.enter("later" + comm.rank());
            try (Actor actor = new Actor(comm, false)) {
              actor.restart();
              found[comm.rank()] = actor.state.number();
              actor.checkpoint(actor.state.number() + 1);
            }
          });
      assertThat(found).as("of one version").containsOnly(found[0]);
      assertThat(found[0]).as("restored").isBetween(least, most);
    }

    /** One rank. */
    private final class Actor implements AutoCloseable {
      private final Checkpointer cairn;
      private final SampleState state = new SampleState();

      Actor(Communicator comm, boolean rationed) {
        cairn = Checkpointer.open(directories(rationed), comm, options(rationed));
        try {
          state.protect(cairn);
        } catch (Throwable e) {
          cairn.close();
          throw e;
        }
      }

      void restart() {
        RestartReport report = cairn.restart();
        assertThat(report.isRestored()).isTrue();
        assertThat(state.isWhole()).isTrue();
      }

      /** A program that is told that a checkpoint failed computes on, and tries again. */
      void attempt(long number) {
        try {
          Checkpoint taken = checkpoint(number);
          for (TierKind kind : taken.tiers()) {
            attempt(() -> taken.await(kind));
          }
        } catch (CheckpointFailedException e) {
          explain(e);
        }
      }

      private void attempt(Runnable wait) {
        try {
          wait.run();
        } catch (CheckpointFailedException e) {
          explain(e);
        }
      }

      Checkpoint checkpoint(long number) {
        state.become(number);
        tried = Math.max(tried, number);
        Checkpoint taken = cairn.checkpoint();
        safe = Math.max(safe, number);
        return taken;
      }

      @Override
      public void close() {
        cairn.close();
      }
    }
  }
}
