// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.cairn.HashAlgorithm;
import org.cairn.UnsupportedFormatException;
import org.cairn.container.ForgedContainer.Claim;
import org.cairn.container.ForgedContainer.Run;
import org.cairn.hash.Xxh3;
import org.cairn.record.ByteOrderMark;
import org.cairn.record.Feature;
import org.cairn.record.Field;
import org.cairn.store.DirectoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionHead;
import org.cairn.version.VersionImage;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files of releases to come: what this one may pass over it keeps, wherever it goes; what it must
 * know it refuses by name, and changes nothing.
 */
class ExtensionTest {
  private static final String NAME = "a.cairn";
  private static final byte[] CONTENT = "Cairn!!!".repeat(48).getBytes(StandardCharsets.UTF_8);
  private static final Feature OPTIONAL = new Feature("org.cairn.test.optional", 0);
  private static final Field OF_ROOT = new Field(50, new byte[] {1, 2});
  private static final Field OF_VERSION = new Field(60, new byte[0]);
  private static final Field OF_DATASET = new Field(70, new byte[] {3});

  private final Path directory;
  private final Store store;

  ExtensionTest(@TempDir Path directory) throws IOException {
    this.directory = directory;
    store = DirectoryStore.open(directory, true);
  }

  private void forge(Feature... features) throws IOException {
    try (ForgedContainer file = new ForgedContainer(directory.resolve(NAME))) {
      Claim claim = Claim.honest("a", CONTENT.length, 0);
      file.catalog(claim);
      Pointer catalog =
          file.record(
              out -> {
                ForgedContainer.catalogHeader(out, 1);
                claim.write(out, new byte[] {'a'}, List.of(OF_DATASET));
              });
      file.extend(List.of(features), List.of(OF_ROOT), List.of(OF_VERSION));
      Run run = file.raw(CONTENT, 0);
      file.map(true, run);
      file.apply(true, run);
      file.version(1, 1, catalog);
      file.finish();
    }
  }

  private Root root() throws IOException {
    try (StoreFile file = store.open(NAME, Store.Access.READ)) {
      return new ContainerFile(file, NAME).anchor().root();
    }
  }

  private static List<Field> ofDataset(VersionMap version) {
    return version.find("a").orElseThrow().unknown();
  }

  private static SmallState state(int length) {
    byte[] bytes = new byte[length];
    bytes[1] = 1;
    SmallState state = new SmallState();
    state.datasets.put("a", new SmallState.Content(bytes, 128, HashAlgorithm.XXH3_128));
    return state;
  }

  @Test
  void fieldsAndFeaturesThatMayBePassedOverAreKept() throws IOException {
    forge(OPTIONAL);
    try (Container container = TestRun.open(store, NAME, 2)) {
      VersionInfo second = state(CONTENT.length).commit(container, TestRun.id(1, 2, 1));
      assertThat(ofDataset(container.view(second))).containsExactly(OF_DATASET);
      assertThat(second.unknown()).as("what another version said").isEmpty();
      assertThat(container.versions().getLast().unknown()).containsExactly(OF_VERSION);
      VersionInfo third = state(CONTENT.length + 1).commit(container, TestRun.id(1, 3, 1));
      assertThat(ofDataset(container.view(third))).as("no longer the same dataset").isEmpty();
      container.enter(TestRun.lineage(1));
      container.dropAllBut(Set.of(third.id()));
    }
    assertThat(root().unknown()).containsExactly(OF_ROOT);
    assertThat(root().features()).containsExactly(OPTIONAL);
  }

  @Test
  void fieldsOfAVersionGoWhereverItGoes() throws IOException {
    forge(OPTIONAL);
    try (ContainerReader reader = ContainerReader.open(store, NAME);
        Container copy = TestRun.open(store, "b.cairn", 2);
        Arena arena = Arena.ofConfined()) {
      VersionView view = reader.view(TestRun.id(1, 1, 1));
      VersionImage image = VersionImage.read(VersionImage.of(view, arena).bytes(), "image");
      assertThat(image.info()).isEqualTo(view.info());
      assertThat(ofDataset(image)).containsExactly(OF_DATASET);
      VersionHead head = VersionHead.read(VersionHead.write(view, arena), "head");
      Commit commit = copy.beginCopy(head.info().id(), head.info().takenAt());
      commit.copy(head.datasets(), head.info());
      StagedBlocks staged = new StagedBlocks(arena.allocate(1 << 16, 64));
      DatasetEntry dataset = head.datasets().iterator().next();
      for (int block = 0; block < dataset.blocks(); block++) {
        MemorySegment.copy(
            MemorySegment.ofArray(CONTENT), 128L * block, staged.memory(), staged.used(), 128);
        staged.addRaw(block, 128, view.low(dataset, block), view.high(dataset, block));
      }
      commit.store(staged, 0);
      VersionInfo made = commit.publish();
      assertThat(made.unknown()).containsExactly(OF_VERSION);
      assertThat(ofDataset(copy.view(made))).containsExactly(OF_DATASET);
    }
  }

  /** A release that knows fewer algorithms refuses by this name, and calls nothing damaged. */
  @Test
  void anAlgorithmThatIsNewIsNamedForGood() throws IOException {
    SmallState state = state(CONTENT.length);
    try (Container container = TestRun.open(store, NAME, 2)) {
      state.commit(container, TestRun.id(1, 1, 1));
      assertThat(root().features()).isEmpty();
      SmallState.Content old = state.datasets.get("a");
      state.datasets.put("b", new SmallState.Content(old.bytes(), 128, HashAlgorithm.SPOOKY_128));
      state.commit(container, TestRun.id(1, 2, 1));
      state.datasets.remove("b");
      state.commit(container, TestRun.id(1, 3, 1));
      state.commit(container, TestRun.id(1, 4, 1));
    }
    assertThat(root().features()).containsExactly(new Feature("org.cairn.spooky", 2));
  }

  @Test
  void aFeatureNeededToWriteStopsWritersOnly() throws IOException {
    forge(OPTIONAL, new Feature("org.cairn.test.writer", Feature.TO_WRITE));
    byte[] before = Files.readAllBytes(directory.resolve(NAME));
    try (ContainerReader reader = ContainerReader.open(store, NAME)) {
      assertThat(reader.view(TestRun.id(1, 1, 1)).datasets()).hasSize(1);
    }
    assertUnsupported(() -> TestRun.open(store, NAME, 2), true, "org.cairn.test.writer", NAME);
    assertThat(directory.resolve(NAME)).hasBinaryContent(before);
  }

  @Test
  void aFeatureNeededToReadStopsEverybody() throws IOException {
    // Needs that are not known yet are at least as strong.
    for (int need : new int[] {Feature.TO_READ, 3}) {
      forge(OPTIONAL, new Feature("org.cairn.test.reader", need));
      assertUnsupported(() -> ContainerReader.open(store, NAME), true, "test.reader", NAME);
      assertUnsupported(() -> TestRun.open(store, NAME, 2), true, "test.reader", NAME);
    }
  }

  @Test
  void otherFormatVersionsAndByteOrdersAreOursAndRefused() throws IOException {
    forge();
    patchSuperblocks(12, 1);
    assertUnsupported(() -> TestRun.open(store, NAME, 2), true, "version 1", "never released");
    patchSuperblocks(12, 3);
    assertUnsupported(() -> TestRun.open(store, NAME, 2), true, "version 3", "newer release");
    patchSuperblocks(12, ContainerFormat.VERSION);
    patchSuperblocks(8, Integer.reverseBytes(ByteOrderMark.NATIVE));
    assertUnsupported(
        () -> ContainerReader.open(store, NAME), true, "opposite byte order; restart it");
  }

  @Test
  void aForeignFileIsNotOurs() throws IOException {
    Files.writeString(directory.resolve(NAME), "hello".repeat(3000));
    assertUnsupported(() -> TestRun.open(store, NAME, 2), false, "not a Cairn container");
  }

  private static void assertUnsupported(ThrowingCallable call, boolean ours, String... words) {
    assertThatThrownBy(call)
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContainingAll(words)
        .matches(e -> ((UnsupportedFormatException) e).isOurs() == ours, "ours: " + ours);
  }

  private void patchSuperblocks(int at, int value) throws IOException {
    byte[] bytes = Files.readAllBytes(directory.resolve(NAME));
    for (int slot = 0; slot < 2; slot++) {
      MemorySegment superblock = MemorySegment.ofArray(bytes).asSlice(4096L * slot, 112);
      superblock.set(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), at, value);
      long[] checksum = new long[2];
      Xxh3.digest(superblock, 0, 96, checksum, 0);
      superblock.set(ContainerFormat.LONG, 96, checksum[0]);
      superblock.set(ContainerFormat.LONG, 104, checksum[1]);
    }
    Files.write(directory.resolve(NAME), bytes);
  }
}
