// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.Compression;
import org.cairn.Label;
import org.cairn.clock.Clock;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.random.Thorough;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.store.SimulatedCrash;
import org.cairn.testkit.store.Survival;
import org.cairn.tier.shared.Manifest;
import org.cairn.tier.shared.SharedDirectory;
import org.cairn.tier.shared.SoleWriter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Machines stop while versions are added to a directory of packs, and disks are full. */
class PackDirectoryCrashTest {
  private static final int STEP = Boolean.getBoolean(Thorough.PROPERTY) ? 1 : 19;
  private static final int KEEP = 2;
  private static final int SETS = 4;
  private static final int FILES = 3;
  private static final int LENGTH = 140_000;

  @TempDir Path dir;
  private final List<List<byte[]>> sets = new ArrayList<>();
  private final AtomicLong numbers = new AtomicLong(1);

  /** Sets of files that differ in some blocks. */
  @BeforeEach
  void makeSets() throws IOException {
    Random content = Seeds.content(5);
    List<byte[]> files = new ArrayList<>();
    for (int i = 0; i < FILES; i++) {
      byte[] bytes = new byte[LENGTH];
      content.nextBytes(bytes);
      files.add(bytes);
    }
    for (int set = 0; set <= SETS; set++) {
      files = new ArrayList<>(files.stream().map(byte[]::clone).toList());
      files.get(set % FILES)[set * 20_000] ^= 1;
      sets.add(files);
      Path folder = Files.createDirectory(dir.resolve("set" + set));
      for (int i = 0; i < FILES; i++) {
        Files.write(folder.resolve("f" + i), files.get(i));
      }
    }
  }

  /** Time passes when this thread waits, for a lease that was torn; nobody renews any. */
  private static final class Waiting implements Clock {
    private final Thread owner = Thread.currentThread();
    private final AtomicLong nanos = new AtomicLong();

    @Override
    public Instant now() {
      return Instant.ofEpochSecond(1_000_000_000);
    }

    @Override
    public long nanos() {
      return nanos.get();
    }

    @Override
    public void pause(Duration time) throws InterruptedException {
      if (Thread.currentThread() == owner) {
        nanos.addAndGet(time.toNanos());
      } else {
        Thread.sleep(time);
      }
    }
  }

  private PackDirectoryWriter open(CrashingStore store) throws IOException {
    return PackDirectoryWriter.open(
        store,
        "packs",
        new Waiting(),
        numbers::incrementAndGet,
        new SoleWriter.Settings(KEEP, Duration.ofHours(1), PackDirectoryWriter.host()));
  }

  private void add(PackDirectoryWriter writer, int set) throws IOException {
    try (Packer packer = new Packer(Packing.settings().with(Compression.none()), _ -> {})) {
      packer.pack(Packing.inputs(dir.resolve("set" + set)), writer, Label.of(String.valueOf(set)));
    }
  }

  /**
   * Adds all sets.
   *
   * @return how many were added before the machine stopped
   */
  private int addAll(CrashingStore store) throws IOException {
    int added = 0;
    try {
      while (added < SETS) {
        try (PackDirectoryWriter writer = open(store)) {
          // Two sets by each writer, so that runs go on with each other.
          for (int i = 0; i < 2 && added < SETS; i++) {
            add(writer, added);
            added++;
          }
        }
      }
    } catch (SimulatedCrash e) {
      assertThat(store.hasCrashed()).isTrue();
    }
    return added;
  }

  /** Shows that there are the newest of those that were added, or one more, and that they read. */
  private void assertSound(CrashingStore store, int added) throws IOException {
    List<Integer> found = assertReadable(store);
    for (int set = Math.max(0, added - KEEP); set < added; set++) {
      if (set > added - KEEP || found.isEmpty() || found.getFirst() < added) {
        assertThat(found).as("%d were added to %s", added, store).contains(set);
      }
    }
  }

  /** Reads all versions that are told of, newest first; says of which sets they are. */
  private List<Integer> assertReadable(CrashingStore store) throws IOException {
    PackDirectory directory = PackDirectory.of(store, "packs");
    List<PackDirectory.Version> versions = directory.list().versions();
    List<Integer> found = new ArrayList<>();
    for (PackDirectory.Version version : versions) {
      int set = Integer.parseInt(version.label().text());
      found.add(set);
      assertSame(directory, version, set);
    }
    assertThat(found).isSortedAccordingTo((a, b) -> Integer.compare(b, a));
    return found;
  }

  private void assertSame(PackDirectory directory, PackDirectory.Version version, int set)
      throws IOException {
    try (Pack pack = directory.open(version.id())) {
      assertThat(pack.members()).hasSize(FILES);
      for (int i = 0; i < FILES; i++) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        pack.readInOrder(
            pack.members().get(i), some -> bytes.writeBytes(some.toArray(ValueLayout.JAVA_BYTE)));
        assertThat(bytes.toByteArray()).isEqualTo(sets.get(set).get(i));
      }
    }
  }

  /** The next writer goes on at once, and nothing is left of what was begun. */
  private void assertGoesOn(CrashingStore store) throws IOException {
    try (PackDirectoryWriter writer = open(store)) {
      add(writer, SETS);
      add(writer, SETS);
      assertThat(writer.obstacle()).isEmpty();
    }
    PackDirectory directory = PackDirectory.of(store, "packs");
    List<PackDirectory.Version> versions = directory.list().versions();
    assertThat(versions).hasSize(KEEP);
    assertSame(directory, versions.getFirst(), SETS);
    Set<String> needed = new TreeSet<>();
    for (Manifest manifest : new SharedDirectory(store).list().versions()) {
      needed.add(manifest.name());
      manifest.references().forEach(reference -> needed.add(reference.segment()));
    }
    assertThat(store.list())
        .as("files of %s", store)
        .filteredOn(name -> !name.startsWith("lease-") && !name.equals("packs.lock"))
        .containsExactlyInAnyOrderElementsOf(needed);
  }

  @SeededTest(seeds = 1)
  @Thorough
  void nothingThatWasAddedIsLostWhereverTheMachineStops(long seed) throws IOException {
    CrashingStore whole = new CrashingStore(seed);
    assertThat(addAll(whole)).isEqualTo(SETS);
    assertSound(whole, SETS);
    for (long at = 1; at <= whole.operations(); at += STEP) {
      CrashingStore store = new CrashingStore(seed + at);
      store.crashAt(at);
      int added = addAll(store);
      for (Survival mode : List.of(Survival.LOSE_ALL, Survival.RANDOM, Survival.KEEP_ALL)) {
        CrashingStore survivor = store.survivor(mode);
        assertSound(survivor, added);
        if (mode != Survival.LOSE_ALL) {
          assertGoesOn(survivor);
        }
      }
      assertGoesOn(store.afterKill());
    }
  }

  @Test
  void aFullDiskLosesNothing() throws IOException {
    CrashingStore store = new CrashingStore(7);
    try (PackDirectoryWriter writer = open(store)) {
      add(writer, 0);
      for (long free : new long[] {0, 100, 1_000, 50_000}) {
        store.fillDiskAfter(free);
        assertThatThrownBy(() -> add(writer, 1))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("No space");
      }
      store.emptyDisk();
      assertSound(store, 1);
      add(writer, 1);
    }
    assertSound(store, 2);
    assertGoesOn(store);
  }

  @SeededTest(seeds = 1)
  @Thorough
  void aFailureIsToldAndLosesNothing(long seed) throws IOException {
    CrashingStore whole = new CrashingStore(seed);
    assertThat(addAll(whole)).isEqualTo(SETS);
    for (long at = 1; at <= whole.operations(); at += STEP) {
      CrashingStore store = new CrashingStore(seed + at);
      store.failAt(at);
      List<Integer> added = new ArrayList<>();
      for (int set = 0; set < SETS; set++) {
        try (PackDirectoryWriter writer = open(store)) {
          add(writer, set);
          added.add(set);
        } catch (IOException e) {
          assertThat(e).hasMessageContaining("simulated");
        }
      }
      assertThat(added).as("one fails at most").hasSizeGreaterThanOrEqualTo(SETS - 1);
      assertThat(assertReadable(store)).contains(added.getLast());
      assertGoesOn(store);
    }
  }
}
