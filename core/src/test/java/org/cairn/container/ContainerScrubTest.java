// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.cairn.CorruptContainerException;
import org.cairn.HashAlgorithm;
import org.cairn.hash.Hashers;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.CrashingStore;
import org.cairn.testkit.store.RottingStore;
import org.cairn.testkit.store.RottingStore.Kind;
import org.cairn.testkit.store.SimulatedCrash;
import org.cairn.testkit.store.Survival;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rot is found on the medium, and healed by the next commit for every version that shares it. */
class ContainerScrubTest {
  private static final String NAME = "a.cairn";

  private final RottingStore store = RottingStore.over(new MemoryStore());
  private final Map<VersionId, SmallState> saved = new LinkedHashMap<>();
  private long sequence;

  private static SmallState cold() {
    SmallState state = new SmallState();
    byte[] bytes = new byte[10_000];
    new Random(3).nextBytes(bytes);
    state.datasets.put("cold", new SmallState.Content(bytes, 256, HashAlgorithm.XXH3_128));
    state.datasets.put("step", new SmallState.Content(new byte[8], 128, HashAlgorithm.XXH3_128));
    return state;
  }

  private static SmallState.Content content(SmallState state, String dataset) {
    return Objects.requireNonNull(state.datasets.get(dataset));
  }

  private static void advance(SmallState state) {
    SmallState.Content step = content(state, "step");
    byte[] next = step.bytes().clone();
    next[0]++;
    state.datasets.put("step", step.withBytes(next));
  }

  private VersionInfo commit(Container container, SmallState state) throws IOException {
    VersionId id = TestRun.id(container.epoch(), ++sequence, 1);
    VersionInfo info = state.commit(container, id);
    saved.put(id, state.copy());
    return info;
  }

  private List<String> scrub(Container container) throws IOException {
    return scrub(container, store);
  }

  private static List<String> scrub(Container container, Store disk) throws IOException {
    try (ContainerScrub scrub = new ContainerScrub(container, disk)) {
      while (!scrub.isDone()) {
        scrub.step();
      }
      return scrub.takeFound();
    }
  }

  private static VersionView.BlockPlace place(
      Container container, VersionInfo version, String dataset, int block) throws IOException {
    VersionView view = container.view(version);
    return view.place(view.find(dataset).orElseThrow(), block);
  }

  private void checkAll(Container container) throws IOException {
    for (VersionInfo version : container.versions()) {
      assertThat(SmallState.read(container.view(version))).isEqualTo(saved.get(version.id()));
    }
  }

  @Test
  void aColdBlockIsHealedForEveryVersionThatSharesIt() throws IOException {
    SmallState state = cold();
    try (Container container = TestRun.open(store, NAME, 3)) {
      VersionInfo newest = commit(container, state);
      for (int i = 0; i < 3; i++) {
        advance(state);
        newest = commit(container, state);
      }
      VersionView.BlockPlace before = place(container, newest, "cold", 7);
      store.rot(NAME, before.offset() + 100, 1, Kind.FLIPPED);
      assertThat(scrub(container)).hasSize(1).first().asString().contains("block 7 of \"cold\"");
      assertThat(container.takeMended().isEmpty()).as("memory has not been asked yet").isTrue();

      advance(state);
      newest = commit(container, state);
      Mended mended = container.takeMended();
      assertThat(mended.healed()).hasSize(1);
      assertThat(mended.lost()).isEmpty();
      checkAll(container);
      for (VersionInfo version : container.versions()) {
        assertThat(place(container, version, "cold", 7).offset()).isNotEqualTo(before.offset());
      }
      assertThat(store.isRotten(NAME, before.offset(), 256)).as("never in place").isTrue();
      assertThat(scrub(container)).isEmpty();
    }
    try (Container container = TestRun.open(store, NAME, 3)) {
      checkAll(container);
    }
  }

  @Test
  void memoryThatChangedDoesNotHealOlderVersions() throws IOException {
    SmallState state = cold();
    try (Container container = TestRun.open(store, NAME, 3)) {
      VersionInfo first = commit(container, state);
      advance(state);
      VersionInfo second = commit(container, state);
      store.rot(NAME, place(container, second, "cold", 3).offset(), 9, Kind.UNREADABLE);
      assertThat(scrub(container)).hasSize(1);
      byte[] other = content(state, "cold").bytes().clone();
      other[3 * 256] ^= 1;
      state.datasets.put("cold", content(state, "cold").withBytes(other));
      commit(container, state);

      Mended mended = container.takeMended();
      assertThat(mended.healed()).isEmpty();
      assertThat(mended.lost()).hasSize(1).first().asString().contains("block 3 of \"cold\"");
      assertThat(SmallState.read(container.view(container.versions().getFirst()))).isEqualTo(state);
      assertThatThrownBy(() -> SmallState.read(container.view(first)))
          .isInstanceOf(CorruptContainerException.class);
      advance(state);
      commit(container, state);
      assertThat(container.takeMended().isEmpty()).as("told once").isTrue();
    }
  }

  @Test
  void whatIsGoodInTheCacheHealsWhateverMemoryHas() throws IOException {
    SmallState state = cold();
    try (Container container = TestRun.open(store, NAME, 3)) {
      VersionInfo first = commit(container, state);
      store.rot(NAME, place(container, first, "cold", 5).offset(), 1, Kind.BEHIND_CACHE);
      byte[] other = content(state, "cold").bytes().clone();
      Arrays.fill(other, (byte) 1);
      state.datasets.put("cold", content(state, "cold").withBytes(other));
      commit(container, state);
      assertThat(scrub(container)).hasSize(1);
      commit(container, state);
      assertThat(container.takeMended().healed()).hasSize(1);
      assertThat(scrub(container)).isEmpty();
      checkAll(container);
    }
  }

  @Test
  void rotBehindTheCacheIsNotSeenWhereTheStoreCannotLookThere() throws IOException {
    RottingStore blind = RottingStore.withoutMedium(new MemoryStore());
    try (Container container = TestRun.open(blind, NAME, 2)) {
      VersionInfo first = commit(container, cold());
      blind.rot(NAME, place(container, first, "cold", 5).offset(), 1, Kind.BEHIND_CACHE);
      try (ContainerScrub scrub = new ContainerScrub(container, blind)) {
        assertThat(scrub.isUncached()).isFalse();
        while (!scrub.isDone()) {
          scrub.step();
        }
        assertThat(scrub.takeFound()).isEmpty();
        assertThat(scrub.bytes()).isGreaterThan(10_000);
      }
    }
  }

  // ---------------------------------------------------------------- rot in the way of a commit

  /** Changes some blocks, and lets the commit move others without looking at memory. */
  private VersionInfo commitUnseen(Container container, SmallState state, int... blocks)
      throws IOException {
    SmallState.Content cold = content(state, "cold");
    byte[] next = cold.bytes().clone();
    VersionId id = TestRun.id(container.epoch(), ++sequence, 1);
    Commit commit = container.begin(id, Instant.EPOCH);
    commit.keepUnseen();
    DatasetEntry entry = commit.plan(cold.spec("cold")).entry();
    commit.plan(content(state, "step").spec("step"));
    try (Arena arena = Arena.ofConfined()) {
      StagedBlocks staged = new StagedBlocks(arena.allocate(1 << 20, 64));
      long[] digest = new long[2];
      for (int block : blocks) {
        next[block * 256]++;
        int length = entry.blockLength(block);
        MemorySegment bytes = MemorySegment.ofArray(next).asSlice(block * 256L, length);
        Hashers.of(cold.algorithm()).hash(bytes, 0, length, length, digest, 0);
        MemorySegment.copy(bytes, 0, staged.memory(), staged.used(), length);
        staged.addRaw(entry.slotOf(block), length, digest[0], digest[1]);
      }
      commit.store(staged, 0);
      commit.moveClean(staged);
    }
    state.datasets.put("cold", cold.withBytes(next));
    saved.put(id, state.copy());
    return commit.publish();
  }

  /** A block that the next commit would move; -1 if there is none. */
  private static int nextToMove(Container container, VersionInfo newest) throws IOException {
    BitSet victims = container.held().space().victims(container.held().expectedDelta(), false);
    VersionView view = container.view(newest);
    DatasetEntry entry = view.find("cold").orElseThrow();
    for (int block = 4; block < entry.blocks(); block++) {
      if (container.held().space().touches(victims, view.place(entry, block).offset(), 256)) {
        return block;
      }
    }
    return -1;
  }

  @ParameterizedTest
  @EnumSource(names = {"FLIPPED", "UNREADABLE"})
  void aRottenBlockIsNotMovedAsIfItWereWell(Kind kind) throws IOException {
    SmallState state = cold();
    byte[] large = new byte[200_000];
    new Random(4).nextBytes(large);
    state.datasets.put("cold", content(state, "cold").withBytes(large));
    try (Container container = TestRun.open(store, NAME, 2)) {
      VersionInfo newest = commit(container, state);
      int block = -1;
      for (int i = 0; block < 0; i++) {
        assertThat(i).as("commits without anything to be moved").isLessThan(2000);
        newest = commitUnseen(container, state, 0, 1, 2, 3, 4 + i * 7 % 350, 354 + i * 11 % 350);
        block = nextToMove(container, newest);
      }
      long before = place(container, newest, "cold", block).offset();
      store.rot(NAME, before + 100, 1, kind);
      newest = commitUnseen(container, state, 0, 1, 2, 3);

      assertThat(place(container, newest, "cold", block).offset()).isEqualTo(before);
      Mended mended = container.takeMended();
      assertThat(mended.found())
          .singleElement()
          .asString()
          .contains("block " + block + " of \"cold\"", NAME);
      assertThat(mended.lost()).as("memory has not been asked yet").isEmpty();
      newest = commit(container, state);
      assertThat(container.takeMended().healed()).isEqualTo(mended.found());
      assertThat(place(container, newest, "cold", block).offset()).isNotEqualTo(before);
      checkAll(container);
    }
  }

  // ---------------------------------------------------------------- records

  @Test
  void olderVersionsWhoseMapIsNowhereAreNamed() throws IOException {
    SmallState state = cold();
    try (Container container = TestRun.open(store, NAME, 3)) {
      VersionInfo first = commit(container, state);
      advance(state);
      VersionInfo second = commit(container, state);
      store.rot(NAME, mapRecord(container, 0).offset(), 1, Kind.FLIPPED);
      assertThat(scrub(container)).isNotEmpty();
      advance(state);
      VersionInfo third = commit(container, state);

      assertThat(SmallState.read(container.view(third))).isEqualTo(state);
      assertThat(container.takeMended().lost())
          .singleElement()
          .asString()
          .startsWith(
              "versions %s, %s cannot be restored from this file, only from copies elsewhere: "
                  .formatted(first.id(), second.id()))
          .contains("the block map of version", NAME + ", offset");
      commit(container, state);
      assertThat(container.takeMended().isEmpty()).as("told once").isTrue();
    }
  }

  private Pointer mapRecord(Container container, int index) {
    return container.held().root().records().get(index).place();
  }

  @Test
  void theMapOfTheNewestVersionIsWrittenAnewFromMemory() throws IOException {
    SmallState state = cold();
    try (Container container = TestRun.open(store, NAME, 2)) {
      commit(container, state);
      advance(state);
      VersionInfo second = commit(container, state);
      Pointer first = mapRecord(container, 0);
      store.rot(NAME, first.offset() + 20, 1, Kind.FLIPPED);
      assertThat(scrub(container)).isNotEmpty();
      advance(state);
      VersionInfo third = commit(container, state);
      // The one before the newest had the bad record too; only the newest is in memory.
      assertThat(container.takeMended().lost())
          .hasSize(1)
          .first()
          .asString()
          .contains(second.id().toString());
      assertThat(SmallState.read(container.view(third))).isEqualTo(state);
    }
    try (ContainerReader reader = ContainerReader.open(store, NAME)) {
      VersionView view = reader.view(reader.versions().getFirst().id());
      assertThat(SmallState.read(view)).as("from the file").isEqualTo(state);
    }
  }

  @Test
  void mapRecordsAndCatalogsThatTheCacheHasAreHealedForAllVersions() throws IOException {
    SmallState state = cold();
    try (Container container = TestRun.open(store, NAME, 3)) {
      commit(container, state);
      advance(state);
      commit(container, state);
      for (Pointer place : container.held().root().places()) {
        store.rot(NAME, place.offset() + 9, 1, Kind.BEHIND_CACHE);
      }
      assertThat(scrub(container)).hasSize(3);
      advance(state);
      commit(container, state);
      assertThat(container.takeMended().healed()).hasSize(3);
      assertThat(scrub(container)).isEmpty();
      checkAll(container);
    }
    try (Container container = TestRun.open(store, NAME, 3)) {
      checkAll(container);
    }
  }

  @Test
  void superblocksAndRootsAreWrittenAnew() throws IOException {
    SmallState state = cold();
    try (Container container = TestRun.open(store, NAME, 3)) {
      commit(container, state);
      for (long[] range : new long[][] {{8, 4}, {4096 + 40, 1}, {-1, 1}}) {
        Pointer root = container.held().writer().superblock().root();
        store.rot(NAME, range[0] < 0 ? root.offset() : range[0], range[1], Kind.BEHIND_CACHE);
        assertThat(scrub(container)).hasSize(1);
        commit(container, state);
        assertThat(container.takeMended().healed()).hasSize(1);
        assertThat(scrub(container)).isEmpty();
      }
      checkAll(container);
    }
  }

  // ---------------------------------------------------------------- without memory

  @Test
  void anotherContainerHealsOneWhoseProgramDoesNotRun() throws IOException {
    SmallState state = cold();
    MemoryStore disk = new MemoryStore();
    RottingStore rotting = RottingStore.over(disk);
    VersionInfo newest;
    try (Container container = TestRun.open(rotting, NAME, 3)) {
      commit(container, state);
      advance(state);
      newest = commit(container, state);
    }
    MemoryStore good = disk.copy();
    try (Container container = TestRun.open(rotting, NAME, 3);
        ContainerReader other = ContainerReader.open(good, NAME)) {
      rotting.rot(NAME, place(container, newest, "cold", 1).offset(), 1, Kind.FLIPPED);
      rotting.rot(NAME, place(container, newest, "cold", 2).offset(), 1, Kind.UNREADABLE);
      scrub(container, rotting);
      VersionView view = other.view(newest.id());
      try (BlockReader reader = new BlockReader(view)) {
        Mended mended =
            container.mend(
                bad -> {
                  if (bad.block() == 2) {
                    return Optional.of(MemorySegment.ofArray(new byte[bad.length()]));
                  }
                  return read(reader, view, bad);
                });
        assertThat(mended.healed()).hasSize(1);
        assertThat(mended.lost()).as("bytes with another digest are not taken").hasSize(1);
        assertThat(container.mend(bad -> read(reader, view, bad)).healed()).hasSize(1);
      }
      checkAll(container);
    }
  }

  private static Optional<MemorySegment> read(BlockReader reader, VersionView view, BadBlock bad) {
    try {
      return Optional.of(reader.read(view.find(bad.dataset()).orElseThrow(), bad.block()));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  // ---------------------------------------------------------------- a writer at work

  @SeededTest(seeds = 1)
  void commitsBesideDoNotLookLikeRot(Random random) throws Exception {
    SmallState state = new SmallState();
    byte[] bytes = new byte[300_000];
    random.nextBytes(bytes);
    state.datasets.put("hot", new SmallState.Content(bytes, 4096, HashAlgorithm.XXH3_128));
    try (Container container = TestRun.open(store, NAME, 1)) {
      commit(container, state);
      AtomicBoolean stop = new AtomicBoolean();
      List<String> found = new ArrayList<>();
      AtomicInteger rounds = new AtomicInteger();
      Thread scrubber =
          new Thread(
              () -> {
                try {
                  while (!stop.get()) {
                    found.addAll(scrub(container));
                    rounds.incrementAndGet();
                  }
                } catch (IOException e) {
                  found.add(e.toString());
                }
              });
      scrubber.start();
      for (int i = 0; i < 40 || rounds.get() < 2; i++) {
        byte[] next = content(state, "hot").bytes().clone();
        for (int j = 0; j < 100; j++) {
          next[random.nextInt(next.length)]++;
        }
        state.datasets.put("hot", content(state, "hot").withBytes(next));
        commit(container, state);
      }
      stop.set(true);
      scrubber.join();
      assertThat(found).isEmpty();
      assertThat(container.usage().fileBytes()).as("what was held is let go").isLessThan(3_000_000);
      checkAll(container);
    }
  }

  @Test
  void whatIsReadIsNotGivenAwayMeanwhile() throws IOException {
    assertThat(isWrittenAgain(false)).as("of a version that is dropped").isTrue();
    assertThat(isWrittenAgain(true)).as("while it is held").isFalse();
  }

  private boolean isWrittenAgain(boolean hold) throws IOException {
    String name = "held-" + hold + ".cairn";
    SmallState state = new SmallState();
    boolean again = false;
    try (Container container = TestRun.open(store, name, 1)) {
      ExtentList held = new ExtentList();
      for (int i = 1; i < 20; i++) {
        byte[] bytes = new byte[300_000];
        Arrays.fill(bytes, (byte) i);
        state.datasets.put("hot", new SmallState.Content(bytes, 4096, HashAlgorithm.XXH3_128));
        VersionInfo version = commit(container, state);
        if (i == 1) {
          held.extent(place(container, version, "hot", 50).offset(), 4096);
          if (hold) {
            container.held().ledger().hold(held);
          }
        } else {
          ExtentList places = new ExtentList();
          container.view(version).map().forEachExtent(places);
          places.addAll(held);
          again |= places.firstOverlap() >= 0;
        }
      }
      container.held().ledger().letGo(held);
    }
    return again;
  }

  // ---------------------------------------------------------------- at random

  /** A bad place of the newest version, as the oracle sees it. */
  private record Planted(String dataset, int block, long place, boolean behindCache) {}

  @SeededTest(seeds = 30)
  void whatCouldBeHealedIsAndNothingElseChanges(Random random) throws IOException {
    SmallState state = new SmallState();
    int retain = 1 + random.nextInt(4);
    Container container = TestRun.open(store, NAME, retain);
    Set<VersionId> hopeless = new HashSet<>();
    try {
      for (int round = 0; round < 12; round++) {
        for (int i = random.nextInt(3); i >= 0; i--) {
          state.change(random);
          commit(container, state);
        }
        List<Planted> planted = plant(container, random);
        scrub(container);
        SmallState next = state.copy();
        for (int i = random.nextInt(3); i > 0; i--) {
          next.change(random);
        }
        Map<VersionId, Set<Long>> places = places(container);
        for (Planted one : planted) {
          if (!one.behindCache && !isIn(next, state, one)) {
            places.forEach(
                (id, all) -> {
                  if (all.contains(one.place)) {
                    hopeless.add(id);
                  }
                });
          }
        }
        state = next;
        commit(container, state);
        Mended mended = container.takeMended();
        checkAgainst(container, hopeless, mended);
        if (random.nextInt(4) == 0) {
          container.close();
          container = TestRun.open(store, NAME, retain);
          checkAgainst(container, hopeless, mended);
        }
      }
    } finally {
      container.close();
    }
  }

  private List<Planted> plant(Container container, Random random) throws IOException {
    VersionView newest = container.view(container.versions().getFirst());
    List<Planted> planted = new ArrayList<>();
    for (DatasetEntry dataset : newest.datasets()) {
      for (int block = 0; block < dataset.blocks(); block++) {
        VersionView.BlockPlace place = newest.place(dataset, block);
        if (!place.isZero() && random.nextInt(12) == 0) {
          Kind kind = Kind.values()[random.nextInt(3)];
          long at = place.offset() + random.nextInt(place.storedLength());
          store.rot(NAME, at, 1, kind);
          planted.add(
              new Planted(dataset.name(), block, place.offset(), kind == Kind.BEHIND_CACHE));
        }
      }
    }
    return planted;
  }

  private static Map<VersionId, Set<Long>> places(Container container) throws IOException {
    Map<VersionId, Set<Long>> places = new LinkedHashMap<>();
    for (VersionInfo version : container.versions()) {
      Set<Long> all = new HashSet<>();
      container.view(version).map().forEachExtent((place, length) -> all.add(place));
      places.put(version.id(), all);
    }
    return places;
  }

  /** Whether the block is in the next state as it was in the one before. */
  private static boolean isIn(SmallState next, SmallState before, Planted one) {
    SmallState.Content old = content(before, one.dataset);
    SmallState.Content now = next.datasets.get(one.dataset);
    if (now == null || now.blockSize() != old.blockSize() || now.algorithm() != old.algorithm()) {
      return false;
    }
    int from = one.block * old.blockSize();
    int to = Math.min(old.bytes().length, from + old.blockSize());
    boolean sameLength =
        now.bytes().length == old.bytes().length
            || (now.bytes().length >= from + old.blockSize() && to == from + old.blockSize());
    return sameLength && Arrays.equals(old.bytes(), from, to, now.bytes(), from, to);
  }

  private void checkAgainst(Container container, Set<VersionId> hopeless, Mended mended)
      throws IOException {
    for (VersionInfo version : container.versions()) {
      SmallState expected = saved.get(version.id());
      try {
        assertThat(SmallState.read(container.view(version))).isEqualTo(expected);
      } catch (CorruptContainerException e) {
        assertThat(hopeless).as(e.getMessage()).contains(version.id());
      }
    }
    assertThat(mended).isNotNull();
  }

  // ---------------------------------------------------------------- dying on the way

  @SeededTest(seeds = 2)
  void aHealingThatDiesAtAnyOperationLosesNothing(long seed) throws IOException {
    SmallState state = cold();
    CrashingStore disk = new CrashingStore(seed);
    RottingStore rotting = RottingStore.over(disk);
    VersionInfo newest;
    try (Container container = TestRun.open(rotting, NAME, 3)) {
      commit(container, state);
      advance(state);
      newest = commit(container, state);
    }
    boolean survived = false;
    Random random = new Random(seed);
    for (int operation = 1; !survived; operation++) {
      CrashingStore life = disk.afterKill();
      RottingStore bad = RottingStore.over(life);
      long rotten = -1;
      Map<VersionId, SmallState> known = new LinkedHashMap<>(saved);
      SmallState next = state.copy();
      advance(next);
      try (Container container = TestRun.open(bad, NAME, 3)) {
        rotten = place(container, newest, "cold", 4).offset();
        VersionId id = TestRun.id(container.epoch(), sequence + 1, 1);
        known.put(id, next);
        bad.rot(NAME, rotten, 256, Kind.FLIPPED);
        scrub(container, bad);
        life.crashAt(operation);
        next.commit(container, id);
        survived = !life.hasCrashed();
        if (survived) {
          assertThat(container.takeMended().healed()).hasSize(1);
        }
      } catch (SimulatedCrash e) {
        survived = false;
      }
      List<CrashingStore> left =
          List.of(
              life.survivor(Survival.LOSE_ALL),
              life.survivor(Survival.KEEP_ALL),
              life.survivor(random),
              life.afterKill());
      for (CrashingStore after : left) {
        RottingStore seen = RottingStore.over(after);
        seen.rot(NAME, rotten, 256, Kind.FLIPPED);
        checkAfterDeath(seen, next, known);
      }
    }
  }

  /** All that was there is there, or is healed by a round and a commit of the same memory. */
  private void checkAfterDeath(
      RottingStore disk, SmallState memory, Map<VersionId, SmallState> known) throws IOException {
    try (Container container = TestRun.open(disk, NAME, 4)) {
      assertThat(container.versions().size()).isGreaterThanOrEqualTo(2);
      scrub(container, disk);
      VersionId id = TestRun.id(container.epoch(), sequence + 2, 1);
      memory.commit(container, id);
      assertThat(container.takeMended().lost()).isEmpty();
      Map<VersionId, SmallState> all = new LinkedHashMap<>(known);
      all.put(id, memory);
      for (VersionInfo version : container.versions()) {
        assertThat(SmallState.read(container.view(version))).isEqualTo(all.get(version.id()));
      }
    }
  }

  @Test
  void aHealingThatFailsDoesNotFailTheCheckpoint() throws IOException {
    SmallState state = cold();
    CrashingStore disk = new CrashingStore(1);
    VersionInfo newest;
    try (Container container = TestRun.open(disk, NAME, 3)) {
      commit(container, state);
      newest = commit(container, state);
    }
    long rotten = -1;
    int durableButNotMended = 0;
    boolean mended = false;
    for (int operation = 1; !mended; operation++) {
      CrashingStore life = disk.afterKill();
      RottingStore rotting = RottingStore.over(life);
      try (Container container = TestRun.open(rotting, NAME, 3)) {
        rotten = place(container, newest, "cold", 4).offset();
        rotting.rot(NAME, rotten, 256, Kind.FLIPPED);
        scrub(container, rotting);
        life.failAt(operation);
        state.commit(container, TestRun.id(container.epoch(), 10, 1));
        mended = !container.takeMended().healed().isEmpty() && !container.isBroken();
        durableButNotMended += mended ? 0 : 1;
      } catch (IOException e) {
        continue; // it was the commit that failed
      }
      RottingStore after = RottingStore.over(life.afterKill());
      after.rot(NAME, rotten, 256, Kind.FLIPPED);
      try (Container container = TestRun.open(after, NAME, 3)) {
        assertThat(container.versions().getFirst().id().sequence()).isEqualTo(10);
        scrub(container, after);
        state.commit(container, TestRun.id(container.epoch(), 11, 1));
        for (VersionInfo version : container.versions()) {
          assertThat(SmallState.read(container.view(version))).isEqualTo(state);
        }
      }
    }
    assertThat(durableButNotMended).isGreaterThanOrEqualTo(4);
  }
}
