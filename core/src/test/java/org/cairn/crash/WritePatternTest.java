// SPDX-License-Identifier: Apache-2.0
package org.cairn.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.cairn.CheckpointBuilder;
import org.cairn.CheckpointStats;
import org.cairn.Checkpointer;
import org.cairn.Options;
import org.cairn.Strategy;
import org.cairn.container.BlockScan;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store.Access;
import org.cairn.store.StoreFile;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.store.RecordingStore;
import org.cairn.testkit.store.StoreOperation;
import org.cairn.testkit.store.StoreOperation.Kind;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionInfo;
import org.cairn.work.Workers;
import org.junit.jupiter.api.Test;

/** How a container uses its file: few large writes, and forces where the order of writes counts. */
class WritePatternTest {
  private static final int BLOCK = 16 << 10;
  private static final int BUFFER = 2 << 20;

  /** Base, catalog, delta and root. */
  private static final int RECORDS = 4;

  private static final long ROOT_POINTER = 56;

  private final RecordingStore store = new RecordingStore(new MemoryStore());
  private final Random content = Seeds.content(42);

  private static Options options(int threads) {
    return Options.defaults()
        .buffer(BUFFER)
        .threads(threads)
        .blockSize(BLOCK)
        .strategy(Strategy.DIFFERENTIAL);
  }

  private byte[] noise(int bytes) {
    byte[] noise = new byte[bytes];
    content.nextBytes(noise);
    return noise;
  }

  /** The operations on the container since the last call, without reads. */
  private List<StoreOperation> changes() {
    List<StoreOperation> changes =
        store.operations().stream()
            .filter(operation -> operation.name().equals(Containers.NAME))
            .filter(operation -> operation.kind() != Kind.READ)
            .toList();
    store.clear();
    return changes;
  }

  private static List<StoreOperation> extentWrites(List<StoreOperation> changes) {
    return changes.stream()
        .filter(operation -> operation.kind() == Kind.WRITE)
        .filter(operation -> !Containers.isSuperblockWrite(operation))
        .toList();
  }

  private static void dirty(byte[] state, int blocks, Random random) {
    for (int i = 0; i < blocks; i++) {
      state[random.nextInt(state.length / BLOCK) * BLOCK + random.nextInt(BLOCK)]++;
    }
  }

  /** How many threads write. */
  enum Threads {
    ONE,
    TWO
  }

  @SeededTest(seeds = 1)
  void scatteredBlocksMakeFewLargeWrites(Threads number, Random random) {
    int threads = number.ordinal() + 1;
    byte[] state = noise(24 << 20);
    try (Checkpointer cairn = Checkpointer.open(store, options(threads))) {
      cairn.protect("state", state);
      cairn.checkpoint();
      for (int dirty : new int[] {1, 40, 300, 900}) {
        dirty(state, dirty, random);
        changes();
        CheckpointStats stats = cairn.checkpoint().stats().orElseThrow();
        long bytes = (stats.dirtyBlocks() + stats.movedBlocks()) * BLOCK;
        // A writer that waits gets what there is from a mebibyte on, and each thread's rest.
        assertThat(extentWrites(changes()))
            .as("writes for %d dirty blocks", stats.dirtyBlocks())
            .hasSizeLessThanOrEqualTo((int) (bytes / StoreFile.LARGE) + threads + RECORDS);
      }
    }
  }

  @SeededTest(seeds = 1)
  void writesStayLargeOnAnAgedFile(Random random) {
    byte[] state = noise(16 << 20);
    int blocks = state.length / BLOCK;
    try (Checkpointer cairn = Checkpointer.open(store, options(2))) {
      cairn.protect("state", state);
      cairn.checkpoint();
      for (int i = 0; i < 80; i++) {
        dirty(state, blocks / 10, random);
        changes();
        CheckpointStats stats = cairn.checkpoint().stats().orElseThrow();
        long bytes = (stats.dirtyBlocks() + stats.movedBlocks()) * BLOCK;
        // Space comes in regions, of 64 KiB for so small a state: never less than one at a time.
        assertThat(extentWrites(changes()))
            .as("writes for %d bytes in checkpoint %d", bytes, i)
            .hasSizeLessThanOrEqualTo((int) (bytes / (64 << 10)) + 2 + RECORDS);
      }
    }
  }

  @SeededTest(seeds = 1)
  void forcesBlocksAndRecordsBeforeTheOtherSuperblockAndThenThat(Random random) throws IOException {
    byte[] state = noise(3 << 20);
    try (Checkpointer cairn = Checkpointer.open(store, options(2))) {
      cairn.protect("state", state);
      cairn.restart();
      long slot = -1;
      for (int i = 0; i < 20; i++) {
        dirty(state, 30, random);
        changes();
        cairn.checkpoint();
        List<StoreOperation> changes = new ArrayList<>(changes());
        changes.removeIf(operation -> operation.kind() == Kind.TRUNCATE);
        int writes = extentWrites(changes).size();
        if (i == 0) {
          // The first version is in both superblocks before it counts.
          assertThat(changes).hasSize(writes + 5);
          assertThat(changes.removeLast()).matches(Containers::isForce);
          StoreOperation second = changes.removeLast();
          assertThat(second).matches(Containers::isSuperblockWrite);
          slot = second.position();
          assertThat(rootPlace(0)).isEqualTo(rootPlace(4096));
        }
        assertThat(changes).hasSize(writes + 3);
        assertThat(changes.subList(0, writes)).allMatch(op -> op.kind() == Kind.WRITE);
        assertThat(changes.get(writes)).matches(Containers::isForce);
        StoreOperation superblock = changes.get(writes + 1);
        assertThat(superblock).matches(Containers::isSuperblockWrite);
        assertThat(superblock.position()).isIn(0L, 4096L).isNotEqualTo(slot);
        slot = i == 0 ? slot : superblock.position();
        assertThat(changes.get(writes + 2)).matches(Containers::isForce);
        assertThat(rootPlace(slot))
            .as("the root is written last")
            .isEqualTo(changes.get(writes - 1).position());
      }
    }
  }

  private long rootPlace(long slot) throws IOException {
    try (StoreFile file = store.open(Containers.NAME, Access.READ)) {
      byte[] pointer = new byte[8];
      file.read(slot + ROOT_POINTER, MemorySegment.ofArray(pointer));
      return MemorySegment.ofArray(pointer)
          .get(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), 0);
    }
  }

  /** Directly, not by what is read back: no write touches a byte that a retained version has. */
  @SeededTest(seeds = 4)
  void neverWritesWhereARetainedVersionLies(Random seeded) throws IOException {
    byte[] state = noise(1 << 20);
    Options options = options(2).blockSize(4096).retain(1 + seeded.nextInt(3));
    try (Checkpointer cairn = Checkpointer.open(store, options)) {
      cairn.protect("state", state);
      cairn.restart();
      for (int i = 0; i < 40; i++) {
        for (int j = seeded.nextInt(80); j >= 0; j--) {
          state[seeded.nextInt(state.length)]++;
        }
        List<StoreOperation> live = liveExtents();
        changes();
        if (seeded.nextInt(4) == 0) {
          cairn.begin().add("state").abort();
        } else {
          cairn.checkpoint();
        }
        assertApart(live, extentWrites(changes()));
      }
    }
  }

  private List<StoreOperation> liveExtents() throws IOException {
    List<StoreOperation> live = new ArrayList<>();
    try (ContainerReader reader = ContainerReader.open(store, Containers.NAME)) {
      for (VersionInfo version : reader.versions()) {
        VersionView view = reader.view(version.id());
        for (DatasetEntry dataset : view.datasets()) {
          for (int block = 0; block < dataset.blocks(); block++) {
            VersionView.BlockPlace place = view.place(dataset, block);
            live.add(
                new StoreOperation(
                    Kind.READ, Containers.NAME, "", place.offset(), place.storedLength()));
          }
        }
      }
    }
    return live;
  }

  private static void assertApart(List<StoreOperation> live, List<StoreOperation> writes) {
    for (StoreOperation write : writes) {
      assertThat(live)
          .noneMatch(extent -> extent.position() < write.end() && write.position() < extent.end());
    }
  }

  @Test
  void anUnchangedStateCostsOnlyRecords() {
    byte[] state = noise(4 << 20);
    try (Checkpointer cairn = Checkpointer.open(store, options(2))) {
      cairn.protect("state", state);
      cairn.checkpoint();
      changes();
      cairn.checkpoint();
      List<StoreOperation> writes = extentWrites(changes());
      assertThat(writes).hasSizeLessThanOrEqualTo(2);
      assertThat(writes.stream().mapToLong(StoreOperation::length).sum()).isLessThan(1024);
    }
  }

  @Test
  void zerosCostNothing() {
    byte[] state = new byte[16 << 20];
    try (Checkpointer cairn = Checkpointer.open(store, options(2))) {
      cairn.protect("state", state);
      cairn.restart();
      changes();
      cairn.checkpoint();
      assertThat(extentWrites(changes()).stream().mapToLong(StoreOperation::length).sum())
          .isLessThan(8192);
    }
  }

  @Test
  void anAbortedCheckpointPublishesNothing() {
    byte[] state = noise(3 << 20); // of more the medium would begin with the blocks
    try (Checkpointer cairn = Checkpointer.open(store, options(1))) {
      cairn.protect("state", state);
      cairn.restart();
      changes();
      try (CheckpointBuilder builder = cairn.begin()) {
        builder.add("state");
      }
      assertThat(changes()).noneMatch(Containers::isForce).noneMatch(Containers::isSuperblockWrite);
    }
  }

  @Test
  void readingChangesNothing() throws IOException {
    byte[] state = noise(1 << 20);
    try (Checkpointer cairn = Checkpointer.open(store, options(1))) {
      cairn.protect("state", state);
      cairn.checkpoint();
    }
    store.clear();
    try (ContainerReader reader = ContainerReader.open(store, Containers.NAME);
        Workers alone = new Workers(1, "reader")) {
      VersionView view = reader.view(reader.versions().getFirst().id());
      BlockScan.run(view, view.datasets(), alone, (dataset, block, bytes) -> {}, true, done -> {});
      reader.liveBytes();
    }
    assertThat(store.operations()).isNotEmpty().allMatch(op -> op.kind() == Kind.READ);
  }

  @Test
  void openingForWritingForcesBeforeItWritesAndTheFoundSuperblockBeforeTheOther() {
    try (Checkpointer cairn = Checkpointer.open(store, options(1))) {
      cairn.protect("state", noise(1 << 20));
      cairn.checkpoint();
    }
    long newest =
        store.operations().stream()
            .filter(Containers::isSuperblockWrite)
            .toList()
            .getLast()
            .position();
    store.clear();
    try (Checkpointer cairn = Checkpointer.open(store, options(1))) {
      cairn.protect("state", noise(1 << 20));
      cairn.restart();
    }
    assertThat(store.operations(Kind.FORCE_DIRECTORY)).isNotEmpty();
    List<StoreOperation> changes = changes();
    // Then comes the root that says which run this is, as of any version.
    assertThat(changes).hasSize(9);
    assertThat(changes.get(0)).matches(Containers::isForce);
    assertThat(changes.get(1)).matches(Containers::isSuperblockWrite);
    assertThat(changes.get(1).position()).isEqualTo(newest);
    assertThat(changes.get(2)).matches(Containers::isForce);
    assertThat(changes.get(3)).matches(Containers::isSuperblockWrite);
    assertThat(changes.get(3).position()).isEqualTo(4096 - newest);
    assertThat(changes.get(4)).matches(Containers::isForce);
  }
}
