// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.cairn.Checkpoint;
import org.cairn.Checkpointer;
import org.cairn.Compression;
import org.cairn.Options;
import org.cairn.RestartReport;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.store.CountingStore;
import org.cairn.testkit.store.ForwardingStore;
import org.cairn.testkit.store.MemoryDirectories;
import org.cairn.tier.shared.SegmentSource;
import org.cairn.tier.shared.SharedCheck;
import org.cairn.tier.shared.SharedDirectory;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Jobs with compressed segments lose all but the shared directory, again and again, and come back
 * as they were: ranks with different variables, large and small, some of them the same everywhere;
 * with another compression, another group, or none, from life to life.
 */
class FramedSharedTest {
  private final MemoryStore shared = new MemoryStore();

  /** The variables of one rank. */
  private static final class State {
    final List<double[]> doubles = new ArrayList<>();
    final List<int[]> ints = new ArrayList<>();
    final List<byte[]> bytes = new ArrayList<>();

    static State of(Random random) {
      State state = new State();
      int count = 1 + random.nextInt(4);
      for (int i = 0; i < count; i++) {
        state.doubles.add(new double[random.nextInt(3000)]);
        state.ints.add(new int[random.nextInt(50)]);
        state.bytes.add(new byte[random.nextInt(4000)]);
      }
      state.doubles.add(new double[1500]); // the table that all have
      return state;
    }

    State copy() {
      State copy = new State();
      doubles.forEach(one -> copy.doubles.add(one.clone()));
      ints.forEach(one -> copy.ints.add(one.clone()));
      bytes.forEach(one -> copy.bytes.add(one.clone()));
      return copy;
    }

    void protect(Checkpointer cairn) {
      for (int i = 0; i < doubles.size(); i++) {
        cairn.protect("doubles" + i, doubles.get(i));
      }
      for (int i = 0; i < ints.size(); i++) {
        cairn.protect("ints" + i, ints.get(i));
        cairn.protect("bytes" + i, bytes.get(i));
      }
    }

    void clear() {
      doubles.forEach(one -> Arrays.fill(one, -1));
      ints.forEach(one -> Arrays.fill(one, -1));
      bytes.forEach(one -> Arrays.fill(one, (byte) -1));
    }

    /** Changes a part of it; the table alike on all ranks. */
    void change(Random own, Random common) {
      for (double[] one : doubles.subList(0, doubles.size() - 1)) {
        change(one, own);
      }
      change(doubles.getLast(), common);
      for (int[] one : ints) {
        if (one.length > 0 && own.nextBoolean()) {
          one[own.nextInt(one.length)] = own.nextInt(9);
        }
      }
      for (byte[] one : bytes) {
        if (own.nextInt(3) == 0) {
          own.nextBytes(one);
        }
      }
    }

    private static void change(double[] values, Random random) {
      int from = random.nextInt(values.length + 1);
      int to = Math.min(values.length, from + random.nextInt(1200));
      boolean smooth = random.nextBoolean();
      for (int i = from; i < to; i++) {
        values[i] = smooth ? Math.sin(i * 0.01) : random.nextInt(4) == 0 ? random.nextDouble() : 0;
      }
    }

    void assertSame(State other, String what) {
      for (int i = 0; i < doubles.size(); i++) {
        assertThat(doubles.get(i)).as("%s, doubles%d", what, i).isEqualTo(other.doubles.get(i));
      }
      for (int i = 0; i < ints.size(); i++) {
        assertThat(ints.get(i)).as("%s, ints%d", what, i).isEqualTo(other.ints.get(i));
        assertThat(bytes.get(i)).as("%s, bytes%d", what, i).isEqualTo(other.bytes.get(i));
      }
    }
  }

  private Tiers tiers(Random random) {
    Compression compression =
        List.of(
                Compression.fast(),
                Compression.small(3),
                Compression.auto(),
                Compression.small(),
                Compression.none())
            .get(random.nextInt(5));
    return Tiers.none()
        .shared(shared, 1)
        .sharedGroup(1 + random.nextInt(4))
        .compression(compression)
        .frame(4096 << random.nextInt(5));
  }

  @SeededTest(seeds = 6)
  void theyComeBackFromTheSharedDirectoryAlone(Random random) throws IOException {
    int ranks = 1 + random.nextInt(5);
    State[] states = new State[ranks];
    Arrays.setAll(states, _ -> State.of(random));
    State[] saved = new State[ranks];
    for (int life = 0; life < 4; life++) {
      Tiers tiers = tiers(random);
      int flushes = 1 + random.nextInt(9);
      long change = random.nextLong();
      Options options = Options.defaults().blockSize(512).threads(1).tiers(tiers);
      MemoryDirectories directories = new MemoryDirectories();
      boolean first = life == 0;
      Ranks.run(
          ranks,
          rank -> "node" + rank,
          comm -> {
            State state = states[comm.rank()];
            live(
                comm,
                directories,
                options,
                state,
                first ? null : saved[comm.rank()],
                flushes,
                change);
            saved[comm.rank()] = state.copy();
          });
      verifyAll();
    }
  }

  private static void live(
      Communicator comm,
      MemoryDirectories directories,
      Options options,
      State state,
      State expected,
      int flushes,
      long change)
      throws IOException {
    state.clear();
    try (Checkpointer cairn = Checkpointer.open(directories, comm, options)) {
      state.protect(cairn);
      RestartReport report = cairn.restart();
      if (expected != null) {
        assertThat(report.restored()).isNotEmpty();
        state.assertSame(expected, "rank %d with %s".formatted(comm.rank(), options.tiers()));
      }
      Random common = Seeds.content(change);
      Random own = Seeds.content(change + 1 + comm.rank());
      for (int i = 0; i < flushes; i++) {
        state.change(own, common);
        Checkpoint taken = cairn.checkpoint();
        taken.await(TierKind.SHARED);
      }
    }
  }

  /** Every version that is there is as it was written. */
  private void verifyAll() throws IOException {
    var versions = new SharedDirectory(shared).list().versions();
    assertThat(versions).isNotEmpty();
    for (var manifest : versions) {
      assertThat(SharedCheck.verify(shared, manifest.version(), (_, _, _, _) -> {}).damages())
          .isEmpty();
    }
  }

  /** Small variables of a group lie in common frames, which one of its ranks reads for all. */
  @Test
  void aGroupReadsEachFrameOnce() throws IOException {
    CountingStore counting = new CountingStore(shared);
    Tiers tiers = Tiers.none().shared(counting, 1).sharedGroup(4).compression(Compression.fast());
    Options options = Options.defaults().blockSize(4096).threads(1).tiers(tiers);
    long[] read = new long[2];
    for (int life = 0; life < 2; life++) {
      boolean first = life == 0;
      counting.reset();
      Ranks.run(
          4,
          rank -> "node" + rank,
          comm -> {
            byte[] noise = new byte[1 << 20];
            try (Checkpointer cairn = Checkpointer.open(new MemoryDirectories(), comm, options)) {
              cairn.protect("noise", noise);
              cairn.restart();
              byte[] expected = new byte[noise.length];
              Seeds.content(comm.rank()).nextBytes(expected);
              if (first) {
                System.arraycopy(expected, 0, noise, 0, noise.length);
                cairn.checkpoint().await(TierKind.SHARED);
              } else {
                assertThat(noise).isEqualTo(expected);
              }
            }
          });
      read[life] = counting.bytesRead();
    }
    assertThat(read[1]).isBetween(4L << 20, (4L << 20) + (1 << 20));
  }

  /** A variable of a mebibyte shares no frame with those of other ranks. */
  @Test
  void oneRankOfEightReadsAnEighth() throws IOException {
    int ranks = 8;
    Tiers tiers = Tiers.none().shared(shared, 1).sharedGroup(ranks).compression(Compression.fast());
    Options options = Options.defaults().threads(1).tiers(tiers);
    Ranks.run(
        ranks,
        rank -> "node" + rank,
        comm -> {
          byte[] noise = new byte[1 << 20];
          Seeds.content(comm.rank()).nextBytes(noise);
          try (Checkpointer cairn = Checkpointer.open(new MemoryDirectories(), comm, options)) {
            cairn.protect("noise", noise);
            cairn.restart();
            cairn.checkpoint().await(TierKind.SHARED);
          }
        });
    long stored = 0;
    for (String name : shared.list()) {
      try (StoreFile file = shared.open(name, Store.Access.READ)) {
        stored += file.size();
      }
    }
    var newest = new SharedDirectory(shared).list().versions().getFirst().version();
    CountingStore counting = new CountingStore(shared);
    try (SegmentSource one = SegmentSource.open(counting, newest, 3);
        Workers workers = new Workers(1, "reader")) {
      List<VersionSource.Range> all =
          one.datasets().stream()
              .map(set -> new VersionSource.Range(set, 0, set.spec().byteLength()))
              .toList();
      assertThat(
              SegmentSource.scan(
                  List.of(new SegmentSource.Wanted(one, all, new Ignore())), workers, _ -> {}))
          .isEmpty();
    }
    assertThat(stored).isGreaterThan((long) ranks << 20);
    assertThat(counting.bytesRead()).isBetween(1L << 20, stored / ranks * 11 / 10);
  }

  private static final class Ignore implements VersionSource.Sink {
    @Override
    public void block(DatasetEntry dataset, int block, MemorySegment bytes) {}

    @Override
    public void zeros(DatasetEntry dataset, int first, int count) {}
  }

  /** What a job of four ranks writes to the shared directory in one life with one checkpoint. */
  private long flushed(int group, byte[][] states) throws IOException {
    CountingStore counting = new CountingStore(shared);
    Tiers tiers =
        Tiers.none().shared(counting, 1).sharedGroup(group).compression(Compression.fast());
    Options options = Options.defaults().blockSize(4096).threads(1).tiers(tiers);
    Ranks.run(
        states.length,
        rank -> "node" + rank,
        comm -> {
          byte[] state = new byte[states[comm.rank()].length];
          try (Checkpointer cairn = Checkpointer.open(new MemoryDirectories(), comm, options)) {
            cairn.protect("state", state);
            cairn.restart();
            System.arraycopy(states[comm.rank()], 0, state, 0, state.length);
            cairn.checkpoint().await(TierKind.SHARED);
          }
        });
    verifyAll();
    return counting.bytesWritten();
  }

  private static byte[][] noise(int length, boolean alike) {
    byte[][] states = new byte[4][length];
    for (int rank = 0; rank < states.length; rank++) {
      Seeds.content(alike ? 0 : rank).nextBytes(states[rank]);
    }
    return states;
  }

  /** Framed by each rank for itself, or merged. */
  @ParameterizedTest
  @ValueSource(ints = {1 << 18, 3 << 20})
  void whatAllRanksOfAGroupHaveIsStoredOnce(int length) throws IOException {
    assertThat(flushed(4, noise(length, true))).isBetween((long) length, length * 5L / 4);
  }

  @Test
  void anotherGroupSizeGoesOnDifferentially() throws IOException {
    int length = 1 << 20;
    byte[][] states = noise(length, false);
    assertThat(flushed(2, states)).isGreaterThan(4L * length);
    for (int group : new int[] {4, 1, 3}) {
      states[group - 1][4096 * group] ^= 1;
      assertThat(flushed(group, states)).as("groups of %d", group).isLessThan(length / 2);
    }
  }

  /** A directory in which no segment can be begun until somebody lets it. */
  private static final class Held extends ForwardingStore {
    private final CountDownLatch released = new CountDownLatch(1);
    private volatile boolean holds;

    Held(Store store) {
      super(store);
    }

    @Override
    public StoreFile open(String name, Access access) throws IOException {
      try {
        if (holds && name.startsWith("seg-") && access == Access.CREATE_NEW) {
          released.await();
        }
      } catch (InterruptedException e) {
        throw new InterruptedIOException(name);
      }
      return super.open(name, access);
    }
  }

  /** Nothing is taken before the program has gone on twice: were it held, it would be for ever. */
  @Test
  @Timeout(300)
  void theProgramIsNotHeldBeyondItsPatience() throws IOException {
    Held held = new Held(shared);
    Tiers tiers =
        Tiers.none()
            .shared(held, 1)
            .sharedGroup(2)
            .compression(Compression.auto())
            .patience(Duration.ofMillis(10));
    Options options = Options.defaults().blockSize(512).threads(1).tiers(tiers);
    Ranks.run(
        2,
        rank -> "node" + rank,
        comm -> {
          long[] state = new long[5000];
          try (Checkpointer cairn = Checkpointer.open(new MemoryDirectories(), comm, options)) {
            cairn.protect("state", state);
            cairn.restart();
            cairn.checkpoint().await(TierKind.SHARED);
            comm.barrier();
            held.holds = true;
            Arrays.fill(state, 1);
            Checkpoint waiting = cairn.checkpoint();
            Arrays.fill(state, 2);
            assertThat(cairn.checkpoint().tiers()).doesNotContain(TierKind.SHARED);
            comm.barrier();
            held.released.countDown();
            waiting.await(TierKind.SHARED);
            Arrays.fill(state, 3);
            cairn.checkpoint().await(TierKind.SHARED);
          }
        });
    verifyAll();
  }
}
