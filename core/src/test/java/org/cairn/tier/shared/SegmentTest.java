// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

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
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.cairn.CorruptContainerException;
import org.cairn.UnsupportedFormatException;
import org.cairn.record.Digest;
import org.cairn.record.Feature;
import org.cairn.record.RecordWriter;
import org.cairn.record.SealedRecord;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.RecordingStore;
import org.cairn.testkit.store.StoreOperation;
import org.cairn.tier.shared.Flushes.ManualClock;
import org.cairn.version.Lineage;
import org.cairn.version.RunId;
import org.cairn.version.RunInfo;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is written is read again, and what is not what was written is refused. */
class SegmentTest {
  private static final Path GOLDEN = Path.of("../core/src/test/resources/golden/segment-v2");

  private static final String SEGMENT_2 = Flushes.segment(2, 0);
  private static final String MANIFEST_2 = Flushes.manifest(2);

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
    assertThatThrownBy(
            () -> SegmentWriter.create(store, clock, Flushes.identity(1, 0), Flushes.lineage()))
        .isInstanceOf(FileAlreadyExistsException.class);
  }

  @Test
  void anUnfinishedSegmentGoesWhenItIsClosed() throws IOException {
    try (SegmentWriter writer =
        SegmentWriter.create(store, clock, Flushes.identity(1, 0), Flushes.lineage())) {
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
        SegmentWriter.create(
            recording, clock, Flushes.identity(1, 0), Flushes.lineage(), 1 << 16)) {
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
    long start;
    try (SegmentReader reader = SegmentReader.open(store, Flushes.segment(1, 0))) {
      read = reader.member(0);
      assertThat(reader.size()).isLessThan(1_000_000 + 16_000 + 1200);
      start = reader.size() > 0 ? read.entry(0).offset() : 0;
      assertThatIllegalArgumentException().isThrownBy(() -> reader.member(1));
    }
    assertThat(read.entry(777))
        .isEqualTo(new BlockEntry(0, start + 777_000, 1000, 0, 1000, 777, -777));
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
    RecordWriter out = RecordWriter.onHeap();
    builder.build(new byte[] {1, 2}).write(out);
    try (StoreFile file = store.open("record", Store.Access.CREATE)) {
      file.write(0, out.bytes());
      MemberIndex read =
          MemberIndex.read(
              SealedRecord.read(file, "record", 0, out.position()).verified("an index"));
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
    try (SegmentWriter writer =
        SegmentWriter.create(store, clock, Flushes.identity(1, 0), Flushes.lineage())) {
      MemberIndex.Builder index = new MemberIndex.Builder(0);
      index.segment(Flushes.segment(9, 0));
      MemberIndex member = index.build(new byte[0]);
      assertThatIllegalArgumentException().isThrownBy(() -> writer.addMember(member));
      writer.reference(new Reference(Flushes.segment(9, 0), 1000, 0, Digest.NONE));
      writer.addMember(member);
      assertThatIllegalArgumentException().isThrownBy(() -> writer.addMember(member));
    }
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> Manifest.of(Flushes.version(1), Flushes.lineage(), clock.now(), List.of()))
        .withMessageContaining("4 ranks");
  }

  /** Every byte of a segment and of a manifest, changed in three ways. */
  @Tag("slow")
  @Test
  void noChangedByteGoesUnnoticed() throws IOException {
    Manifest first = Flushes.flush(store, clock, 1, Optional.empty());
    Flushes.flush(store, clock, 2, Optional.of(first));
    for (String name : List.of(SEGMENT_2, MANIFEST_2)) {
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
    for (String name : List.of(SEGMENT_2, MANIFEST_2)) {
      byte[] whole = contents(name);
      for (int length = 0; length < whole.length; length++) {
        assertRefused(name, Arrays.copyOf(whole, length), length);
        assertRefused(name, Arrays.copyOf(whole, whole.length + 1 + length), length);
      }
    }
  }

  private void assertRefused(String name, byte[] damaged, int at) throws IOException {
    MemoryStore copy = store.copy();
    put(copy, name, damaged);
    try {
      Flushes.verify(copy, Manifest.read(copy, MANIFEST_2));
      fail("byte %d of %s", at, name);
    } catch (CorruptContainerException | UnsupportedFormatException e) {
      assertThat(e).hasMessageMatching("(?s).*(seg-|manifest-).*");
    }
  }

  @Test
  void foreignAndFutureFilesAreTold() throws IOException {
    String segment = Flushes.segment(1, 0);
    put(
        store,
        segment,
        "not a segment at all, but long enough to have a header ...."
            .repeat(3)
            .getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    assertThatThrownBy(() -> SegmentReader.open(store, segment))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("memory:" + segment + " is not a Cairn segment");
    Flushes.flush(store, clock, 2, Optional.empty());
    byte[] manifest = contents(MANIFEST_2);
    put(store, Flushes.manifest(3), manifest);
    assertThatThrownBy(() -> Manifest.read(store, Flushes.manifest(3)))
        .isInstanceOf(CorruptContainerException.class)
        .hasMessageContaining("expected %s, found %s", Flushes.manifest(3), MANIFEST_2);
    put(store, MANIFEST_2, newer(manifest));
    assertThatThrownBy(() -> Manifest.read(store, MANIFEST_2))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("format version 3; this release reads version 2");
  }

  /** A header as a later release would write it. */
  static byte[] newer(byte[] file) {
    byte[] changed = file.clone();
    MemorySegment bytes = MemorySegment.ofArray(changed);
    ValueLayout.OfInt u32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    ValueLayout.OfLong u64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    bytes.set(u32, 12, 3);
    long[] digest = Flushes.digest(bytes.asSlice(0, 80));
    bytes.set(u64, 80, digest[0]);
    bytes.set(u64, 88, digest[1]);
    return changed;
  }

  /** Fields of later releases are passed over, unless they must be understood. */
  @Test
  void unknownFieldsArePassedOverUnlessTheyAreNeeded() throws IOException {
    Manifest manifest = Flushes.flush(store, clock, 2, Optional.empty());
    byte[] written = contents(MANIFEST_2);
    put(store, MANIFEST_2, withField(written, 9));
    assertThat(Manifest.read(store, MANIFEST_2)).isEqualTo(manifest);
    put(store, MANIFEST_2, withField(written, 0x8009));
    assertThatThrownBy(() -> Manifest.read(store, MANIFEST_2))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("field 8009")
        .hasMessageContaining("use a newer release");
  }

  /** A manifest with one more field at the end of its body. */
  private static byte[] withField(byte[] manifest, int tag) {
    int body = 96 + u32(manifest, 68);
    RecordWriter out = RecordWriter.onHeap();
    out.putBytes(Arrays.copyOf(manifest, body + 4));
    byte[] fields = Arrays.copyOfRange(manifest, body + 8, manifest.length - 16);
    out.putInt(fields.length + 9).putBytes(fields);
    return out.putShort(tag).putCounted(new byte[] {1, 2, 3}).seal().toArray();
  }

  private static int u32(byte[] bytes, int at) {
    return MemorySegment.ofArray(bytes)
        .get(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), at);
  }

  /** What a reader lacks is told by its name. */
  @Test
  void unknownFeaturesArePassedOverUnlessTheyAreNeeded() throws IOException {
    Manifest manifest = Flushes.flush(store, clock, 2, Optional.empty());
    byte[] written = contents(MANIFEST_2);
    put(store, MANIFEST_2, withFeature(written, new Feature("org.example.colour", 1)));
    assertThat(Manifest.read(store, MANIFEST_2)).isEqualTo(manifest);
    put(store, MANIFEST_2, withFeature(written, new Feature("org.example.shape", 2)));
    assertThatThrownBy(() -> Manifest.read(store, MANIFEST_2))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("org.example.shape");
  }

  /** A manifest whose preamble names a feature; the empty list of features ends it. */
  private static byte[] withFeature(byte[] manifest, Feature feature) {
    int length = u32(manifest, 68);
    RecordWriter list = RecordWriter.onHeap();
    Feature.write(List.of(feature), list);
    RecordWriter preamble = RecordWriter.onHeap();
    preamble.putBytes(Arrays.copyOfRange(manifest, 96, 100));
    byte[] fields = Arrays.copyOfRange(manifest, 104, 96 + length - 16 - 4);
    preamble.putInt(fields.length + 4 + (int) list.position()).putBytes(fields);
    preamble.putCounted(list.toArray()).seal();
    RecordWriter out = RecordWriter.onHeap();
    out.putBytes(Arrays.copyOf(manifest, 68)).putInt((int) preamble.position());
    out.putBytes(Arrays.copyOfRange(manifest, 72, 80)).seal().putBytes(preamble.toArray());
    out.putBytes(Arrays.copyOfRange(manifest, 96 + length, manifest.length - 16));
    return out.seal().toArray();
  }

  /** A copy of another file over a segment, of the same name and size, is not that segment. */
  @Test
  void theIndexOfAnotherFlushIsFoundOut() throws IOException {
    Flushes.flush(store, clock, 1, Optional.empty());
    Reference expected =
        Manifest.read(store, Flushes.manifest(1)).references().stream()
            .filter(reference -> reference.segment().equals(Flushes.segment(1, 0)))
            .findFirst()
            .orElseThrow();
    SegmentReader.open(store, expected).close();
    clock.pass(1);
    store.delete(Flushes.segment(1, 0));
    MemoryStore other = new MemoryStore();
    Flushes.groups(other, clock, 1, Optional.empty());
    byte[] bytes = contents(other, Flushes.segment(1, 0));
    assertThat(bytes).hasSize((int) expected.size());
    put(store, Flushes.segment(1, 0), bytes);
    assertThatThrownBy(() -> SegmentReader.open(store, expected))
        .isInstanceOf(CorruptContainerException.class)
        .hasMessageContaining(expected.footer().toString());
  }

  /** Files of format version 2, kept for ever; {@code -Dcairn.golden=write} makes them anew. */
  @Test
  void goldenFilesAreReadAndStillWrittenTheSame() throws IOException {
    Manifest first = Flushes.flush(store, clock, 1, Optional.empty());
    clock.pass(60);
    Manifest second = Flushes.flush(store, clock, 2, Optional.of(first));
    clock.pass(60);
    Flushes.flushChanges(store, clock, 3, second);
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
    return contents(store, name);
  }

  static byte[] contents(Store store, String name) throws IOException {
    try (StoreFile file = store.open(name, Store.Access.READ)) {
      byte[] bytes = new byte[(int) file.size()];
      file.read(0, MemorySegment.ofArray(bytes));
      return bytes;
    }
  }

  static void put(Store store, String name, byte[] bytes) throws IOException {
    store.delete(name);
    try (StoreFile file = store.open(name, Store.Access.CREATE)) {
      file.write(0, MemorySegment.ofArray(bytes));
    }
  }

  @Test
  void aLineageThatAReaderWouldRefuseIsNotWritten() throws IOException {
    List<VersionId> behind = Collections.nCopies(RunInfo.MAX_LEFT_BEHIND, Flushes.version(1));
    RunInfo run =
        RunInfo.of(
            new RunId(7), Instant.EPOCH, 4, Optional.empty(), false, behind, Optional.empty());
    Lineage large =
        new Lineage(Flushes.lineage().job(), "", Collections.nCopies(400, run), List.of());
    assertThatThrownBy(() -> SegmentWriter.create(store, clock, Flushes.identity(1, 0), large))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("the lineage of run", "of 16777216");
    assertThat(store.list()).isEmpty();
  }
}
