// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.testkit.schedule.Simulation;
import org.cairn.testkit.schedule.Steps;
import org.cairn.testkit.store.AskingStore;
import org.cairn.testkit.store.SharedDisk;
import org.cairn.tier.shared.Flushes.ManualClock;
import org.cairn.version.JobId;
import org.junit.jupiter.api.Test;

/** One run of a job at a time writes to a shared directory, whatever became of the one before. */
class LeaseTest {
  private static final Duration REST = Duration.ofSeconds(60);
  private static final JobId JOB = Flushes.lineage().job();

  private final MemoryStore store = new MemoryStore();
  private final ManualClock clock = new ManualClock();

  private Lease lease(long token, String host, String container) {
    return new Lease(store, clock, JOB, REST, token, host, container);
  }

  @Test
  void theFirstOneTakesIt() throws IOException {
    Lease lease = lease(1, "node1", "/a/rank0.cairn");
    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.acquire()).isFalse();
    assertThat(lease.isHeld()).isTrue();
    assertThat(store.list()).containsExactly(new SharedNames.LeaseName(JOB, 0).name());
  }

  @Test
  void oneThatWasGivenBackIsTakenAtOnce() throws IOException {
    Lease first = lease(1, "node1", "/a/rank0.cairn");
    first.acquire();
    first.release();
    assertThat(first.isHeld()).isFalse();
    Lease second = lease(2, "node2", "/a/rank0.cairn");
    assertThat(second.acquire()).isFalse();
    assertThat(store.list()).containsExactly(new SharedNames.LeaseName(JOB, 1).name());
  }

  /** SIGKILL and a restart within a second: who has the same container locked need not wait. */
  @Test
  void whoHasTheContainerOfTheDeadHolderTakesItAtOnce() throws IOException {
    Lease killed = lease(1, "node1", "/a/rank0.cairn");
    killed.acquire();
    Lease next = lease(2, "node1", "/a/rank0.cairn");
    assertThat(next.acquire()).isFalse();
    assertThat(next.isHeld()).isTrue();
    assertThat(killed.isHeld()).isFalse();
  }

  /** A directory of the same name on the disk of another node is another container. */
  @Test
  void theSamePathOnAnotherHostIsNobodysProof() throws IOException {
    lease(1, "node1", "/a/rank0.cairn").acquire();
    Lease other = lease(2, "node2", "/a/rank0.cairn");
    assertThat(other.acquire()).isTrue();
  }

  /** The server knows who holds it; a node that does not yet is not to ask all the time. */
  @Test
  void oneThatIsNotSeenYetIsWaitedForAndAskedForRarely() throws Exception {
    Simulation simulation = new Simulation(1);
    SharedDisk disk = new SharedDisk(1, REST.dividedBy(2));
    AtomicInteger calls = new AtomicInteger();
    Store here = disk.seenFrom("node1");
    Store there =
        Steps.of(new AskingStore(disk.seenFrom("node2"), (call, about) -> calls.incrementAndGet()));
    simulation.run(
        () -> {
          new Lease(here, simulation.clock(), JOB, REST, 1, "node1", "/a/rank0.cairn").acquire();
          assertThat(there.list()).isEmpty();
          Lease next =
              new Lease(there, simulation.clock(), JOB, REST, 2, "node2", "/a/rank0.cairn");
          assertThat(next.acquire()).isTrue();
          assertThat(next.isHeld()).isTrue();
        });
    assertThat(calls.get()).isLessThan(1000);
    assertThat(disk.truth().list()).containsExactly(new SharedNames.LeaseName(JOB, 1).name());
  }

  @Test
  void whoeverChangesIsAliveHoweverLongOneWaits() throws IOException {
    Lease holder = lease(1, "node1", "/a/rank0.cairn");
    holder.acquire();
    AtomicInteger pauses = new AtomicInteger();
    clock.meanwhile(
        () -> {
          if (pauses.incrementAndGet() <= 500) {
            renew(holder);
          }
        });
    Lease next = lease(2, "node2", "/b/rank0.cairn");
    assertThat(next.acquire()).isTrue();
    assertThat(pauses.get()).isGreaterThan(500);
    holder.renew();
    assertThat(holder.isLost()).isTrue();
    assertThat(next.isHeld()).isTrue();
  }

  private static void renew(Lease lease) {
    try {
      lease.renew();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void oneThatIsGivenBackWhileOneWaitsIsTaken() throws IOException {
    Lease holder = lease(1, "node1", "/a/rank0.cairn");
    holder.acquire();
    AtomicInteger pauses = new AtomicInteger();
    clock.meanwhile(
        () -> {
          try {
            if (pauses.incrementAndGet() == 3) {
              holder.release();
            } else {
              holder.renew();
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    assertThat(lease(2, "node2", "/b/rank0.cairn").acquire()).isTrue();
    assertThat(pauses).hasValue(3);
  }

  /** A crash between creating and writing it leaves an empty file. */
  @Test
  void anEmptyLeaseIsWatchedLikeAnyOther() throws IOException {
    store.open(new SharedNames.LeaseName(JOB, 4).name(), Store.Access.CREATE).close();
    assertThat(lease(1, "node1", "/a/rank0.cairn").acquire()).isTrue();
    assertThat(store.list()).containsExactly(new SharedNames.LeaseName(JOB, 5).name());
  }

  @Test
  void whoWasTakenOverSaysSoForEverAndLeavesTheNewLeaseAlone() throws IOException {
    Lease first = lease(1, "node1", "/a/rank0.cairn");
    first.acquire();
    Lease second = lease(2, "node2", "/b/rank0.cairn");
    second.acquire();
    byte[] before = SegmentTest.contents(store, new SharedNames.LeaseName(JOB, 1).name());
    first.renew();
    first.release();
    assertThatThrownBy(first::requireHeld)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("taken over by process")
        .hasMessageContaining("node2")
        .hasMessageContaining("deletes nothing");
    assertThat(SegmentTest.contents(store, new SharedNames.LeaseName(JOB, 1).name()))
        .isEqualTo(before);
    second.release();
    assertThat(first.isHeld()).isFalse();
  }

  @Test
  void leasesOfOtherJobsDoNotMatter() throws IOException {
    lease(1, "node1", "/a/rank0.cairn").acquire();
    Lease other = new Lease(store, clock, new JobId(7, 7), REST, 2, "node2", "/b/rank0.cairn");
    assertThat(other.acquire()).isFalse();
    assertThat(store.list()).hasSize(2);
  }

  /** A holder with a longer rest renews more seldom; it is given its own time. */
  @Test
  void aSlowHolderIsGivenItsOwnTime() throws IOException {
    Lease slow = new Lease(store, clock, JOB, REST.multipliedBy(10), 1, "node1", "/a/rank0.cairn");
    slow.acquire();
    AtomicInteger pauses = new AtomicInteger();
    clock.meanwhile(
        () -> {
          // Every 50 s, where a holder with our rest would come every 5 s.
          if (pauses.incrementAndGet() % 50 == 0 && pauses.get() < 1000) {
            renew(slow);
          }
        });
    assertThat(lease(2, "node2", "/b/rank0.cairn").acquire()).isTrue();
    assertThat(pauses.get()).isGreaterThan(1000);
  }
}
