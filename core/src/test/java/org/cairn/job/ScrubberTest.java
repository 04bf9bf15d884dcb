// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.Codec;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.Scrubbing;
import org.cairn.clock.Clock;
import org.cairn.container.Commit;
import org.cairn.container.Container;
import org.cairn.container.DatasetPlan;
import org.cairn.container.Mended;
import org.cairn.container.StagedBlocks;
import org.cairn.hash.Hashers;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.schedule.Simulation;
import org.cairn.testkit.store.CountingStore;
import org.cairn.testkit.store.RecordingStore;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.DatasetSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How much is verified, and when, follows from the clock and the number of checkpoints alone. */
@Timeout(120)
class ScrubberTest {
  private static final int MIB = 1 << 20;
  private static final int STATE = 20 * MIB;

  private final MemoryStore store = new MemoryStore();
  private final TickingClock clock = new TickingClock();
  private final Told told = new Told();

  /** Each look at it takes a millisecond; pauses are counted, and pass at once. */
  private static final class TickingClock implements Clock {
    final AtomicLong nanos = new AtomicLong();
    final AtomicLong paused = new AtomicLong();
    final Semaphore steps = new Semaphore(0);

    @Override
    public Instant now() {
      return Instant.EPOCH.plusNanos(nanos.get());
    }

    @Override
    public long nanos() {
      return nanos.addAndGet(1_000_000);
    }

    @Override
    public void pause(Duration time) {
      paused.addAndGet(time.toNanos());
      steps.release();
    }
  }

  private static final class Told implements ScrubListener {
    final Semaphore begun = new Semaphore(0);
    final Semaphore ended = new Semaphore(0);
    final List<Round> rounds = new ArrayList<>();

    @Override
    public void began(List<String> files) {
      begun.release();
    }

    @Override
    public void found(String file, List<String> bad) {
      throw new AssertionError(bad.toString());
    }

    @Override
    public void mended(String file, Mended mended) {
      throw new AssertionError(mended.toString());
    }

    @Override
    public synchronized void ended(Round round) {
      rounds.add(round);
      ended.release();
    }
  }

  private Container container() throws IOException {
    return containerIn(store);
  }

  private static Container containerIn(Store store) throws IOException {
    Container container = TestRun.open(store, "a.cairn", 2);
    DatasetSpec spec =
        new DatasetSpec(
            "u",
            ElementType.BYTE,
            List.of((long) STATE),
            STATE,
            MIB / 4,
            HashAlgorithm.XXH3_128,
            Codec.NONE);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE, 64);
      byte[] random = new byte[STATE];
      new Random(1).nextBytes(random);
      state.copyFrom(MemorySegment.ofArray(random));
      Commit commit = container.begin(Instant.EPOCH);
      DatasetPlan plan = commit.plan(spec);
      StagedBlocks staged = new StagedBlocks(arena.allocate(STATE, 64));
      long[] digest = new long[2];
      for (int block = 0; block < plan.entry().blocks(); block++) {
        Hashers.of(spec.algorithm()).hash(state, block * (MIB / 4L), MIB / 4, MIB / 4, digest, 0);
        MemorySegment.copy(state, block * (MIB / 4L), staged.memory(), staged.used(), MIB / 4);
        staged.addRaw(plan.entry().slotOf(block), MIB / 4, digest[0], digest[1]);
      }
      commit.store(staged, 0);
      commit.publish();
    }
    return container;
  }

  private Scrubber scrubber(Scrubbing how, Container container) {
    return new Scrubber(
        how, clock, store, () -> List.of(new Scrubber.Target(container, () -> {})), told);
  }

  /** After each checkpoint it comes to the end of what was due: no sooner does time pass here. */
  @SeededTest(seeds = 3)
  void aRoundTakesAsManyCheckpointsAsWasSaid(long seed) throws Exception {
    Simulation simulation = new Simulation(seed);
    simulation.run(() -> scrubInTen(simulation.clock()));
  }

  private void scrubInTen(Clock idle) throws Exception {
    CountingStore counting = new CountingStore(store);
    try (Container container = containerIn(counting);
        Scrubber scrubber =
            new Scrubber(
                Scrubbing.everyCheckpoints(10),
                idle,
                counting,
                () -> List.of(new Scrubber.Target(container, () -> {})),
                told)) {
      counting.reset();
      for (int i = 1; i <= 9; i++) {
        scrubber.checkpointTaken(container);
        idle.pause(Duration.ofHours(1));
        assertThat(counting.bytesRead())
            .as("read after %d checkpoints: a tenth each, and at most a piece more", i)
            .isBetween(i * STATE / 10L, i * (container.liveBytes() / 10 + 1) + 2L * MIB);
        assertThat(told.rounds).isEmpty();
      }
      assertThat(told.begun.availablePermits()).isEqualTo(1);
      scrubber.checkpointTaken(container);
      idle.pause(Duration.ofHours(1));
      scrubber.checkpointTaken(container);
      idle.pause(Duration.ofHours(1));
      assertThat(told.rounds.getFirst().bytes()).isBetween((long) STATE, STATE + 2L * MIB);
    }
  }

  @Test
  void whatIsDueFollowsFromTheTimeThatPassed() throws Exception {
    try (Container container = container();
        Scrubber scrubber = scrubber(Scrubbing.every(Duration.ofHours(10)), container)) {
      clock.nanos.addAndGet(Duration.ofMinutes(10).toNanos());
      scrubber.checkpointTaken(container);
      assertThat(threads()).as("a sixtieth of 20 MiB is not worth waking up for").isZero();
      clock.nanos.addAndGet(Duration.ofMinutes(50).toNanos());
      scrubber.checkpointTaken(container);
      told.begun.acquire();
      assertThat(told.rounds).isEmpty();
      clock.nanos.addAndGet(Duration.ofHours(20).toNanos());
      scrubber.checkpointTaken(container);
      told.ended.acquire();
      assertThat(told.rounds).as("not two rounds because two were missed").hasSize(1);
    }
  }

  @Test
  void itRestsFortyNineTimesAsLongAsItWorks() throws Exception {
    try (Container container = container();
        Scrubber scrubber = scrubber(Scrubbing.everyCheckpoints(1), container)) {
      scrubber.checkpointTaken(container);
      told.ended.acquire();
      int steps = clock.steps.availablePermits();
      // Every step looks at the clock twice, a millisecond apart.
      assertThat(steps).isGreaterThanOrEqualTo(20);
      assertThat(clock.paused.get() / steps).isBetween(49_000_000L - 1, 98_000_000L);
    }
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("cairn-scrub"))
        .count();
  }

  @Test
  void aContainerThatIsClosedEndsItsTurnAndNothingIsWritten() throws Exception {
    RecordingStore watched = new RecordingStore(store);
    Container container = container();
    try (Scrubber scrubber =
        new Scrubber(
            Scrubbing.everyCheckpoints(1),
            clock,
            watched,
            () -> List.of(new Scrubber.Target(container, () -> {})),
            told)) {
      container.close();
      scrubber.checkpointTaken(container);
      told.ended.acquire();
      assertThat(told.rounds.getFirst().bad()).isZero();
      assertThat(watched.operations()).isEmpty();
    }
    assertThat(threads()).isZero();
  }
}
