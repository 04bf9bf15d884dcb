// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.cairn.Checkpoint;
import org.cairn.Checkpointer;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.comm.ForwardingCommunicator;
import org.cairn.comm.RankFailedException;
import org.cairn.comm.RankLostException;
import org.cairn.comm.Ranks;
import org.cairn.container.ContainerReader;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.store.ForwardingStore;
import org.cairn.testkit.store.MemoryDirectories;
import org.cairn.tier.FileNames;
import org.cairn.tier.shared.SharedDirectory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a job leaves behind when it ends: the newest version everywhere, if all ranks end; and no
 * rank waits for ever for one that does not.
 */
@Timeout(60)
@Tag("slow")
class CloseTest {
  private static final Duration ENOUGH = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final String ALONE = "closes, but not all other ranks do; version 1.3 stays";

  private final MemoryDirectories directories = new MemoryDirectories();
  private final MemoryStore shared = new MemoryStore();

  private SmallJob job(int ranks, Duration limit) {
    SmallJob job = new SmallJob(ranks, directories);
    Tiers tiers = Tiers.none().partner(10).shared(shared, 10);
    job.options = rank -> SmallJob.OPTIONS.tiers(tiers).flushOnClose(limit);
    return job;
  }

  /** Of these only the first one goes to the tiers when it is taken. */
  private static void takeThree(SmallJob.Rank rank) {
    for (int i = 0; i < 3; i++) {
      rank.advance();
      Checkpoint taken = rank.cairn().checkpoint();
      taken.tiers().forEach(taken::await);
    }
  }

  private long newestShared() throws IOException {
    return new SharedDirectory(shared)
        .list().versions().stream()
            .mapToLong(manifest -> manifest.version().sequence())
            .max()
            .orElse(0);
  }

  private long newestCopy(int owner, int holder) throws IOException {
    try (ContainerReader reader =
        ContainerReader.open(
            directories.open(FileNames.directory(holder)), FileNames.partner(owner))) {
      return reader.versions().getFirst().id().sequence();
    }
  }

  @Test
  void theNewestVersionIsBroughtToAllTiers() throws IOException {
    SmallJob job = job(3, ENOUGH).run(CloseTest::takeThree);
    assertThat(job.failures).containsOnlyNulls();
    assertThat(newestShared()).isEqualTo(3);
    for (int owner = 0; owner < 3; owner++) {
      assertThat(newestCopy(owner, (owner + 1) % 3)).as("copy of rank %d", owner).isEqualTo(3);
    }
    for (int rank = 0; rank < 3; rank++) {
      directories.lose(rank);
    }
    assertThat(job.restoredStep()).as("from the shared directory alone").isEqualTo(3);
  }

  @Test
  void nothingIsBroughtAnywhereIfTheProgramDoesNotWantIt() throws IOException {
    try (LogLines log = new LogLines(Job.class)) {
      SmallJob job = job(3, Duration.ZERO).run(CloseTest::takeThree);
      assertThat(job.failures).containsOnlyNulls();
      assertThat(log.with("stays where it is")).as("it is as wanted").isEmpty();
    }
    assertThat(newestShared()).isEqualTo(1);
    assertThat(newestCopy(0, 1)).isEqualTo(1);
  }

  @Test
  void aVersionIsBroughtToATierAnyTime() throws IOException {
    SmallJob job =
        job(3, Duration.ZERO)
            .run(
                rank -> {
                  rank.cairn().flush(TierKind.SHARED);
                  assertThat(newestShared()).as("there is nothing yet").isZero();
                  takeThree(rank);
                  rank.comm().barrier();
                  assertThat(newestShared()).isEqualTo(1);
                  rank.cairn().flush(TierKind.SHARED);
                  assertThat(newestShared()).isEqualTo(3);
                  rank.cairn().flush(TierKind.SHARED);
                  assertThatThrownBy(() -> rank.cairn().flush(TierKind.ERASURE))
                      .isInstanceOf(IllegalArgumentException.class)
                      .hasMessageContaining("no erasure tier");
                });
    assertThat(job.failures).containsOnlyNulls();
    assertThat(newestCopy(0, 1)).as("another tier").isEqualTo(1);
  }

  // ---------------------------------------------------------------- not all ranks come

  @Test
  void aRankWhoseFellowsDoNotComeClosesWithoutAndSaysSo() throws IOException {
    CountDownLatch closed = new CountDownLatch(2);
    SmallJob job = job(3, SHORT);
    try (LogLines log = new LogLines(Job.class)) {
      job.run(
          rank -> {
            takeThree(rank);
            if (rank.number() == 2) {
              assertThat(closed.await(30, TimeUnit.SECONDS)).isTrue();
            } else {
              rank.cairn().close();
              closed.countDown();
            }
          });
      assertThat(job.failures).containsOnlyNulls();
      for (int rank = 0; rank < 3; rank++) {
        assertThat(log.with("rank " + rank + " " + ALONE)).hasSize(1);
      }
    }
    assertThat(newestShared()).isEqualTo(1);
    assertThat(newestCopy(0, 1)).isEqualTo(1);
    assertThat(job(3, ENOUGH).restoredStep()).isEqualTo(3);
  }

  @Test
  void whoBelievesThatAllCameEndsAllTheSame() throws IOException {
    // Rank 0 has announced itself and left when rank 1 comes, which cannot know that it has.
    CountDownLatch closed = new CountDownLatch(1);
    SmallJob job = job(2, SHORT);
    try (LogLines log = new LogLines(Job.class)) {
      job.run(
          rank -> {
            takeThree(rank);
            if (rank.number() == 1) {
              assertThat(closed.await(30, TimeUnit.SECONDS)).isTrue();
            } else {
              rank.cairn().close();
              closed.countDown();
            }
          });
      assertThat(log.with("rank 0 " + ALONE)).hasSize(1);
      assertThat(log.with("version 1.3 did not reach the")).isNotEmpty();
    }
    assertThat(newestShared()).isEqualTo(1);
    assertThat(job(2, ENOUGH).restoredStep()).isEqualTo(3);
  }

  /** What it cuts off itself, because it closes, is no reason for the others to end. */
  @Test
  void whoClosesWhileAVersionIsUnderWayEndsNobody() throws IOException {
    CountDownLatch closed = new CountDownLatch(1);
    AtomicInteger aborts = new AtomicInteger();
    SmallJob job = job(2, SHORT);
    job.comm = plain -> new Counting(plain, aborts);
    Tiers tiers = Tiers.none().shared(new Gate(shared, "-g1", closed), 1).sharedGroup(1);
    job.options =
        rank ->
            SmallJob.OPTIONS.tiers(tiers).flushOnClose(SHORT).waitAtMost(Duration.ofSeconds(16));
    job.run(
        rank -> {
          rank.advance();
          rank.cairn().checkpoint();
          if (rank.number() == 0) {
            rank.cairn().close();
            Thread.sleep(2_000); // three beats: time to be told, if there were something
            closed.countDown();
          }
        });
    assertThat(aborts).hasValue(0);
    assertThat(job(2, ENOUGH).restoredStep()).isEqualTo(1);
  }

  /** Files of one kind are opened when the gate is. */
  private static final class Gate extends ForwardingStore {
    private final String part;
    private final CountDownLatch open;

    Gate(Store store, String part, CountDownLatch open) {
      super(store);
      this.part = part;
      this.open = open;
    }

    @Override
    public StoreFile open(String name, Access access) throws IOException {
      if (name.contains(part)) {
        try {
          open.await();
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
      }
      return super.open(name, access);
    }
  }

  /** Counts how often somebody wanted to end the job. */
  private static final class Counting extends ForwardingCommunicator {
    private final AtomicInteger aborts;

    Counting(Communicator inner, AtomicInteger aborts) {
      super(inner);
      this.aborts = aborts;
    }

    @Override
    public Communicator split(int color, int key) {
      return new Counting(inner().split(color, key), aborts);
    }

    @Override
    public Communicator duplicate() {
      return new Counting(inner().duplicate(), aborts);
    }

    @Override
    public void abort(int status) {
      aborts.incrementAndGet();
    }
  }

  @Test
  void aRankWhoseProgramFailsDoesNotHoldTheOthers() {
    try (LogLines log = new LogLines(Job.class)) {
      assertThatThrownBy(() -> Ranks.run(3, rank -> "node" + rank, this::failOnRankOne))
          .isInstanceOf(RankFailedException.class)
          .hasRootCauseMessage("rank 1 has had enough")
          .satisfies(
              failure ->
                  assertThat(failure.getSuppressed())
                      .hasSize(2)
                      .allSatisfy(
                          other -> assertThat(other).isInstanceOf(RankLostException.class)));
      assertThat(log.with("rank 1 " + ALONE)).hasSize(1);
    }
    assertThat(job(3, ENOUGH).restoredStep()).isEqualTo(3);
  }

  /** The others are in a checkpoint, and wait for rank 1 to take its part in it. */
  private void failOnRankOne(Communicator comm) {
    try (Checkpointer cairn =
        Checkpointer.open(directories, comm, job(3, SHORT).options.apply(comm.rank()))) {
      SmallJob.Rank rank =
          new SmallJob.Rank(
              comm, cairn, cairn.protect("step", 0L), new long[1000 + 300 * comm.rank()]);
      cairn.protect("u", rank.u());
      cairn.restart();
      takeThree(rank);
      if (comm.rank() == 1) {
        throw new IllegalStateException("rank 1 has had enough");
      }
      rank.advance();
      cairn.checkpoint();
    }
  }
}
