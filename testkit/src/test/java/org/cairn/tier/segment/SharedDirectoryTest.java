// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.store.SimulatedCrash;
import org.cairn.testkit.store.Survival;
import org.cairn.tier.segment.Flushes.ManualClock;
import org.junit.jupiter.api.Test;

/** Versions are found, made anew, kept and collected, whatever happens in between. */
class SharedDirectoryTest {
  private static final Duration LEASE = Duration.ofSeconds(60);
  private static final Duration GRACE = Duration.ofSeconds(600);

  private final MemoryStore store = new MemoryStore();
  private final ManualClock clock = new ManualClock();
  private final SharedDirectory directory = new SharedDirectory(store);

  private Collector collector(Store store, int keep) {
    return new Collector(store, clock, keep, LEASE, GRACE);
  }

  /** Versions 1 to n, a second apart. */
  private Manifest flushes(Store store, int n) throws IOException {
    Optional<Manifest> base = Optional.empty();
    for (int sequence = 1; sequence <= n; sequence++) {
      base = Optional.of(Flushes.flush(store, clock, sequence, base));
      clock.pass(1);
    }
    return base.orElseThrow();
  }

  private List<Long> sequences(Store store) throws IOException {
    return new SharedDirectory(store)
        .list().versions().stream().map(manifest -> manifest.version().sequence()).toList();
  }

  @Test
  void aDamagedManifestIsToldAndOlderOnesAreUsed() throws IOException {
    flushes(store, 3);
    overwrite("manifest-1.3", 70);
    SharedDirectory.Listing listing = directory.list();
    assertThat(sequences(store)).containsExactly(2L, 1L);
    assertThat(listing.problems()).hasSize(1);
    assertThat(listing.problems().getFirst().version().sequence()).isEqualTo(3);
    assertThat(listing.problems().getFirst().what()).contains("memory:manifest-1.3", "checksum");
  }

  @Test
  void aVersionWithoutManifestIsMadeAnew() throws IOException {
    Manifest third = flushes(store, 3);
    store.delete("manifest-1.3");
    overwrite("manifest-1.2", 1);
    List<Manifest> made = directory.reconstruct();
    assertThat(made).hasSize(2);
    assertThat(made.getFirst().references()).isEqualTo(third.references());
    for (Manifest manifest : made) {
      Flushes.verify(store, manifest);
    }
  }

  @Test
  void aVersionIsNotMadeAnewFromWhatIsNotWhole() throws IOException {
    flushes(store, 2);
    MemoryStore whole = store.copy();
    store.delete("manifest-1.2");
    store.delete("seg-1.2-g1.cairn-seg");
    assertThat(directory.reconstruct()).isEmpty();
    MemoryStore damaged = whole.copy();
    damaged.delete("manifest-1.2");
    damaged.delete("seg-1.1-g0.cairn-seg"); // version 2 refers to it
    assertThat(new SharedDirectory(damaged).list().versions()).isEmpty();
    assertThat(new SharedDirectory(damaged).reconstruct()).isEmpty();
  }

  @Test
  void segmentsThatAreGoneOrCutAreTold() throws IOException {
    flushes(store, 1);
    try (StoreFile file = store.open("seg-1.1-g0.cairn-seg", Store.Access.WRITE)) {
      file.truncate(100);
    }
    assertThat(directory.list().problems().getFirst().what())
        .contains("seg-1.1-g0.cairn-seg", "found 100 bytes");
    store.delete("seg-1.1-g0.cairn-seg");
    assertThat(directory.list().problems().getFirst().what()).contains("found none");
  }

  @Test
  void useTellsHowMuchOfASegmentIsLeft() throws IOException {
    flushes(store, 2);
    var use = SharedDirectory.use(directory.list().versions());
    SharedDirectory.Use first = Objects.requireNonNull(use.get("seg-1.1-g0.cairn-seg"));
    assertThat(first.most()).isEqualTo(2 * (4 * 40 + 17));
    assertThat(first.newest()).isBetween(1L, first.most() - 1);
    assertThat(first.size()).isGreaterThan(first.most());
  }

  @Test
  void collectionKeepsTheNewestVersionsWhole() throws IOException {
    flushes(store, 6);
    assertThat(collector(store, 2).collect().deleted())
        .containsExactly("manifest-1.1", "manifest-1.2", "manifest-1.3", "manifest-1.4");
    clock.pass(1000);
    Collector.Report report = collector(store, 2).collect();
    assertThat(report.leased()).isTrue();
    assertThat(report.deleted())
        .contains("seg-1.1-g0.cairn-seg")
        .allMatch(n -> n.startsWith("seg"));
    assertThat(sequences(store)).containsExactly(6L, 5L);
    for (Manifest manifest : directory.list().versions()) {
      Flushes.verify(store, manifest);
    }
    assertThat(collector(store, 2).collect().deleted()).isEmpty();
  }

  @Test
  void whatIsBeingWrittenAndWhatIsDamagedStays() throws IOException {
    Manifest base = flushes(store, 3);
    Flushes.groups(store, clock, 4, Optional.of(base));
    overwrite("manifest-1.2", 80);
    clock.pass(10_000);
    assertThat(collector(store, 2).collect().deleted()).isEmpty(); // 3 and 1 are complete
    assertThat(directory.reconstruct()).hasSize(2);
    // One that is older than all that are kept goes, damaged or not.
    assertThat(collector(store, 1).collect().deleted()).contains("manifest-1.2", "manifest-1.1");
    Flushes.verify(store, directory.reconstruct().getFirst());
  }

  @Test
  void anAbortedFlushGoesAfterTheGracePeriod() throws IOException {
    Flushes.groups(store, clock, 1, Optional.empty());
    try (StoreFile torn = store.open("seg-1.2-g0.cairn-seg", Store.Access.CREATE)) {
      torn.write(0, MemorySegment.ofArray(new byte[10]));
    }
    Flushes.flush(store, clock, 3, Optional.empty());
    Collector collector = collector(store, 1);
    assertThat(collector.collect().deleted()).isEmpty();
    clock.pass(601);
    assertThat(collector.collect().deleted())
        .containsExactly("seg-1.1-g0.cairn-seg", "seg-1.1-g1.cairn-seg", "seg-1.2-g0.cairn-seg");
    Flushes.verify(store, directory.list().versions().getFirst());
  }

  @Test
  void oneCollectsAtATimeAndAnExpiredLeaseIsTakenOver() throws IOException {
    Lease first = new Lease(store, clock, LEASE);
    Lease second = new Lease(store, clock, LEASE);
    assertThat(first.take()).hasValue(0);
    assertThat(second.take()).isEmpty();
    assertThat(first.isValid(0)).isTrue();
    assertThat(collector(store, 1).collect().leased()).isFalse();
    clock.pass(61);
    assertThat(first.isValid(0)).isFalse();
    assertThat(second.take()).hasValue(1);
    assertThat(first.isValid(0)).isFalse();
    first.release(0); // comes back late, and does no harm
    assertThat(first.take()).isEmpty();
    second.release(1);
    assertThat(first.take()).hasValue(2);
    assertThat(store.list()).containsExactly("collector-2.lease");
  }

  @Test
  void aTornLeaseCountsFromWhenItWasSeen() throws IOException {
    store.open("collector-4.lease", Store.Access.CREATE).close();
    Lease lease = new Lease(store, clock, LEASE);
    assertThat(lease.take()).isEmpty();
    clock.pass(59);
    assertThat(lease.take()).isEmpty();
    clock.pass(2);
    assertThat(lease.take()).hasValue(5);
  }

  @Test
  void aCollectorThatLostItsLeaseDeletesNothing() throws IOException {
    flushes(store, 4);
    store.open("collector-1.lease", Store.Access.CREATE).close();
    Collector collector = collector(store, 1);
    assertThat(collector.collect().leased()).isFalse();
    clock.pass(61);
    // Somebody else takes over between taking and deleting: the lease with the next number.
    store.open("collector-3.lease", Store.Access.CREATE).close();
    assertThat(collector.collect().leased()).isFalse();
    assertThat(sequences(store)).hasSize(4);
  }

  /** A flush that crashes anywhere leaves the version before it, or is there as a whole. */
  @SeededTest(seeds = 2)
  void aFlushMayCrashAnywhere(long seed) throws IOException {
    CrashingStore disk = new CrashingStore(seed);
    Manifest base = flushes(disk, 1);
    boolean survived = false;
    for (int operation = 1; !survived; operation++) {
      CrashingStore life = disk.afterKill();
      life.crashAt(operation);
      try {
        Flushes.flush(life, clock, 2, Optional.of(base));
        survived = true;
      } catch (SimulatedCrash e) {
        // Expected.
      }
      for (CrashingStore left : survivors(life, seed)) {
        SharedDirectory found = new SharedDirectory(left);
        List<Manifest> versions = found.list().versions();
        assertThat(versions.getLast()).isEqualTo(base);
        assertThat(versions).hasSizeGreaterThanOrEqualTo(survived ? 2 : 1);
        // A manifest that is whole has its segments.
        assertThat(found.list().problems())
            .noneMatch(problem -> problem.what().startsWith("expected segment"));
        for (Manifest manifest : versions) {
          Flushes.verify(left, manifest);
        }
        for (Manifest manifest : found.reconstruct()) {
          // Blocks that were never forced may be torn: their digests tell.
          assertThat(manifest.version().sequence()).isEqualTo(2);
        }
      }
    }
  }

  /** A collection that crashes anywhere leaves whole what is to be kept; the next one ends it. */
  @SeededTest(seeds = 2)
  void aCollectionMayCrashAnywhere(long seed) throws IOException {
    CrashingStore disk = new CrashingStore(seed);
    flushes(disk, 5);
    clock.pass(1000);
    boolean survived = false;
    for (int operation = 1; !survived; operation++) {
      CrashingStore life = disk.afterKill();
      life.crashAt(operation);
      try {
        collector(life, 2).collect();
        survived = true;
      } catch (SimulatedCrash e) {
        // Expected.
      }
      for (CrashingStore left : survivors(life, seed)) {
        assertThat(new SharedDirectory(left).list().problems()).isEmpty();
        assertThat(sequences(left)).startsWith(5L, 4L);
        Collector next = collector(left, 2);
        next.collect();
        clock.pass(100);
        assertThat(next.collect().leased()).isTrue();
        assertThat(sequences(left)).containsExactly(5L, 4L);
        for (Manifest manifest : new SharedDirectory(left).list().versions()) {
          Flushes.verify(left, manifest);
        }
      }
    }
  }

  private static List<CrashingStore> survivors(CrashingStore life, long seed) throws IOException {
    return List.of(
        life.survivor(Survival.LOSE_ALL),
        life.survivor(Survival.KEEP_ALL),
        life.survivor(seed),
        life.survivor(seed + 1000));
  }

  private void overwrite(String name, long at) throws IOException {
    try (StoreFile file = store.open(name, Store.Access.WRITE)) {
      file.write(at, MemorySegment.ofArray(new byte[] {99}));
    }
  }
}
