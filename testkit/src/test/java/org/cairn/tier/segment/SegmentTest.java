// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.cairn.record.CorruptContainerException;
import org.cairn.record.UnsupportedFormatException;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.RecordingStore;
import org.cairn.testkit.store.StoreOperation;
import org.cairn.testkit.version.TestRun;
import org.cairn.tier.segment.Flushes.ManualClock;
import org.junit.jupiter.api.Test;

/** What is written is read again, and what is not what was written is refused. */
class SegmentTest {
  private static final Path GOLDEN = Path.of("src", "test", "resources", "golden", "segment-v1");

  private final MemoryStore store = new MemoryStore();
  private final ManualClock clock = new ManualClock();

  @Test
  void versionsAreReadAsTheyWereWritten() throws IOException {
    Manifest first = Flushes.flush(store, clock, 1, Optional.empty());
    Manifest second = Flushes.flush(store, clock, 2, Optional.of(first));
    Manifest third = Flushes.flush(store, clock, 3, Optional.of(second));
    SharedDirectory.Listing listing = new SharedDirectory(store).list();
    assertThat(listing.problems()).isEmpty();
    assertThat(listing.versions()).containsExactly(third, second, first);
    for (Manifest manifest : listing.versions()) {
      Flushes.verify(store, manifest);
    }
    assertThat(third.references()).hasSizeGreaterThan(2);
  }

  @Test
  void aVersionIsPublishedOnceAndASegmentWrittenOnce() throws IOException {
    Manifest manifest = Flushes.flush(store, clock, 1, Optional.empty());
    assertThatThrownBy(() -> new SharedDirectory(store).publish(manifest))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> SegmentWriter.create(store, clock, Flushes.version(1), 0))
        .isInstanceOf(FileAlreadyExistsException.class);
  }

  @Test
  void anUnfinishedSegmentGoesWhenItIsClosed() throws IOException {
    try (SegmentWriter writer = SegmentWriter.create(store, clock, Flushes.version(1), 0)) {
      writer.append(MemorySegment.ofArray(new byte[10]));
      assertThat(store.list()).hasSize(1);
    }
    assertThat(store.list()).isEmpty();
  }

  @Test
  void blocksAreWrittenInLargePieces() throws IOException {
    RecordingStore recording = new RecordingStore(store);
    MemberIndex.Builder index = new MemberIndex.Builder(0);
    try (SegmentWriter writer =
        SegmentWriter.create(recording, clock, TestRun.id(1, 1, 1), 0, 1 << 16)) {
      int own = index.segment(writer.name());
      MemorySegment block = MemorySegment.ofArray(new byte[1000]);
      for (int i = 0; i < 1000; i++) {
        index.add(new BlockEntry(own, writer.append(block), 1000, 0, 1000, i, -i));
      }
      writer.addMember(index.build(new byte[3]));
      writer.finish();
    }
    assertThat(recording.operations(StoreOperation.Kind.WRITE)).hasSizeLessThan(20);
    MemberIndex read;
    try (SegmentReader reader = SegmentReader.open(store, "seg-1.1-g0.cairn-seg")) {
      read = reader.member(0);
      assertThat(reader.size()).isLessThan(1_000_000 + 16_000 + 300);
      assertThatIllegalArgumentException().isThrownBy(() -> reader.member(1));
    }
    assertThat(read.entry(777))
        .isEqualTo(new BlockEntry(0, 64 + 777_000, 1000, 0, 1000, 777, -777));
  }

  @SeededTest(seeds = 200)
  void indicesOfAnyBlocksAreReadAsTheyWereWritten(Random random) throws IOException {
    MemberIndex.Builder builder = new MemberIndex.Builder(7);
    List<BlockEntry> entries = new ArrayList<>();
    String[] names = {"a", "b", "c"};
    long offset = 0;
    for (int i = random.nextInt(60); i > 0; i--) {
      BlockEntry last = entries.isEmpty() ? null : entries.getLast();
      BlockEntry entry;
      if (random.nextInt(4) == 0) {
        entry = BlockEntry.zero(random.nextInt(2) * 100, 5, random.nextInt(2));
      } else {
        offset = random.nextInt(3) == 0 ? random.nextLong(1L << 50) : offset;
        int stored = random.nextInt(3) == 0 ? random.nextInt() >>> 1 : 100;
        int segment =
            last == null || last.isZero() || random.nextInt(5) == 0
                ? builder.segment(names[random.nextInt(3)])
                : last.segment();
        entry =
            new BlockEntry(segment, offset, stored, random.nextInt(2), 100, random.nextLong(), i);
        offset += stored;
      }
      builder.add(entry);
      entries.add(entry);
    }
    RecordOutput out = new RecordOutput();
    builder.build(new byte[] {1, 2}).write(out);
    try (StoreFile file = store.open("record", Store.Access.CREATE)) {
      file.write(0, out.toMemory());
      MemberIndex read = MemberIndex.read(RecordInput.read(file, "record", 0, out.size()));
      assertThat(read.blocks()).isEqualTo(entries.size());
      for (int i = 0; i < entries.size(); i++) {
        assertThat(read.entry(i)).isEqualTo(entries.get(i));
      }
      assertThat(read.rank()).isEqualTo(7);
      assertThat(read.catalog()).containsExactly(1, 2);
    }
  }

  @Test
  void undeclaredSegmentsAndRanksTwiceAreRefused() throws IOException {
    try (SegmentWriter writer = SegmentWriter.create(store, clock, Flushes.version(1), 0)) {
      MemberIndex.Builder index = new MemberIndex.Builder(0);
      index.segment("seg-0.9-g0.cairn-seg");
      MemberIndex member = index.build(new byte[0]);
      assertThatIllegalArgumentException().isThrownBy(() -> writer.addMember(member));
      writer.reference("seg-0.9-g0.cairn-seg", 1000);
      writer.addMember(member);
      assertThatIllegalArgumentException().isThrownBy(() -> writer.addMember(member));
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Manifest.of(Flushes.version(1), clock.now(), List.of()))
        .withMessageContaining("4 ranks");
  }

  /** Every byte of a segment and of a manifest, changed in three ways. */
  @Test
  void noChangedByteGoesUnnoticed() throws IOException {
    Manifest first = Flushes.flush(store, clock, 1, Optional.empty());
    Flushes.flush(store, clock, 2, Optional.of(first));
    for (String name : List.of("seg-1.2-g0.cairn-seg", "manifest-1.2")) {
      byte[] whole = contents(name);
      for (int at = 0; at < whole.length; at++) {
        for (int flip : new int[] {1, 0x80, 0xFF}) {
          byte[] damaged = whole.clone();
          damaged[at] ^= (byte) flip;
          assertRefused(name, damaged, at);
        }
      }
    }
  }

  @Test
  void noTruncatedFileGoesUnnoticed() throws IOException {
    Flushes.flush(store, clock, 2, Optional.empty());
    for (String name : List.of("seg-1.2-g0.cairn-seg", "manifest-1.2")) {
      byte[] whole = contents(name);
      for (int length = 0; length < whole.length; length++) {
        assertRefused(name, java.util.Arrays.copyOf(whole, length), length);
        assertRefused(name, java.util.Arrays.copyOf(whole, whole.length + 1 + length), length);
      }
    }
  }

  private void assertRefused(String name, byte[] damaged, int at) throws IOException {
    MemoryStore copy = store.copy();
    put(copy, name, damaged);
    try {
      Flushes.verify(copy, Manifest.read(copy, "manifest-1.2"));
      fail("byte %d of %s", at, name);
    } catch (CorruptContainerException | UnsupportedFormatException e) {
      assertThat(e).hasMessageMatching("(?s).*(seg-1|manifest-1).*");
    }
  }

  @Test
  void foreignAndFutureFilesAreTold() throws IOException {
    put(
        store,
        "seg-1.1-g0.cairn-seg",
        "not a segment at all, but long enough to have a header ...."
            .repeat(3)
            .getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    assertThatThrownBy(() -> SegmentReader.open(store, "seg-1.1-g0.cairn-seg"))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("memory:seg-1.1-g0.cairn-seg is not a Cairn segment");
    Flushes.flush(store, clock, 2, Optional.empty());
    byte[] manifest = contents("manifest-1.2");
    put(store, "manifest-1.3", manifest);
    assertThatThrownBy(() -> Manifest.read(store, "manifest-1.3"))
        .isInstanceOf(CorruptContainerException.class)
        .hasMessageContaining("expected manifest-1.3, found manifest-1.2");
    MemorySegment bytes = MemorySegment.ofArray(manifest);
    ValueLayout.OfInt u32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    ValueLayout.OfLong u64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    bytes.set(u32, 12, 2);
    long[] digest = RecordOutput.digest(bytes.asSlice(0, 48));
    bytes.set(u64, 48, digest[0]);
    bytes.set(u64, 56, digest[1]);
    put(store, "manifest-1.2", manifest);
    assertThatThrownBy(() -> Manifest.read(store, "manifest-1.2"))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("format version 2; this release reads version 1");
  }

  /** Files of format version 1, kept for ever; {@code -Dcairn.golden=write} makes them anew. */
  @Test
  void goldenFilesAreReadAndStillWrittenTheSame() throws IOException {
    Manifest first = Flushes.flush(store, clock, 1, Optional.empty());
    clock.pass(60);
    Flushes.flush(store, clock, 2, Optional.of(first));
    if ("write".equals(System.getProperty("cairn.golden"))) {
      Files.createDirectories(GOLDEN);
      for (String name : store.list()) {
        Files.write(GOLDEN.resolve(name), contents(name));
      }
    }
    MemoryStore golden = new MemoryStore();
    for (String name : store.list()) {
      byte[] expected = Files.readAllBytes(GOLDEN.resolve(name));
      put(golden, name, expected);
      assertThat(HexFormat.of().formatHex(contents(name)))
          .as(name)
          .isEqualTo(HexFormat.of().formatHex(expected));
    }
    for (Manifest manifest : new SharedDirectory(golden).list().versions()) {
      Flushes.verify(golden, manifest);
    }
  }

  private byte[] contents(String name) throws IOException {
    try (StoreFile file = store.open(name, Store.Access.READ)) {
      byte[] bytes = new byte[(int) file.size()];
      file.read(0, MemorySegment.ofArray(bytes));
      return bytes;
    }
  }

  private static void put(Store store, String name, byte[] bytes) throws IOException {
    store.delete(name);
    try (StoreFile file = store.open(name, Store.Access.CREATE)) {
      file.write(0, MemorySegment.ofArray(bytes));
    }
  }
}
