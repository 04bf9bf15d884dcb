// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.Checkpoint;
import org.cairn.Checkpointer;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.RestartReport;
import org.cairn.Tiers;
import org.cairn.clock.Clock;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.store.MemoryDirectories;
import org.cairn.tier.FileNames;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(300)
@Tag("slow")
class LossTest {
  private Tiers tiers = Tiers.none().partner(1);
  private Options options = Options.defaults().threads(1);
  private final MemoryDirectories directories = new MemoryDirectories();

  /** Runs to {@code steps}, with a checkpoint at each; returns the sum of all ranks' state. */
  private RestartReport run(int ranks, long steps) {
    List<RestartReport> reports = Collections.synchronizedList(new ArrayList<>());
    Ranks.run(
        ranks,
        rank -> "node" + rank,
        comm -> {
          RestartReport report = program(comm, steps);
          if (comm.rank() == 0) {
            reports.add(report);
          }
        });
    return reports.getFirst();
  }

  private RestartReport program(Communicator comm, long steps) {
    try (Checkpointer cairn = Checkpointer.open(directories, comm, options.tiers(tiers))) {
      double[] u = new double[100_000 + 1000 * comm.rank()];
      LongCell step = cairn.protect("step", 0L);
      cairn.protect("u", u);
      RestartReport report = cairn.restart();
      for (int i = 0; i < u.length; i++) {
        assertThat(u[i]).isEqualTo(value(i, comm.rank(), step.get()));
      }
      while (step.get() < steps) {
        step.increment();
        for (int i = 0; i < u.length; i++) {
          u[i] = value(i, comm.rank(), step.get());
        }
        Checkpoint taken = cairn.checkpoint();
        taken.tiers().forEach(taken::await);
      }
      return report;
    }
  }

  private static double value(int i, int rank, long step) {
    long changes = i % 10 == 0 ? step : Math.min(step, 1);
    return changes == 0 ? 0 : i + 1000.0 * rank + changes;
  }

  @Test
  void aLostDirectoryComesBackFromItsPartner() {
    assertThat(run(4, 3).version()).isEmpty();
    RestartReport plain = run(4, 5);
    assertThat(plain.version()).isPresent();
    assertThat(plain.origins()).containsOnly("local");
    directories.lose(2);

    RestartReport report = run(4, 7);

    assertThat(report.version().orElseThrow().sequence()).isEqualTo(5);
    assertThat(report.origins()).containsExactly("local", "local", "partner of rank 3", "local");
    assertThat(run(4, 8).origins()).containsOnly("local");
  }

  /** Whatever was found when the job was opened: what counts is there when it is restored. */
  @Test
  void whatIsLostAfterOpeningComesBackFromItsPartner() {
    run(4, 3);
    List<RestartReport> reports = Collections.synchronizedList(new ArrayList<>());
    Ranks.run(
        4,
        rank -> "node" + rank,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(directories, comm, options.tiers(tiers))) {
            double[] u = new double[100_000 + 1000 * comm.rank()];
            LongCell step = cairn.protect("step", 0L);
            cairn.protect("u", u);
            if (comm.rank() == 2) {
              directories.open(FileNames.directory(2)).delete(FileNames.local(2));
            }
            comm.barrier();
            reports.add(cairn.restart());
            assertThat(step.get()).isEqualTo(3);
            assertThat(u[10]).isEqualTo(value(10, comm.rank(), 3));
          }
        });
    assertThat(reports.getFirst().origins())
        .containsExactly("local", "local", "partner of rank 3", "local");
  }

  @ParameterizedTest
  @CsvSource({"0,1", "0,2", "0,3", "1,2", "1,3", "2,3"})
  void twoLostDirectoriesComeBackFromParity(int one, int other) {
    tiers = Tiers.none().erasure(1);
    assertThat(run(4, 3).version()).isEmpty();
    directories.lose(one);
    directories.lose(other);

    RestartReport report = run(4, 5);

    assertThat(report.version().orElseThrow().sequence()).isEqualTo(3);
    assertThat(report.origins().get(one)).isEqualTo("erasure");
    assertThat(report.origins().get(other)).isEqualTo("erasure");
    assertThat(run(4, 6).origins()).containsOnly("local");
  }

  @Test
  void aRestartRestoresRedundancy() {
    tiers = Tiers.none().partner(1).erasure(1);
    assertThat(run(4, 3).version()).isEmpty();
    for (int rank = 0; rank < 4; rank++) {
      directories.lose(rank);
      directories.lose((rank + 2) % 4);
      RestartReport report = run(4, 0);
      assertThat(report.version().orElseThrow().sequence()).isEqualTo(3);
      assertThat(report.origins().get(rank)).startsWith("partner");
    }
  }

  @Test
  void theLossOfTheWholeMachineLeavesTheSharedDirectory() {
    MemoryStore shared = new MemoryStore();
    tiers = Tiers.none().shared(shared, 2).sharedGroup(3);
    options = options.flushOnClose(Duration.ZERO);
    assertThat(run(4, 8).version()).isEmpty();
    for (int rank = 0; rank < 4; rank++) {
      directories.lose(rank);
    }

    RestartReport report = run(4, 9);

    assertThat(report.version().orElseThrow().sequence()).isEqualTo(7);
    assertThat(report.origins()).containsOnly("shared");
    assertThat(run(4, 10).origins()).containsOnly("local");
  }

  @Test
  void whoeverClosesWellLosesNothingWithTheMachine() {
    MemoryStore shared = new MemoryStore();
    tiers = Tiers.none().partner(1).shared(shared, 10).sharedGroup(3);
    assertThat(run(4, 8).version()).isEmpty();
    for (int rank = 0; rank < 4; rank++) {
      directories.lose(rank);
    }

    RestartReport report = run(4, 9);

    assertThat(report.version().orElseThrow().sequence()).isEqualTo(8);
    assertThat(report.origins()).containsOnly("shared");
  }

  @Test
  void damagedParityIsDoneWithoutAndMadeAgain() throws IOException {
    tiers = Tiers.none().erasure(1);
    run(4, 3);
    directories.lose(0);
    damage("rank1", FileNames.parity(1));

    RestartReport report = run(4, 3);

    assertThat(report.version().orElseThrow().sequence()).isEqualTo(3);
    assertThat(report.origins().getFirst()).isEqualTo("erasure");
    // Whatever was damaged is whole again: any two may be lost.
    directories.lose(2);
    directories.lose(3);
    assertThat(run(4, 3).version().orElseThrow().sequence()).isEqualTo(3);
  }

  /** Destroys all blocks of a file, but not what says where they lie. */
  private void damage(String directory, String name) throws IOException {
    try (StoreFile file = directories.open(directory).open(name, Store.Access.WRITE)) {
      file.write(16 << 10, MemorySegment.ofArray(new byte[64 << 10]));
    }
  }

  @Test
  void flushesAreDifferentialAndOldSegmentsGo() throws IOException {
    MemoryStore shared = new MemoryStore();
    MutableClock clock = new MutableClock();
    tiers = Tiers.none().shared(shared, 1).sharedGroup(2).sharedRetain(2);
    options = options.clock(clock);
    run(4, 1);
    long first = bytes(shared);
    run(4, 2);
    // All blocks have changed; the lineage has grown by a run.
    assertThat(bytes(shared) - first).isLessThan(first + (4 << 10));
    for (int step = 3; step < 30; step++) {
      clock.advance(Duration.ofMinutes(11));
      run(4, step);
    }
    // Two versions, what they refer to in older segments, and what is not old enough to go.
    assertThat(bytes(shared)).isLessThan(4 * first);
    for (int rank = 0; rank < 4; rank++) {
      directories.lose(rank);
    }
    assertThat(run(4, 29).version().orElseThrow().sequence()).isEqualTo(29);
  }

  @Test
  void aVersionIsFoundWithoutItsManifest() throws IOException {
    MemoryStore shared = new MemoryStore();
    tiers = Tiers.none().shared(shared, 1).sharedGroup(2).visibility(Duration.ofSeconds(2));
    run(4, 2);
    for (String name : shared.list()) {
      if (name.startsWith("manifest")) {
        shared.delete(name);
      }
    }
    for (int rank = 0; rank < 4; rank++) {
      directories.lose(rank);
    }
    assertThat(run(4, 2).origins()).containsOnly("shared");
  }

  private static long bytes(MemoryStore store) throws IOException {
    long sum = 0;
    for (String name : store.list()) {
      try (StoreFile file = store.open(name, Store.Access.READ)) {
        sum += file.size();
      }
    }
    return sum;
  }

  /** Stands still unless told. */
  private static final class MutableClock implements Clock {
    private final AtomicLong nanos = new AtomicLong();

    void advance(Duration time) {
      nanos.addAndGet(time.toNanos());
    }

    @Override
    public long nanos() {
      return nanos.get();
    }

    @Override
    public Instant now() {
      return Instant.EPOCH.plusNanos(nanos.get());
    }
  }
}
