// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.cairn.Codec;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.codec.BlockCodec;
import org.cairn.codec.BlockCodecs;
import org.cairn.container.BlockReader;
import org.cairn.container.Commit;
import org.cairn.container.Container;
import org.cairn.container.ContainerReader;
import org.cairn.container.DatasetPlan;
import org.cairn.container.StagedBlocks;
import org.cairn.container.VersionView;
import org.cairn.hash.Hashers;
import org.cairn.store.Store;
import org.cairn.testkit.version.TestRun;
import org.cairn.tier.FileNames;
import org.cairn.tier.Home;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.cairn.version.VersionId;

/** A rank of tests: its state, its store, and all versions of its state so far. */
final class Member {
  /** How many versions are remembered. */
  private static final int KEPT = 10;

  final int rank;
  Store store;
  final Map<String, Data> state = new LinkedHashMap<>();
  final Map<VersionId, Map<String, byte[]>> history = new LinkedHashMap<>();
  int retain = 3;
  long dirtyBytes;

  /** One dataset. */
  record Data(byte[] bytes, int blockSize, Codec codec) {}

  Member(int rank, Store store) {
    this.rank = rank;
    this.store = store;
  }

  Home home(int ranks) {
    Home home = new Home(store, rank, ranks, TestRun.RANDOM);
    home.enter(TestRun.lineage(ranks), FileNames.local(rank));
    return home;
  }

  void put(String name, byte[] bytes, int blockSize) {
    state.put(name, new Data(bytes, blockSize, Codec.NONE));
  }

  void put(String name, byte[] bytes, int blockSize, Codec codec) {
    state.put(name, new Data(bytes, blockSize, codec));
  }

  byte[] saved(VersionId id, String name) {
    return Objects.requireNonNull(Objects.requireNonNull(history.get(id)).get(name));
  }

  Container open() throws IOException {
    return TestRun.open(store, FileNames.local(rank), retain);
  }

  /** Takes a checkpoint of the state. */
  void checkpoint(VersionId id) throws IOException {
    try (Container container = open()) {
      checkpoint(container, id);
    }
  }

  /** Takes a checkpoint of the state into the container, which stays open. */
  void checkpoint(Container container, VersionId id) throws IOException {
    Map<String, byte[]> copy = new LinkedHashMap<>();
    state.forEach((name, data) -> copy.put(name, data.bytes.clone()));
    history.put(id, copy);
    history
        .keySet()
        .removeIf(old -> old.epoch() == id.epoch() && old.sequence() + KEPT <= id.sequence());
    dirtyBytes = 0;
    try (Arena arena = Arena.ofConfined()) {
      Commit commit = container.begin(id, Instant.EPOCH);
      for (Map.Entry<String, Data> one : state.entrySet()) {
        save(commit, one.getKey(), one.getValue(), arena);
      }
      commit.publish();
    }
  }

  private void save(Commit commit, String name, Data data, Arena arena) throws IOException {
    long length = data.bytes.length;
    DatasetPlan plan =
        commit.plan(
            new DatasetSpec(
                name,
                ElementType.BYTE,
                List.of(length),
                length,
                data.blockSize,
                HashAlgorithm.XXH3_128,
                data.codec));
    MemorySegment bytes = MemorySegment.ofArray(data.bytes);
    StagedBlocks staged = new StagedBlocks(arena.allocate(2 * length + (1 << 16), 64));
    DatasetEntry entry = plan.entry();
    long[] digest = new long[2];
    for (int block = 0; block < entry.blocks(); block++) {
      int size = entry.blockLength(block);
      long at = (long) block * data.blockSize;
      Hashers.of(HashAlgorithm.XXH3_128).hash(bytes, at, size, size, digest, 0);
      if (plan.isComparable(block) && plan.isClean(block, digest[0], digest[1])) {
        continue;
      }
      dirtyBytes += size;
      int slot = entry.slotOf(block);
      int coded = data.codec == Codec.NONE ? -1 : code(data.codec, bytes, at, size, staged);
      if (DatasetPlan.isZero(bytes, at, size)) {
        staged.addZero(slot, size);
      } else if (coded > 0) {
        staged.addCoded(slot, size, data.codec.id(), coded, digest[0], digest[1]);
      } else {
        MemorySegment.copy(bytes, at, staged.memory(), staged.used(), size);
        staged.addRaw(slot, size, digest[0], digest[1]);
      }
    }
    commit.store(staged, 0);
  }

  private static int code(Codec kind, MemorySegment bytes, long at, int size, StagedBlocks staged) {
    try (BlockCodec codec = BlockCodecs.create(kind)) {
      int coded = codec.compress(bytes, at, size, staged.memory(), staged.used(), staged.room());
      return coded >= 0 && coded < size ? coded : -1;
    }
  }

  /** Reads a version out of a container, and compares it with what was saved. */
  void verify(String file, VersionId id) throws IOException {
    Map<String, byte[]> expected = Objects.requireNonNull(history.get(id));
    try (ContainerReader reader = ContainerReader.open(store, file)) {
      VersionView view = reader.view(id);
      assertThat(view.datasets().stream().map(DatasetEntry::name).toList())
          .containsExactlyElementsOf(expected.keySet());
      try (BlockReader blocks = new BlockReader(view)) {
        for (DatasetEntry dataset : view.datasets()) {
          assertThat(content(blocks, dataset))
              .as("%s of rank %d, version %s", dataset.name(), rank, id)
              .isEqualTo(expected.get(dataset.name()));
        }
      }
    }
  }

  private static byte[] content(BlockReader blocks, DatasetEntry dataset) throws IOException {
    byte[] bytes = new byte[(int) dataset.spec().byteLength()];
    for (int block = 0; block < dataset.blocks(); block++) {
      MemorySegment.copy(
          blocks.read(dataset, block),
          ValueLayout.JAVA_BYTE,
          0,
          bytes,
          block * dataset.spec().blockSize(),
          dataset.blockLength(block));
    }
    return bytes;
  }
}
