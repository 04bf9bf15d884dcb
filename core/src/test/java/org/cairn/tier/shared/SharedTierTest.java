// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.cairn.clock.Clock;
import org.cairn.comm.Ranks;
import org.cairn.container.Container;
import org.cairn.container.Retention;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.version.TestRun;
import org.cairn.tier.Deltas;
import org.cairn.tier.FileNames;
import org.cairn.version.Lineage;
import org.cairn.version.Ownership;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is flushed comes back, and what is not one's own stays as it is. */
@Timeout(600)
@Tag("slow")
class SharedTierTest {
  private final MemoryStore shared = new MemoryStore();
  private final SharedJob job = new SharedJob(shared, 4, SharedJob.job(1, 4));

  private List<VersionId> versions(SharedJob of) throws IOException {
    return new SharedDirectory(shared)
        .list().versions().stream()
            .map(Manifest::version)
            .filter(version -> version.job().equals(of.lineage.job()))
            .toList();
  }

  private static Set<String> names(Store store, String kind) throws IOException {
    return store.list().stream().filter(name -> name.startsWith(kind)).collect(Collectors.toSet());
  }

  @Test
  void whatWasFlushedComesBackAndOldVersionsGo() throws IOException {
    List<VersionId> taken = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      taken.add(job.flush());
      job.verify(taken.getLast());
    }
    assertThat(versions(job)).containsExactly(taken.get(4), taken.get(3));
    job.verify(taken.get(3));
    assertThat(names(shared, "claim-")).isEmpty();
    assertThat(names(shared, "mark-")).isEmpty();
    assertThat(names(shared, "lease-")).hasSize(1);
  }

  /** A scratch file system purges one segment; what comes later does not take its place. */
  @Test
  void aPurgedSegmentMakesItsVersionsUnusableWhateverIsWrittenLater() throws IOException {
    VersionId first = job.flush();
    String purged = names(shared, "seg-").stream().sorted().findFirst().orElseThrow();
    shared.delete(purged);
    SharedJob anew = new SharedJob(shared, 4, SharedJob.job(2, 4));
    VersionId other = anew.flush();
    assertThat(other.sequence()).isEqualTo(first.sequence());
    assertThat(versions(job)).isEmpty();
    anew.verify(other);
    assertThatThrownBy(() -> job.verify(first)).hasMessageContaining(purged);
  }

  /** Job arrays do this on day one. */
  @Test
  void twoJobsOnOneDirectoryLeaveEachOtherAlone() throws IOException {
    SharedJob second = new SharedJob(shared, 3, SharedJob.job(2, 3));
    List<VersionId> ofFirst = new ArrayList<>();
    List<VersionId> ofSecond = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ofFirst.add(job.flush());
      ofSecond.add(second.flush());
      Set<String> before = files(second.lineage);
      ofFirst.add(job.flush());
      assertThat(files(second.lineage)).isEqualTo(before);
    }
    assertThat(versions(job)).containsExactly(ofFirst.get(9), ofFirst.get(8));
    assertThat(versions(second)).containsExactly(ofSecond.get(4), ofSecond.get(3));
    job.verify(ofFirst.get(8));
    second.verify(ofSecond.get(3));
    SharedDirectory.Survey survey = new SharedDirectory(shared).survey();
    assertThat(survey.problems()).isEmpty();
    assertThat(survey.versions().stream().map(SharedDirectory.Sighting::id))
        .contains(ofFirst.get(9), ofFirst.get(8), ofSecond.get(4), ofSecond.get(3));
    assertThat(survey.versions().stream().map(seen -> seen.lineage().name()))
        .containsOnly("job1", "job2");
  }

  private Set<String> files(Lineage of) throws IOException {
    return shared.list().stream()
        .filter(name -> SharedNames.job(name).filter(of.job()::equals).isPresent())
        .collect(Collectors.toSet());
  }

  /** Two runs that went on from one version: neither collects nor compares with the other's. */
  @Test
  void forksOfOneJobLeaveEachOtherAlone() throws IOException {
    VersionId common = job.flush();
    SharedJob left = job.continued(common, 100);
    SharedJob right = job.continued(common, 200);
    VersionId fork = left.flush();
    VersionId last = common;
    for (int i = 0; i < 5; i++) {
      last = right.flush();
    }
    left.verify(fork);
    right.verify(last);
    assertThat(versions(job)).contains(fork, last).doesNotContain(common);
  }

  // ---------------------------------------------------------------- the lease

  @Test
  void aKilledRunIsContinuedAtOnceByWhoHasItsContainer() throws IOException {
    job.tiers = job.tiers.leaseRest(Duration.ofDays(1));
    Ranks.run(
        4,
        comm -> {
          SharedTier killed = job.open(comm);
          job.acquire(killed, comm, "place");
          SharedTier next = job.open(comm);
          job.acquire(next, comm, "place");
          if (comm.rank() == 0) {
            assertThat(next.acquire(job.lineage.job(), "node0", "place")).isFalse();
          }
          killed.close();
          next.close();
        });
  }

  @Test
  void aRunThatLostItsLeaseFailsOnAllRanksAndDeletesNothing() throws IOException {
    job.flush();
    job.flush();
    VersionId third = job.checkpoint();
    AtomicInteger failures = new AtomicInteger();
    List<Set<String>> before = new ArrayList<>();
    job.all(
        (tier, comm) -> {
          job.acquire(tier, comm, "place");
          if (comm.rank() == 0) {
            takeOver("place");
            before.add(files(job.lineage));
          }
          comm.barrier();
          assertThatThrownBy(() -> tier.protect(third, Deltas.UNKNOWN))
              .isInstanceOf(IOException.class)
              .hasMessageContaining("taken over by")
              .hasMessageContaining("deletes nothing");
          assertThatThrownBy(() -> tier.protect(third, Deltas.UNKNOWN))
              .isInstanceOf(IOException.class);
          tier.nowStable(third);
          failures.incrementAndGet();
        });
    assertThat(failures).hasValue(4);
    assertThat(files(job.lineage)).isEqualTo(before.getFirst());
  }

  private void takeOver(String place) throws IOException {
    Lease other =
        new Lease(
            shared, Clock.system(), job.lineage.job(), Duration.ofDays(1), 99, "node0", place);
    assertThat(other.acquire()).isFalse();
  }

  /** It may be lost while segments are being written: then no manifest is. */
  @Test
  void aLeaseThatIsLostInAFlushMakesNoVersion() throws IOException {
    VersionId first = job.checkpoint();
    whenASegmentIsSeen(() -> takeOver("place"));
    AtomicInteger failures = new AtomicInteger();
    job.all(
        (tier, comm) -> {
          job.acquire(tier, comm, "place");
          try {
            tier.protect(first, Deltas.UNKNOWN);
          } catch (IOException e) {
            assertThat(e).hasMessageContaining("taken over by");
            assertThat(comm.rank()).isZero();
            failures.incrementAndGet();
          }
        });
    assertThat(failures).hasValue(1); // the others learn of it when all agree on the outcome
    assertThat(versions(job)).isEmpty();
  }

  /** Something that happens in the middle of a flush. */
  private interface Event {
    void happen() throws IOException;
  }

  /** All ranks write one segment, and rank 1 looks at it before it becomes a version. */
  private void whenASegmentIsSeen(Event event) {
    AtomicInteger looks = new AtomicInteger();
    job.tiers = job.tiers.sharedGroup(4);
    job.shared =
        rank ->
            rank != 1
                ? shared
                : FilteredStore.hiding(
                    shared,
                    name -> {
                      if (name.startsWith("seg-") && looks.getAndIncrement() == 0) {
                        try {
                          event.happen();
                        } catch (IOException e) {
                          throw new UncheckedIOException(e);
                        }
                      }
                      return false;
                    });
  }

  // ---------------------------------------------------------------- who sees what

  @Test
  void aRankThatDoesNotSeeTheMarkIsNamedOnAllRanks() throws IOException {
    job.shared = rank -> rank == 2 ? new MemoryStore() : shared;
    AtomicInteger refused = new AtomicInteger();
    Ranks.run(
        4,
        rank -> "node" + rank,
        comm -> {
          assertThatThrownBy(() -> job.open(comm))
              .isInstanceOf(IOException.class)
              .hasMessageContaining("rank 2 (node2)")
              .hasMessageContaining("mount it there too");
          refused.incrementAndGet();
        });
    assertThat(refused).hasValue(4);
    assertThat(shared.list()).isEmpty();
  }

  /** Network file systems remember for a while that something was not there. */
  @Test
  void aMarkThatIsSeenLateIsSeen() throws IOException {
    AtomicInteger looks = new AtomicInteger();
    job.tiers = job.tiers.visibility(Duration.ofSeconds(60));
    job.shared =
        rank ->
            rank == 2
                ? FilteredStore.hiding(
                    shared, name -> name.startsWith("mark-") && looks.incrementAndGet() < 3)
                : shared;
    VersionId id = job.flush();
    job.verify(id);
    assertThat(looks.get()).isGreaterThanOrEqualTo(3);
  }

  @Test
  void aSegmentThatNoOtherRankSeesFailsTheFlushOnAllRanks() throws IOException {
    VersionId first = job.flush();
    VersionId second = job.checkpoint();
    // The second group's segment is written by rank 2, and looked at by rank 3.
    job.shared =
        rank ->
            rank == 3
                ? FilteredStore.hiding(
                    shared,
                    name -> SharedNames.segment(name).filter(s -> s.group() == 1).isPresent())
                : shared;
    AtomicInteger failures = new AtomicInteger();
    job.all(
        (tier, comm) -> {
          assertThatThrownBy(() -> tier.protect(second, Deltas.UNKNOWN))
              .hasMessageContaining("rank 3 (node3) does not see")
              .hasMessageContaining("-g1.cairn-seg");
          failures.incrementAndGet();
        });
    assertThat(failures).hasValue(4);
    assertThat(versions(job)).containsExactly(first);
    job.shared = _ -> shared;
    job.all((tier, _) -> tier.protect(second, Deltas.UNKNOWN));
    assertThat(versions(job)).containsExactly(second, first);
    job.verify(second);
  }

  @Test
  void aStoreThatCannotBeWrittenToIsASourceOnly() throws IOException {
    VersionId id = job.flush();
    List<String> before = shared.list();
    job.shared = _ -> FilteredStore.readOnly(shared);
    VersionId next = job.checkpoint();
    job.all(
        (tier, comm) -> {
          assertThat(tier.isSourceOnly()).isTrue();
          job.acquire(tier, comm, "place");
          assertThatThrownBy(() -> tier.protect(next, Deltas.UNKNOWN))
              .hasMessageContaining("cannot be written");
          tier.nowStable(next);
        });
    assertThat(shared.list()).isEqualTo(before);
    job.verify(id);
  }

  // ---------------------------------------------------------------- claims

  /** Another run of the job is just writing; what it compares with must stay. */
  @Test
  void aClaimKeepsItsBaseUntilItHasRested() throws IOException {
    VersionId base = job.flush();
    SharedJob rival = job.continued(base, 100);
    VersionId claimed = rival.checkpoint();
    final Claim claim = Claim.begin(shared, claimed, Optional.of(base));
    SharedJob own = job.continued(base, 200);
    for (int i = 0; i < 4; i++) {
      own.flush();
    }
    assertThat(versions(job)).contains(base);
    job.verify(base);
    claim.end();
    own.flush();
    assertThat(versions(job)).doesNotContain(base);
  }

  @Test
  void aFlushClaimsWhileItWrites() throws IOException {
    VersionId first = job.checkpoint();
    List<Claim.Content> seen = new ArrayList<>();
    whenASegmentIsSeen(
        () -> {
          String name = names(shared, "claim-").iterator().next();
          seen.add(Claim.parse(SegmentTest.contents(shared, name), name).orElseThrow());
        });
    job.all((tier, _) -> tier.protect(first, Deltas.UNKNOWN));
    assertThat(seen).containsExactly(new Claim.Content(first, Optional.empty()));
    assertThat(names(shared, "claim-")).isEmpty();
  }

  // ---------------------------------------------------------------- bit rot

  @Test
  void rotInOlderSegmentsIsFoundAndHealed() throws IOException {
    job.tiers = job.tiers.sharedRetain(1).sharedGroup(4);
    VersionId first = job.flush();
    String old = names(shared, "seg-").iterator().next();
    MemberIndex index = SharedJob.index(shared, first, 2);
    rot(old, index.entry(70).offset() + 7); // a block that no checkpoint below changes
    assertThat(SharedCheck.verify(shared, first, (_, _, _, _) -> {}).damages())
        .hasSize(1)
        .allSatisfy(
            damage -> {
              assertThat(damage.rank()).isEqualTo(2);
              assertThat(damage.file()).contains(old);
              assertThat(damage.offset()).isEqualTo(index.entry(70).offset());
            });
    VersionId last = first;
    for (int i = 0; i < 70; i++) {
      job.clock.pass(Duration.ofMinutes(25));
      last = job.flush();
      if (job.scrubs.stream().anyMatch(report -> !report.damages().isEmpty())) {
        break;
      }
    }
    List<String> damages =
        job.scrubs.stream().flatMap(report -> report.damages().stream()).toList();
    assertThat(damages).hasSize(1);
    assertThat(damages.getFirst()).contains("block 70 of \"field\"", old);
    assertThat(SharedCheck.verify(shared, last, (_, _, _, _) -> {}).damages()).isEmpty();
    job.verify(last);
  }

  @Test
  void everyPieceIsVerifiedOnceInARound() throws IOException {
    Instant begun = job.clock.now();
    job.flush();
    VersionId last = job.checkpoint();
    for (int i = 0; i < 66; i++) {
      job.clock.pass(Duration.ofMinutes(25));
      last = job.flush();
    }
    SharedDirectory directory = new SharedDirectory(shared);
    Instant oldest = directory.oldestVerification(directory.find(last)).orElseThrow();
    assertThat(oldest).isAfter(begun.plus(Duration.ofMinutes(20)));
    long flushes = job.scrubs.size();
    job.flush(); // not due yet
    assertThat(job.scrubs).hasSize((int) flushes);
  }

  private void rot(String name, long at) throws IOException {
    try (StoreFile file = shared.open(name, Store.Access.WRITE)) {
      byte[] one = new byte[1];
      file.read(at, MemorySegment.ofArray(one));
      one[0] ^= 0x10;
      file.write(at, MemorySegment.ofArray(one));
    }
  }

  @Test
  void aRottenBlockIsNotRestored() throws IOException {
    VersionId id = job.flush();
    String name = names(shared, "seg-").stream().sorted().findFirst().orElseThrow();
    int rank;
    try (SegmentReader segment = SegmentReader.open(shared, name)) {
      rank = segment.ranks().getFirst();
    }
    long at = SharedJob.index(shared, id, rank).entry(3).offset();
    rot(name, at);
    assertThatThrownBy(() -> job.verify(id))
        .hasMessageContaining(name)
        .hasMessageContaining("offset " + at)
        .hasMessageContaining("block 3 of \"field\"");
  }

  // ---------------------------------------------------------------- for the command line

  @Test
  void twoVersionsFitIntoOneContainer() throws IOException {
    VersionId first = job.flush();
    VersionId second = job.flush();
    MemoryStore target = new MemoryStore();
    Ownership owner = new Ownership(job.lineage, Ownership.STATE, 1, 4);
    try (Container container =
        Container.open(target, FileNames.local(1), Retention.newest(2), owner, TestRun.RANDOM)) {
      SharedTier.rebuild(shared, first, 1, container);
      SharedTier.rebuild(shared, second, 1, container);
    }
    job.verify(target, 1, first);
    job.verify(target, 1, second);
  }

  @Test
  void verifyingTellsHowFarItIs() throws IOException {
    VersionId id = job.flush();
    List<Long> progress = new ArrayList<>();
    SharedCheck.Result result =
        SharedCheck.verify(shared, id, (rank, ranks, blocks, bytes) -> progress.add(blocks));
    assertThat(result.damages()).isEmpty();
    assertThat(result.blocks()).isEqualTo(4 * 101);
    assertThat(result.bytes()).isEqualTo(4 * (100 * 256 + 10));
    assertThat(progress).isSorted().endsWith(404L).hasSizeGreaterThan(4);
  }
}
