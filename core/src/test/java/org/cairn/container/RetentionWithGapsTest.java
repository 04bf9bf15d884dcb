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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.cairn.Codec;
import org.cairn.CorruptContainerException;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.hash.Hashers;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.cairn.version.VersionId;
import org.cairn.version.VersionImage;
import org.cairn.version.VersionInfo;
import org.cairn.version.Zeros;
import org.junit.jupiter.api.Timeout;

/**
 * Long histories of a container that keeps some versions and drops others in between, and of a copy
 * of it: whatever is kept is whole, and the file does not grow.
 */
@Timeout(600)
class RetentionWithGapsTest {
  private static final int BLOCK = 2048;

  /** Regions have 64 KiB, and some are open or being emptied at any time. */
  private static final long SOME_REGIONS = 24 << 16;

  private final MemoryStore store = new MemoryStore();
  private final Map<VersionId, byte[]> model = new TreeMap<>();
  private final Set<VersionId> pinned = new HashSet<>();

  private Set<VersionId> keep(List<VersionId> versions) {
    Set<VersionId> kept = new HashSet<>(pinned);
    kept.add(versions.get(Math.max(0, versions.size() - 2)));
    return kept;
  }

  @SeededTest(seeds = 3)
  void whatIsKeptIsWholeAndTheFileStaysBounded(Random random) throws IOException {
    byte[] state = new byte[400_000];
    random.nextBytes(state);
    Container container = TestRun.open(store, "a.cairn", this::keep);
    long largest = 0;
    long mostLive = 0;
    for (int i = 1; i <= 250; i++) {
      state = change(state, random);
      VersionId id = TestRun.id(1, i, 1);
      commit(container, id, state);
      model.put(id, state.clone());
      choosePins(container, random);
      largest = Math.max(largest, container.usage().fileBytes());
      mostLive = Math.max(mostLive, container.usage().liveBytes());
      if (random.nextInt(40) == 0) {
        container.close();
        container = TestRun.open(store, "a.cairn", this::keep);
      }
      if (random.nextInt(25) == 0) {
        // Goes back to an older one; what was newer is given up.
        List<VersionInfo> versions = container.versions();
        VersionInfo older = versions.get(random.nextInt(versions.size()));
        container.continueFrom(older);
        state = saved(older.id()).clone();
        pinned.removeIf(version -> version.compareTo(older.id()) > 0);
      }
      verify(container);
      assertThat(container.usage().liveBytes()).isLessThanOrEqualTo(container.usage().fileBytes());
    }
    assertThat(largest).isLessThan(2 * mostLive + SOME_REGIONS);
    container.close();
  }

  private byte[] saved(VersionId id) {
    return Objects.requireNonNull(model.get(id));
  }

  private void choosePins(Container container, Random random) {
    List<VersionId> versions = container.versions().stream().map(VersionInfo::id).toList();
    pinned.removeIf(version -> !versions.contains(version) || random.nextInt(6) == 0);
    if (pinned.size() < 3 && random.nextInt(3) == 0) {
      pinned.add(versions.get(random.nextInt(versions.size())));
    }
  }

  private static byte[] change(byte[] state, Random random) {
    int size = state.length;
    if (random.nextInt(6) == 0) {
      size = Math.clamp(size + random.nextInt(80_000) - 40_000, 10_000, 600_000);
    }
    byte[] next = Arrays.copyOf(state, size);
    for (int i = random.nextInt(12); i >= 0; i--) {
      int block = random.nextInt(1 + (size - 1) / BLOCK);
      if (random.nextInt(4) == 0) {
        Arrays.fill(next, block * BLOCK, Math.min(size, (block + 1) * BLOCK), (byte) 0);
      } else {
        next[block * BLOCK] = (byte) random.nextInt();
      }
    }
    return next;
  }

  private static void commit(Container container, VersionId id, byte[] state) throws IOException {
    Commit commit = container.begin(id, Instant.EPOCH);
    DatasetPlan plan =
        commit.plan(
            new DatasetSpec(
                "state",
                ElementType.BYTE,
                List.of((long) state.length),
                state.length,
                BLOCK,
                HashAlgorithm.XXH3_128,
                Codec.NONE));
    long[] digest = new long[2];
    try (Arena arena = Arena.ofConfined()) {
      StagedBlocks staged = new StagedBlocks(arena.allocate(1 << 20, 64));
      for (int block = 0; block < plan.entry().blocks(); block++) {
        int length = plan.entry().blockLength(block);
        MemorySegment bytes = MemorySegment.ofArray(state).asSlice((long) block * BLOCK, length);
        Hashers.of(HashAlgorithm.XXH3_128).hash(bytes, 0, length, length, digest, 0);
        boolean clean = plan.isComparable(block) && plan.isClean(block, digest[0], digest[1]);
        if (!clean) {
          plan.changed(block);
        } else if (!plan.takeToMove(block)) {
          continue;
        }
        int slot = plan.entry().slotOf(block);
        if (Zeros.isZero(bytes, 0, length)) {
          staged.addZero(slot, length);
        } else {
          MemorySegment.copy(bytes, 0, staged.memory(), staged.used(), length);
          staged.addRaw(slot, length, digest[0], digest[1]);
        }
      }
      commit.store(staged, 0);
      commit.publish();
    }
  }

  @SeededTest(seeds = 2)
  void aCopyEqualsItsOriginalAndStaysBounded(Random random) throws IOException {
    byte[] state = new byte[400_000];
    random.nextBytes(state);
    try (Container original = TestRun.open(store, "a.cairn", 3);
        Container copy = TestRun.open(store, "b.cairn", 2)) {
      long largest = 0;
      long mostLive = 0;
      for (int i = 1; i <= 500; i++) {
        state = change(state, random);
        VersionId id = TestRun.id(1, i, 1);
        commit(original, id, state);
        model.put(id, state.clone());
        if (random.nextInt(20) == 0 && original.versions().size() > 1) {
          // The ranks went back: so does the copy, whether it has that version or not.
          VersionInfo older = original.versions().get(1);
          original.continueFrom(older);
          state = saved(older.id()).clone();
          copyTo(copy, original.view(older));
        } else if (random.nextInt(4) > 0) {
          copyTo(copy, original.view(original.versions().getFirst()));
        }
        verify(copy);
        largest = Math.max(largest, copy.usage().fileBytes());
        mostLive = Math.max(mostLive, copy.usage().liveBytes());
      }
      assertThat(largest).isLessThan(2 * mostLive + SOME_REGIONS);
    }
  }

  private static void copyTo(Container copy, VersionView target) throws IOException {
    List<VersionInfo> there = copy.versions();
    VersionView base = null;
    if (!there.isEmpty()) {
      copy.continueFrom(there.getFirst());
      base = copy.view(there.getFirst());
    }
    Commit commit = copy.beginCopy(target.info().id(), target.info().takenAt());
    commit.copy(target.datasets(), target.info());
    try (Arena arena = Arena.ofConfined();
        BlockReader reader = new BlockReader(target)) {
      StagedBlocks staged = new StagedBlocks(arena.allocate(1 << 20, 64));
      target.<IOException>forEachChanged(
          base,
          (dataset, block) -> {
            int slot = dataset.slotOf(block);
            if (target.isZero(dataset, block)) {
              staged.addZero(slot, dataset.blockLength(block));
            } else {
              MemorySegment bytes = reader.readStored(dataset, block).bytes();
              MemorySegment.copy(bytes, 0, staged.memory(), staged.used(), bytes.byteSize());
              staged.addRaw(
                  slot,
                  dataset.blockLength(block),
                  target.low(dataset, block),
                  target.high(dataset, block));
            }
          });
      commit.store(staged, 0);
      commit.moveClean(new StagedBlocks(arena.allocate(1 << 20, 64)));
      VersionInfo made = commit.publish();
      assertThat(made.digestLow()).isEqualTo(target.info().digestLow());
      assertThat(made.digestHigh()).isEqualTo(target.info().digestHigh());
      assertThat(copy.versions().getFirst().id()).isEqualTo(target.info().id());
    }
  }

  @SeededTest(seeds = 5)
  void theImageOfAMapMeansTheSameElsewhere(Random random) throws IOException {
    byte[] state = change(new byte[300_000 + random.nextInt(1000)], random);
    try (Container container = TestRun.open(store, "a.cairn", 3)) {
      commit(container, TestRun.id(1, 1, 1), state);
      compareImages(container, state, random);
    }
  }

  private void compareImages(Container container, byte[] state, Random random) throws IOException {
    try (ContainerReader reader = ContainerReader.open(store, "a.cairn");
        Arena arena = Arena.ofConfined()) {
      // Read from the file: a view of the newest version of an open container follows the next.
      VersionView view = reader.view(TestRun.id(1, 1, 1));
      MemorySegment bytes = VersionImage.of(view, arena).bytes();
      VersionImage image = VersionImage.read(bytes, "test");
      assertThat(image.info().id()).isEqualTo(view.info().id());
      List<Integer> differing = new ArrayList<>();
      view.<RuntimeException>forEachChanged(image, (dataset, block) -> differing.add(block));
      assertThat(differing).isEmpty();
      commit(container, TestRun.id(1, 2, 1), change(state, random));
      VersionView next = container.view(container.versions().getFirst());
      List<Integer> changed = new ArrayList<>();
      next.<RuntimeException>forEachChanged(view, (dataset, block) -> changed.add(block));
      next.<RuntimeException>forEachChanged(image, (dataset, block) -> differing.add(block));
      assertThat(differing).isEqualTo(changed);
      for (long length = 0; length < bytes.byteSize(); length += 197) {
        MemorySegment cut = bytes.asSlice(0, length);
        assertThatThrownBy(() -> VersionImage.read(cut, "test"))
            .isInstanceOf(CorruptContainerException.class);
      }
    }
  }

  private void verify(Container container) throws IOException {
    for (VersionInfo version : container.versions()) {
      VersionView view = container.view(version);
      byte[] expected = saved(version.id());
      DatasetEntry dataset = view.find("state").orElseThrow();
      assertThat(dataset.spec().byteLength()).isEqualTo(expected.length);
      try (BlockReader reader = new BlockReader(view)) {
        for (int block = 0; block < dataset.blocks(); block++) {
          MemorySegment found = reader.readStored(dataset, block).bytes();
          int length = dataset.blockLength(block);
          MemorySegment wanted =
              MemorySegment.ofArray(expected).asSlice((long) block * BLOCK, length);
          boolean same =
              view.isZero(dataset, block)
                  ? Zeros.isZero(wanted, 0, length)
                  : wanted.mismatch(found) < 0;
          if (!same) {
            throw new AssertionError("block " + block + " of version " + version.id());
          }
        }
      }
    }
  }
}
