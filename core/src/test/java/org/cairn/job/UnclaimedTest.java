// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.cairn.Checkpoint;
import org.cairn.CheckpointFailedException;
import org.cairn.Checkpointer;
import org.cairn.LongCell;
import org.cairn.RestartRequest;
import org.cairn.TierKind;
import org.cairn.comm.Communicator;
import org.cairn.comm.Ranks;
import org.cairn.comm.Reduction;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.CrashingStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Misuse and failures that concern one rank of many: what is refused is refused on all alike, and
 * calls of different ranks stay in step.
 */
@Timeout(120)
class UnclaimedTest {
  private static final int RANKS = 2;

  private final Host host = new Host("host", 1);
  private final SmallJob job = new SmallJob(RANKS, host);

  private CrashingStore store(int rank) {
    return host.create("rank" + rank);
  }

  private interface Program {
    void run(Communicator comm, Checkpointer cairn) throws Exception;
  }

  private void run(Program program) {
    Ranks.run(
        RANKS,
        rank -> "node" + rank,
        comm -> {
          try (Checkpointer cairn = Checkpointer.open(host, comm, SmallJob.OPTIONS)) {
            program.run(comm, cairn);
          }
        });
  }

  // ---------------------------------------------------------------- nothing protects it

  /** Rank 1 has one dataset more than rank 0. */
  private void saveMoreOnRankOne() {
    run(
        (comm, cairn) -> {
          cairn.protect("step", 5L);
          if (comm.rank() == 1) {
            cairn.protect("extra", 11L);
          }
          cairn.checkpoint().await(TierKind.PARTNER);
        });
  }

  @Test
  void noRankTakesACheckpointThatOneOfThemMustNotTake() throws IOException {
    saveMoreOnRankOne();
    host.killed();
    host.forget("rank1"); // its container is rebuilt from the partner
    run(
        (comm, cairn) -> {
          cairn.protect("step", 0L);
          cairn.restart();
          for (int i = 0; i < 2; i++) {
            assertThatThrownBy(cairn::checkpoint)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("rank 1: ", "[extra]", "protect()", "dropping");
            assertThatThrownBy(cairn::begin).isInstanceOf(IllegalStateException.class);
          }
          assertThat(cairn.versions()).hasSize(1);
          if (comm.rank() == 1) {
            assertThat(cairn.protect("extra", 0L).get()).isEqualTo(11);
          }
          cairn.checkpoint().await(TierKind.PARTNER);
        });
  }

  @Test
  void allRanksSayWhatIsGivenUpOnAny() {
    saveMoreOnRankOne();
    run(
        (comm, cairn) -> {
          cairn.protect("step", 0L);
          cairn.restart(RestartRequest.newest().dropping("extra"));
          cairn.checkpoint();
        });
  }

  @Test
  void whatOneRankProtectsNoneGivesUp() {
    saveMoreOnRankOne();
    run(
        (comm, cairn) -> {
          cairn.protect("step", 0L);
          if (comm.rank() == 1) {
            cairn.protect("extra", 0L);
          }
          assertThatThrownBy(() -> cairn.restart(RestartRequest.newest().dropping("extra")))
              .hasMessageContaining("dataset \"extra\" is to be dropped, but it is protected");
          cairn.restart();
          cairn.checkpoint();
        });
  }

  /**
   * Each rank protects some of its datasets before the restart, claims or gives up others after it,
   * in any order, with checkpoints between: they are taken by all or by none, and what was
   * protected has the content that was saved, whenever that was.
   */
  @SeededTest(seeds = 12)
  void protectingLateIsAsGoodAsBefore(long seed) {
    int most = 6;
    run(
        (comm, cairn) -> {
          for (int i = 0; i < datasetsOf(comm, seed, most); i++) {
            cairn.protect("d" + i, valueOf(comm, i));
          }
          cairn.checkpoint();
        });
    run(
        (comm, cairn) -> {
          Random random = new Random(seed + comm.rank());
          List<Integer> left = new ArrayList<>();
          List<LongCell> cells = new ArrayList<>();
          List<Integer> kept = new ArrayList<>();
          for (int i = 0; i < datasetsOf(comm, seed, most); i++) {
            if (random.nextBoolean()) {
              cells.add(cairn.protect("d" + i, -1L));
              kept.add(i);
            } else {
              left.add(i);
            }
          }
          cairn.restart();
          int rounds = 0;
          while (comm.allReduce((long) left.size(), Reduction.MAX) > 0) {
            assertThatThrownBy(rounds++ % 2 == 0 ? cairn::checkpoint : cairn::checkpointAsync)
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has datasets that nothing protects");
            for (int n = random.nextInt(3); n > 0 && !left.isEmpty(); n--) {
              int one = left.remove(random.nextInt(left.size()));
              if (random.nextInt(3) == 0) {
                cairn.unprotect("d" + one);
              } else {
                cells.add(cairn.protect("d" + one, -1L));
                kept.add(one);
              }
            }
          }
          cairn.checkpoint();
          for (int i = 0; i < kept.size(); i++) {
            assertThat(cells.get(i).get()).isEqualTo(valueOf(comm, kept.get(i)));
          }
          assertThat(cairn.versions().getFirst().protectedBytes()).isEqualTo(8L * kept.size());
        });
  }

  private static int datasetsOf(Communicator comm, long seed, int most) {
    return new Random(31 * seed + comm.rank()).nextInt(most + 1);
  }

  private static long valueOf(Communicator comm, int dataset) {
    return 100L * comm.rank() + dataset + 1;
  }

  // ---------------------------------------------------------------- failures in the background

  private void failInBackground(SmallJob.Rank rank) throws IOException {
    rank.advance();
    if (rank.number() == 1) {
      store(1).fillDiskAfter(0);
    }
    rank.comm().barrier();
  }

  private void makeRoom(SmallJob.Rank rank) {
    store(1).emptyDisk();
    rank.comm().barrier();
  }

  @Test
  void whoWasToldByHandlesIsNotToldAgain() {
    job.run(
        rank -> {
          failInBackground(rank);
          Checkpoint failing = rank.cairn().checkpointAsync();
          assertThatThrownBy(failing::await)
              .isInstanceOf(CheckpointFailedException.class)
              .hasMessageContaining("rank 1");
          makeRoom(rank);
          rank.cairn().checkpoint();
        });
    assertThat(job.failures).containsOnlyNulls();
    assertThat(job.restoredStep()).isEqualTo(1);
  }

  @Test
  void whoWasNotIsToldOnceByTheNextCall() {
    job.run(
        rank -> {
          failInBackground(rank);
          Checkpoint failing = rank.cairn().checkpointAsync();
          assertThatThrownBy(rank.cairn()::checkpoint)
              .isInstanceOf(CheckpointFailedException.class)
              .hasMessageContainingAll(
                  "checkpoint " + failing.version(), "checkpoint() did nothing but tell this");
          makeRoom(rank);
          rank.cairn().checkpoint();
        });
    assertThat(job.failures).containsOnlyNulls();
    assertThat(job.restoredStep()).isEqualTo(1);
  }

  @Test
  void ranksOfWhichSomeWereToldStayInStep() {
    job.run(
        rank -> {
          failInBackground(rank);
          Checkpoint failing = rank.cairn().checkpointAsync();
          boolean told = rank.number() == 0;
          if (told) {
            assertThatThrownBy(failing::await).isInstanceOf(CheckpointFailedException.class);
          }
          assertThatThrownBy(rank.cairn()::checkpoint)
              .isInstanceOf(CheckpointFailedException.class)
              .hasMessageStartingWith(
                  told ? "not all ranks had been told that checkpoint " : "checkpoint ")
              .hasMessageContaining("did nothing but tell this, call it again");
          makeRoom(rank);
          rank.cairn().checkpoint();
        });
    assertThat(job.failures).containsOnlyNulls();
    assertThat(job.restoredStep()).isEqualTo(1);
  }

  // ---------------------------------------------------------------- closing elsewhere

  @Test
  void aTransportThatServesOneThreadIsClosedByThatThread() {
    job.comm = SingleThreaded::new;
    job.run(
        rank -> {
          rank.advance();
          rank.cairn().checkpoint();
          assertThatThrownBy(CompletableFuture.runAsync(rank.cairn()::close)::get)
              .hasCauseInstanceOf(IllegalStateException.class)
              .hasMessageContaining("the transport serves only thread");
          rank.advance();
          rank.cairn().checkpoint();
        });
    assertThat(job.failures).containsOnlyNulls();
    assertThat(job.restoredStep()).isEqualTo(2);
  }

  @Test
  void anotherThreadMayCloseARankOfMany() {
    job.run(
        rank -> {
          rank.advance();
          rank.cairn().checkpointAsync();
          CompletableFuture.runAsync(rank.cairn()::close).get();
          assertThatThrownBy(rank.cairn()::checkpoint).hasMessageContaining("closed");
        });
    assertThat(job.failures).containsOnlyNulls();
    assertThat(job.restoredStep()).isEqualTo(1);
  }
}
