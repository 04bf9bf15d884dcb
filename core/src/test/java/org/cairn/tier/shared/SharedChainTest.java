// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.cairn.Checkpointer;
import org.cairn.LongCell;
import org.cairn.Options;
import org.cairn.RestartRequest;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.store.CountingStore;
import org.cairn.testkit.store.ForwardingStore;
import org.cairn.testkit.store.MemoryDirectories;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.Test;

/**
 * Programs of two ranks that flush to a shared directory, and what happens between two flushes: the
 * state comes back from the directory alone, and flushes cost what changed all the same.
 */
class SharedChainTest {
  private static final int RANKS = 2;
  private static final int BLOCK = 256;
  private static final int LONGS = 128 * 1024;

  /** What a map of this state takes. */
  private static final long MAP = 16L * LONGS * Long.BYTES / BLOCK;

  private final MemoryStore shared = new MemoryStore();
  private final MemoryDirectories directories = new MemoryDirectories();
  private final List<CountingStore> locals = new ArrayList<>();
  private final AtomicBoolean broken = new AtomicBoolean();
  private Tiers tiers =
      Tiers.none()
          .shared(shared, 1)
          .sharedGroup(2)
          .sharedRetain(3)
          .leaseRest(Duration.ofMillis(600))
          .visibility(Duration.ofMillis(100));

  SharedChainTest() {
    for (int rank = 0; rank < RANKS; rank++) {
      locals.add(new CountingStore(new BreakingStore(new MemoryStore(), rank == 1)));
      directories.put("rank" + rank, locals.get(rank));
    }
  }

  /** Writes fail while it is broken. */
  private final class BreakingStore extends ForwardingStore {
    private final boolean breaks;

    BreakingStore(Store store, boolean breaks) {
      super(store);
      this.breaks = breaks;
    }

    @Override
    public StoreFile open(String name, Access access) throws IOException {
      return new ForwardingFile(super.open(name, access)) {
        @Override
        public void write(long position, MemorySegment source) throws IOException {
          if (breaks && broken.get()) {
            throw new IOException("no space left on device");
          }
          super.write(position, source);
        }
      };
    }
  }

  /** A rank whose state follows from its number and its step. */
  private record Program(
      Communicator comm, int rank, Checkpointer cairn, LongCell step, long[] state) {
    void goTo(long next) {
      for (long s = step.get() + 1; s <= next; s++) {
        change(state, s);
      }
      step.set(next);
    }

    /** Some blocks change in every step. */
    private void change(long[] values, long s) {
      for (int i = 0; i < 3; i++) {
        int at = (int) ((s * 7919 + i * 104_729 + rank * 31) % (LONGS / 4));
        values[at] = s == 9 && i == 0 ? 0 : s * 1_000_003 + i;
      }
    }

    void check() {
      long[] expected = beginning();
      for (long s = 1; s <= step.get(); s++) {
        change(expected, s);
      }
      assertThat(state).as("rank %d at step %d", rank, step.get()).isEqualTo(expected);
    }

    static long[] beginning() {
      long[] state = new long[LONGS];
      for (int i = 0; i < LONGS * 3 / 4; i++) { // and zeros behind it
        state[i] = i + 1;
      }
      return state;
    }
  }

  private interface Deed {
    void run(Program program) throws Exception;
  }

  private void run(MemoryDirectories where, RestartRequest request, Deed deed) {
    Options options =
        Options.defaults()
            .blockSize(BLOCK)
            .threads(1)
            .retain(4)
            .buffer(2 << 20)
            .staging(4 << 20)
            .flushOnClose(Duration.ZERO)
            .tiers(tiers);
    Ranks.run(
        RANKS,
        rank -> "node" + rank,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(where, comm, options)) {
            long[] state = Program.beginning();
            LongCell step = cairn.protect("step", 0L);
            cairn.protect("state", state);
            cairn.restart(request);
            Program program = new Program(comm, comm.rank(), cairn, step, state);
            program.check();
            deed.run(program);
            comm.barrier();
          }
        });
  }

  private void run(Deed deed) {
    run(directories, RestartRequest.newest(), deed);
  }

  private static VersionId flush(Program program, long step) throws Exception {
    program.goTo(step);
    return program.cairn.checkpoint().await(TierKind.SHARED).version();
  }

  /** Without any local file. */
  private void restore(long step) {
    run(
        new MemoryDirectories(),
        RestartRequest.newest(),
        program -> assertThat(program.step.get()).isEqualTo(step));
  }

  private long localReads() {
    return locals.stream().mapToLong(store -> store.bytes().read()).sum();
  }

  private int numberOfNewest() throws IOException {
    Manifest newest = new SharedDirectory(shared).list().versions().getFirst();
    try (SegmentReader segment = SegmentReader.open(shared, newest.groupOf(0).segment())) {
      return segment.member(0).number();
    }
  }

  /** Takes a flush that must not read a map. */
  private void flushCheaply(Program program, long step) throws Exception {
    program.comm.barrier(); // nothing is under way
    long before = localReads();
    program.comm.barrier();
    flush(program, step);
    assertThat(localReads() - before).as("bytes read for step %d", step).isLessThan(MAP / 2);
  }

  @Test
  void flushesOneAfterTheOther() throws IOException {
    run(
        program -> {
          flush(program, 1);
          for (int step = 2; step <= 8; step++) {
            flushCheaply(program, step);
          }
        });
    assertThat(numberOfNewest()).isEqualTo(8);
    restore(8);
  }

  /** A version that all ranks took and that no tier was told of. */
  @Test
  void skippedVersionsAreInTheNextFlush() throws IOException {
    tiers = tiers.shared(shared, 3);
    run(
        program -> {
          for (int step = 1; step <= 12; step++) {
            program.goTo(step);
            program.cairn.checkpoint().await();
          }
          program.cairn.flush(TierKind.SHARED);
        });
    assertThat(numberOfNewest()).isPositive();
    restore(12);
  }

  /** Rank 0 has the version in its container, and rank 1 does not: no tier is told of it. */
  @Test
  void aVersionThatFailedOnOneRankIsInTheNextFlush() throws IOException {
    run(
        program -> {
          flush(program, 1);
          flush(program, 2);
          program.goTo(3);
          broken.set(true);
          assertThatThrownBy(() -> program.cairn.checkpoint().await())
              .isInstanceOf(Exception.class);
          program.comm.barrier();
          broken.set(false);
          flush(program, 4);
          flushCheaply(program, 5);
        });
    assertThat(numberOfNewest()).isPositive();
    restore(5);
  }

  @Test
  void aRestartToAnOlderVersionGoesOnFromThere() throws IOException {
    List<VersionId> taken = new ArrayList<>();
    run(
        program -> {
          for (int step = 1; step <= 5; step++) {
            VersionId version = flush(program, step);
            if (program.rank == 0) {
              taken.add(version);
            }
          }
        });
    assertThat(numberOfNewest()).isEqualTo(5);
    run(
        directories,
        RestartRequest.newest().version(taken.get(2)),
        program -> {
          assertThat(program.step.get()).isEqualTo(3);
          flush(program, 9);
          flushCheaply(program, 10);
        });
    restore(10);
  }

  /** What was remembered is gone; the index is read once, and the chain goes on. */
  @Test
  void aChainGoesOnAfterARestart() throws IOException {
    run(
        program -> {
          flush(program, 1);
          flush(program, 2);
        });
    int before = numberOfNewest();
    run(
        program -> {
          flush(program, 3);
          flushCheaply(program, 4);
        });
    assertThat(numberOfNewest()).isGreaterThan(before);
    restore(4);
  }

  /** Files of versions that are gone stay as long as somebody needs them, and no longer. */
  @Test
  void theCollectorKeepsLinksAndNothingElse() throws IOException {
    run(
        program -> {
          for (int step = 1; step <= 70; step++) {
            flush(program, step);
          }
        });
    List<Manifest> kept = new SharedDirectory(shared).list().versions();
    assertThat(kept).hasSize(3);
    TreeSet<String> needed = new TreeSet<>();
    for (Manifest manifest : kept) {
      manifest.references().forEach(reference -> needed.add(reference.segment()));
      for (int rank = 0; rank < RANKS; rank++) {
        try (OpenSegments segments = new OpenSegments(shared, manifest.references())) {
          String own = manifest.groupOf(rank).segment();
          Chain chain = MemberChain.read(segments, own, rank, manifest.rootOf(rank)).chain();
          assertThat(chain.steps()).hasSizeLessThanOrEqualTo(4);
        }
      }
    }
    assertThat(shared.list().stream().filter(name -> SharedNames.segment(name).isPresent()))
        .containsExactlyInAnyOrderElementsOf(needed);
    assertThat(numberOfNewest()).as("a whole index after 64 flushes").isEqualTo(6);
    restore(70);
  }
}
