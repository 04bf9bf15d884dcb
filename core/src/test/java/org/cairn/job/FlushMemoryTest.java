// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.Checkpoint;
import org.cairn.Checkpointer;
import org.cairn.Compression;
import org.cairn.Options;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Ranks;
import org.cairn.store.MemoryStore;
import org.cairn.supply.Supply;
import org.cairn.testkit.random.OnlyThorough;
import org.cairn.testkit.store.MemoryDirectories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What a compressed flush takes beside the program is bounded, whatever it flushes. That lines of
 * encoders keep to their budget is tested on every day.
 */
@OnlyThorough
class FlushMemoryTest {
  private static final int RANKS = 2;
  private static final long BUDGET = 64L << 20;
  private static final long MEBIBYTE = 1L << 20;

  /** How much native memory there is at a time. What confined arenas give back it does not see. */
  private static final class Meter implements Supply.Control {
    private final AtomicLong now = new AtomicLong();
    private final AtomicLong most = new AtomicLong();

    @Override
    public void requested(Supply.Kind kind, long amount) {
      if (kind == Supply.Kind.NATIVE_MEMORY) {
        most.accumulateAndGet(now.addAndGet(amount), Math::max);
      }
    }

    @Override
    public Arena sharedArena() {
      return new Metered(Arena.ofShared(), new AtomicLong(), now);
    }
  }

  private record Metered(Arena arena, AtomicLong own, AtomicLong all) implements Arena {
    @Override
    public MemorySegment allocate(long bytes, long alignment) {
      own.addAndGet(bytes);
      return arena.allocate(bytes, alignment);
    }

    @Override
    public MemorySegment.Scope scope() {
      return arena.scope();
    }

    @Override
    public void close() {
      arena.close();
      all.addAndGet(-own.get());
    }
  }

  @AfterEach
  void unmetered() {
    Supply.uncontrolled();
  }

  /** The most that a job took for two checkpoints, all of whose blocks differ. */
  private static long most(int variables, int length, Tiers tiers) throws IOException {
    Meter meter = new Meter();
    Supply.controlledBy(meter);
    boolean flushes = !tiers.equals(Tiers.none());
    MemoryDirectories directories = new MemoryDirectories();
    Options options = Options.defaults().threads(2).tiers(tiers);
    Ranks.run(
        RANKS,
        rank -> "node" + rank,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(directories, comm, options)) {
            long[][] state = new long[variables][length];
            for (int i = 0; i < variables; i++) {
              cairn.protect("v" + i, state[i]);
            }
            for (int time = 1; time <= 2; time++) {
              long seed = 0x9E3779B97F4A7C15L * (2L * time + 8L * comm.rank() + 1);
              for (int i = 0; i < variables; i++) {
                long own = seed + i;
                Arrays.setAll(state[i], at -> own * (at + 1L) * (at ^ 12345));
              }
              Checkpoint taken = cairn.checkpoint();
              if (flushes) {
                taken.await(TierKind.SHARED);
              }
            }
          }
        });
    Supply.uncontrolled();
    return meter.most.get();
  }

  private static Tiers compressed() {
    return Tiers.none()
        .shared(new MemoryStore(), 1)
        .sharedGroup(RANKS)
        .compression(Compression.fast());
  }

  /** The state of all ranks together is larger than what they may take together. */
  private static void assertWithinBudget(int variables, int length) throws IOException {
    assertThat((long) RANKS * variables * length * Long.BYTES).isGreaterThan(RANKS * BUDGET);
    long without = most(variables, length, Tiers.none());
    long with = most(variables, length, compressed());
    assertThat((with - without) / MEBIBYTE)
        .as("MiB taken by the flushes of %d ranks with %d x %d", RANKS, variables, length)
        .isPositive()
        .isLessThanOrEqualTo(RANKS * BUDGET / MEBIBYTE);
  }

  @Test
  void ofAVariableThatIsLargerThanTheBudget() throws IOException {
    assertWithinBudget(1, 10 << 20);
  }

  @Test
  void ofVariablesOfHalfAFrame() throws IOException {
    assertWithinBudget(40, 300 << 10);
  }

  @Test
  void ofManySmallVariables() throws IOException {
    assertWithinBudget(4000, 2500);
  }
}
