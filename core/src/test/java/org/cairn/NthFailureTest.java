// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.random.Thorough;
import org.cairn.testkit.schedule.Simulation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever can fail does, once or from then on for good, at every single place: memory, threads,
 * random bits, calls of the store, functions of the program. Whoever called is told what happened;
 * afterwards the next checkpoint works, and the last version restores. Nobody waits for ever.
 */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
@Tag("slow")
class NthFailureTest {
  private static final int CHECKPOINTS_BEFORE = 2;

  /** Each of three ways takes every third place, and all of them together every one. */
  private static final int STRIDE = Boolean.getBoolean(Thorough.PROPERTY) ? 1 : 5;

  /** How checkpoints are taken. */
  enum Way {
    SYNCHRONOUS {
      @Override
      void take(Checkpointer cairn) {
        cairn.checkpoint();
      }
    },
    ASYNCHRONOUS {
      @Override
      void take(Checkpointer cairn) {
        cairn.checkpointAsync().await();
      }
    },
    STEP_BY_STEP {
      @Override
      void take(Checkpointer cairn) {
        try (CheckpointBuilder builder = cairn.begin()) {
          builder.add("field", "number");
          builder.add("opaque", "text");
          builder.add("sparse", "grown");
          builder.commit();
        }
      }
    };

    abstract void take(Checkpointer cairn);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  @Thorough
  void everythingFailsOnce(Way way) {
    sweep(way, EnumSet.allOf(Ration.Thing.class), false);
  }

  /** One way: the sweeps over one thing each, below, take another. */
  @Test
  @Thorough
  void everythingFailsForGood() {
    sweep(Way.STEP_BY_STEP, EnumSet.allOf(Ration.Thing.class), true);
  }

  @ParameterizedTest
  @EnumSource(Ration.Thing.class)
  @Thorough
  void oneThingFailsForGood(Ration.Thing thing) {
    sweep(Way.ASYNCHRONOUS, EnumSet.of(thing), true);
  }

  /** A rank that has nobody to leave in the middle of something tries again, and all is well. */
  @Test
  void whoFailedAloneGoesOn() throws Exception {
    MemoryStore local = new MemoryStore();
    SampleState.write(local, 2);
    boolean denied = true;
    for (long n = 1; denied; n += 5) {
      Ration ration = new Ration(EnumSet.allOf(Ration.Thing.class));
      MemoryStore shared = new MemoryStore();
      Simulation simulation = new Simulation(n);
      Options options =
          SampleState.options().clock(simulation.clock()).tiers(Tiers.none().shared(shared, 100));
      MemoryStore mine = local.copy();
      long at = n;
      simulation.supplying(ration).run(() -> restartTwice(mine, ration, at, options));
      denied = ration.hasDenied();
      SampleState elsewhere = new SampleState();
      try (Checkpointer cairn =
          Checkpointer.open(
              new MemoryStore(), SampleState.options().tiers(Tiers.none().shared(shared, 100)))) {
        elsewhere.protect(cairn);
        cairn.restart();
      }
      assertThat(elsewhere.number()).as("brought to the shared directory by close").isEqualTo(4);
    }
  }

  private static void restartTwice(Store store, Ration ration, long n, Options options) {
    SampleState state = new SampleState();
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      state.protect(cairn);
      ration.deny(n, false);
      try {
        cairn.restart();
      } catch (CheckpointFailedException | OutOfMemoryError e) {
        assertThat(ration.explains(e)).isTrue();
      }
      ration.allow();
      cairn.restart();
      state.become(3);
      cairn.checkpoint();
      state.become(4);
      cairn.checkpoint(); // stays here until it is closed
    }
  }

  /** A life for every n, until one is long enough for nothing to fail. */
  private static void sweep(Way way, Set<Ration.Thing> things, boolean forGood) {
    MemoryStore store = new MemoryStore();
    new Life(store, new Ration(things), way).inPeace(CHECKPOINTS_BEFORE);
    long places = way.ordinal() % STRIDE;
    for (boolean denied = true; denied; places += STRIDE) {
      try (Ration ration = new Ration(things)) {
        Simulation simulation = new Simulation(7).supplying(ration);
        Life life = new Life(store.copy(), ration, way);
        String what = "%s, %d of %s%s".formatted(way, places + 1, things, forGood ? " ff." : "");
        try {
          long n = places + 1;
          simulation.run(() -> life.under(n, forGood));
        } catch (Throwable e) {
          throw new AssertionError(what + " (" + ration.denied() + "): " + e.getMessage(), e);
        }
        denied = ration.hasDenied();
      }
    }
    System.out.printf("%s: %d places in %s, one of %d%n", way, places, things, STRIDE);
    assertThat(places).as("places at which something can fail").isGreaterThan(STRIDE);
  }

  /** A program that goes on as long as it can. */
  private static final class Life {
    private final Store disk;
    private final Store store;
    private final Ration ration;
    private final Way way;
    private final Random bits = Seeds.content(7);

    private SampleState state = new SampleState();
    private byte[] opaque = new byte[0];

    /** The newest state that is known to be safe, and the newest that may be. */
    private long safe;

    private long tried;

    Life(Store disk, Ration ration, Way way) {
      this.disk = disk;
      this.store = ration.of(disk);
      this.ration = ration;
      this.way = way;
    }

    private Checkpointer open(Store where) {
      state = new SampleState();
      Checkpointer cairn =
          Checkpointer.open(
              where, SampleState.options().threads(2).random(() -> ration.random(bits)));
      try {
        state.protect(cairn);
        cairn.protectOpaque(
            "opaque",
            () -> {
              ration.called("save");
              return new byte[] {(byte) state.number()};
            },
            bytes -> {
              ration.called("load");
              opaque = bytes;
            });
        return cairn;
      } catch (Throwable e) {
        cairn.close();
        throw e;
      }
    }

    void inPeace(int checkpoints) {
      try (Checkpointer cairn = open(disk)) {
        for (int i = 0; i < checkpoints; i++) {
          checkpoint(cairn);
        }
      }
    }

    void under(long n, boolean forGood) {
      safe = CHECKPOINTS_BEFORE;
      tried = safe;
      ration.deny(n, forGood);
      Checkpointer cairn = null;
      try {
        cairn = open(store);
      } catch (Throwable e) {
        explained(e);
      }
      if (cairn != null) {
        restartAfterAll(cairn);
        attempt(cairn);
        attempt(cairn);
        ration.allow();
        checkpoint(cairn);
        ration.deny(Math.max(1, n - ration.count()), forGood);
        close(cairn);
      }
      ration.allow();
      recover();
    }

    private void restartAfterAll(Checkpointer cairn) {
      try {
        restart(cairn);
      } catch (Throwable e) {
        explained(e);
        ration.allow();
        restart(cairn);
      }
    }

    private void restart(Checkpointer cairn) {
      RestartReport report = cairn.restart();
      assertThat(report.isRestored()).isTrue();
      assertThat(state.isWhole()).isTrue();
    }

    /** A program that is told that a checkpoint failed computes on, and tries again. */
    private void attempt(Checkpointer cairn) {
      try {
        checkpoint(cairn);
      } catch (Throwable e) {
        explained(e);
      }
    }

    private void checkpoint(Checkpointer cairn) {
      state.become(tried + 1);
      tried++;
      way.take(cairn);
      safe = tried;
    }

    private void close(Checkpointer cairn) {
      try {
        cairn.close();
      } catch (Throwable e) {
        explained(e);
      }
    }

    private void explained(Throwable e) {
      if (!ration.explains(e)) {
        throw new AssertionError("not explained: " + e, e);
      }
    }

    /** The next process. */
    private void recover() {
      try (Checkpointer cairn = open(disk)) {
        restart(cairn);
        assertThat(state.number()).as("restored").isBetween(safe, tried);
        assertThat(Arrays.equals(opaque, new byte[] {(byte) state.number()})).isTrue();
        tried = state.number();
        checkpoint(cairn);
      }
    }
  }
}
