// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.cairn.record.Digest;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.store.SimulatedCrash;
import org.cairn.testkit.store.Survival;
import org.cairn.tier.Fragment;
import org.cairn.tier.shared.Flushes.ManualClock;
import org.junit.jupiter.api.Test;

/** Versions are found, made anew, kept and collected, whatever happens in between. */
class SharedDirectoryTest {
  private static final Duration REST = Duration.ofSeconds(60);

  private final MemoryStore store = new MemoryStore();
  private final ManualClock clock = new ManualClock();
  private final SharedDirectory directory = new SharedDirectory(store);

  private Collector collector(Store store, int keep) {
    return new Collector(store, clock, keep, REST, () -> true, new KnownSegments());
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
    overwrite(Flushes.manifest(3), 70);
    SharedDirectory.Listing listing = directory.list();
    assertThat(sequences(store)).containsExactly(2L, 1L);
    assertThat(listing.problems()).hasSize(1);
    assertThat(listing.problems().getFirst().version().sequence()).isEqualTo(3);
    assertThat(listing.problems().getFirst().what())
        .contains("memory:" + Flushes.manifest(3), "checksum");
  }

  @Test
  void aVersionWithoutManifestIsMadeAnew() throws IOException {
    Manifest third = flushes(store, 3);
    store.delete(Flushes.manifest(3));
    overwrite(Flushes.manifest(2), 1);
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
    store.delete(Flushes.manifest(2));
    store.delete(Flushes.segment(2, 1));
    assertThat(directory.reconstruct()).isEmpty();
    MemoryStore damaged = whole.copy();
    damaged.delete(Flushes.manifest(2));
    damaged.delete(Flushes.segment(1, 0)); // version 2 refers to it
    assertThat(new SharedDirectory(damaged).list().versions()).isEmpty();
    assertThat(new SharedDirectory(damaged).reconstruct()).isEmpty();
  }

  @Test
  void segmentsThatAreGoneOrCutAreTold() throws IOException {
    flushes(store, 1);
    try (StoreFile file = store.open(Flushes.segment(1, 0), Store.Access.WRITE)) {
      file.truncate(100);
    }
    assertThat(directory.list().problems().getFirst().what())
        .contains(Flushes.segment(1, 0), "file of 100 bytes");
    store.delete(Flushes.segment(1, 0));
    assertThat(directory.list().problems().getFirst().what()).contains("found none");
  }

  @Test
  void collectionKeepsTheNewestVersionsWhole() throws IOException {
    flushes(store, 6);
    Collector.Report report = collector(store, 2).collect(Flushes.lineage());
    assertThat(report.obstacle()).isEmpty();
    assertThat(report.deleted())
        .startsWith(
            Flushes.manifest(1), Flushes.manifest(2), Flushes.manifest(3), Flushes.manifest(4))
        .contains(Flushes.segment(1, 0));
    assertThat(sequences(store)).containsExactly(6L, 5L);
    for (Manifest manifest : directory.list().versions()) {
      Flushes.verify(store, manifest);
    }
    assertThat(collector(store, 2).collect(Flushes.lineage()).deleted()).isEmpty();
  }

  @Test
  void fewerVersionsThanAreToBeKeptAllStay() throws IOException {
    flushes(store, 2);
    assertThat(collector(store, 3).collect(Flushes.lineage()).deleted()).isEmpty();
  }

  @Test
  void whatIsBeingWrittenStays() throws IOException {
    Manifest base = flushes(store, 3);
    Flushes.groups(store, clock, 4, Optional.of(base));
    collector(store, 1).collect(Flushes.lineage());
    assertThat(directory.reconstruct()).hasSize(1);
    Flushes.verify(store, directory.reconstruct().getFirst());
    Flushes.verify(store, base);
  }

  @Test
  void aManifestThatCannotBeReadStopsCollecting() throws IOException {
    flushes(store, 5);
    overwrite(Flushes.manifest(4), 200);
    List<String> before = store.list();
    Collector.Report report = collector(store, 2).collect(Flushes.lineage());
    assertThat(report.obstacle()).hasValueSatisfying(why -> assertThat(why).contains("checksum"));
    assertThat(report.deleted()).isEmpty();
    assertThat(store.list()).isEqualTo(before);
    // One that is older than all that are kept goes, damaged or not.
    assertThat(collector(store, 1).collect(Flushes.lineage()).deleted())
        .contains(Flushes.manifest(4), Flushes.manifest(1));
  }

  /** Whoever wrote it can read it: an older release must not decide what it refers to. */
  @Test
  void aManifestOfANewerReleaseStopsCollectingHoweverOldItIs() throws IOException {
    flushes(store, 4);
    SegmentTest.put(
        store,
        Flushes.manifest(1),
        SegmentTest.newer(SegmentTest.contents(store, Flushes.manifest(1))));
    Collector.Report report = collector(store, 1).collect(Flushes.lineage());
    assertThat(report.deleted()).isEmpty();
    assertThat(report.obstacle().orElseThrow()).contains("use a newer release");
  }

  @Test
  void aTornSegmentOfANewerVersionStopsCollectingUntilItIsOld() throws IOException {
    Manifest third = flushes(store, 3);
    SegmentTest.put(store, Flushes.segment(4, 0), new byte[10]);
    Manifest fifth = Flushes.flush(store, clock, 5, Optional.of(third));
    assertThat(collector(store, 2).collect(Flushes.lineage()).obstacle()).isPresent();
    Flushes.flush(store, clock, 6, Optional.of(fifth));
    assertThat(collector(store, 2).collect(Flushes.lineage()).deleted())
        .contains(Flushes.segment(4, 0));
  }

  @Test
  void aSegmentOfTheSameNameAndSizeDoesNotStandInForAnother() throws IOException {
    flushes(store, 1);
    MemoryStore other = new MemoryStore();
    Flushes.groups(other, clock, 1, Optional.empty()); // later, with the same blocks
    long size = SegmentTest.contents(store, Flushes.segment(1, 1)).length;
    byte[] bytes = SegmentTest.contents(other, Flushes.segment(1, 1));
    assertThat(bytes).hasSize((int) size);
    SegmentTest.put(store, Flushes.segment(1, 1), bytes);
    assertThat(directory.list().versions()).isEmpty();
    assertThat(directory.list().problems().getFirst().what())
        .contains("another one of that size", Flushes.segment(1, 1));
    SharedDirectory.Sighting sighting = directory.survey().versions().getFirst();
    assertThat(sighting.lineage()).isEqualTo(Flushes.lineage());
  }

  @Test
  void aSurveyTellsWhatIsThereAndWhatAilsIt() throws IOException {
    flushes(store, 3);
    store.delete(Flushes.segment(3, 1));
    overwrite(Flushes.manifest(1), 200);
    SegmentTest.put(store, Flushes.manifest(7), new byte[5]);
    SharedDirectory.Survey survey = directory.survey();
    assertThat(survey.versions().stream().map(one -> one.id().sequence()))
        .containsExactly(3L, 2L, 1L);
    assertThat(survey.versions().get(0).problem().orElseThrow()).contains("found none");
    assertThat(survey.versions().get(1).problem()).isEmpty();
    assertThat(survey.versions().get(2).problem()).isEmpty(); // made anew from its segments
    assertThat(survey.versions().get(1).roots()).hasSize(4).containsEntry(3, new Digest(2, 3));
    assertThat(survey.versions().get(1).takenAt()).isEqualTo(Instant.EPOCH.plusSeconds(2));
    assertThat(survey.problems()).hasSize(1);
    assertThat(survey.problems().getFirst().version()).isEqualTo(Flushes.version(7));
    assertThat(directory.oldestVerification(directory.find(Flushes.version(2))))
        .contains(Instant.EPOCH.plusSeconds(2));
  }

  @Test
  void aSegmentOfAnUnfinishedFlushIsSeenAsAVersionThatCannotBeHad() throws IOException {
    Flushes.groups(store, clock, 1, Optional.empty());
    store.delete(Flushes.segment(1, 0));
    SharedDirectory.Sighting seen = directory.survey().versions().getFirst();
    assertThat(seen.problem()).isPresent();
    assertThat(seen.roots()).containsOnlyKeys(2, 3);
  }

  /** Tasks of an array begin at the same time, in one directory: one flushes, others look. */
  @Test
  void theFirstFlushOfAnotherJobIsNoneOfOnesOwnHoweverFarItIs() throws IOException {
    Flushes.groups(store, clock, 1, Optional.empty());
    store.delete(Flushes.segment(1, 1));
    String name = Flushes.segment(1, 0);
    byte[] whole = SegmentTest.contents(store, name);
    String job = Flushes.lineage().name();
    boolean told = false;
    for (int length = 0; length < whole.length; length++) {
      SegmentTest.put(store, name, Arrays.copyOf(whole, length));
      assertThat(SharedFragments.in(store, Flushes.RANKS, job + "-other"))
          .as("%d bytes", length)
          .isEmpty();
      List<Fragment> own = SharedFragments.in(store, Flushes.RANKS, job);
      assertThat(own).as("once told, it stays: %d bytes", length).hasSize(told ? 1 : own.size());
      told = !own.isEmpty();
    }
    assertThat(told).isTrue();
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
    boolean survived = false;
    for (int operation = 1; !survived; operation++) {
      CrashingStore life = disk.afterKill();
      life.crashAt(operation);
      try {
        collector(life, 2).collect(Flushes.lineage());
        survived = true;
      } catch (SimulatedCrash e) {
        // Expected.
      }
      for (CrashingStore left : survivors(life, seed)) {
        assertThat(new SharedDirectory(left).list().problems()).isEmpty();
        assertThat(sequences(left)).startsWith(5L, 4L);
        Collector next = collector(left, 2);
        next.collect(Flushes.lineage());
        clock.pass(100);
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
