// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.cairn.CorruptContainerException;
import org.cairn.UnsupportedFormatException;
import org.cairn.clock.Clock;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.record.Specimen;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;

/**
 * What is in a shared directory, and what ranks tell each other to write it. Files are mutated
 * inside their checksums: what only a checksum keeps out is what this is about.
 */
public final class SegmentSpecimens {
  private static final int CHECKSUM = 16;
  private static final int HEADER = SegmentFormat.HEADER_BYTES;
  private static final int PREAMBLE_LENGTH_AT = 0x44;

  private final byte[] manifest;
  private final byte[] segment;
  private final int body;
  private final int footer;
  private final MemberIndex index;
  private final MemberIndex changes;
  private final List<Reference> references;

  private SegmentSpecimens() throws IOException {
    MemoryStore store = new MemoryStore();
    Manifest first = Flushes.flush(store, Clock.system(), 1, Optional.empty());
    Manifest second = Flushes.flush(store, Clock.system(), 2, Optional.of(first));
    Flushes.flushChanges(store, Clock.system(), 3, second);
    this.manifest = read(store, Flushes.manifest(2));
    this.segment = read(store, Flushes.segment(2, 0));
    this.body =
        HEADER
            + RecordReader.of(Arrays.copyOfRange(manifest, PREAMBLE_LENGTH_AT, HEADER), "")
                .getInt();
    this.footer = (int) footerOf(segment);
    try (SegmentReader reader = SegmentReader.open(store, Flushes.segment(2, 0))) {
      this.index = reader.member(1);
      this.references = reader.references();
    }
    try (SegmentReader reader = SegmentReader.open(store, Flushes.segment(3, 0))) {
      this.changes = reader.member(1);
    }
  }

  /** One of each kind. */
  public static List<Specimen> all() throws IOException {
    return new SegmentSpecimens().list();
  }

  private List<Specimen> list() throws IOException {
    int tail = segment.length - SegmentFormat.TAIL_BYTES;
    return List.of(
        manifest("header", 0, HEADER, this::withHeader),
        manifest("preamble", HEADER, body, this::withPreamble),
        manifest("manifest", body, manifest.length, this::withBody),
        segment("footer", footer, tail, this::withFooter),
        segment("tail", tail, tail + 2 * 8 + CHECKSUM, this::withTail),
        Specimen.of("run", Specimen.write(varied()::write), in -> Run.read(in, 2)),
        Specimen.of("index", unsealed(indexed(index), 0), SegmentSpecimens::readIndex),
        Specimen.of("changes", unsealed(indexed(changes), 0), SegmentSpecimens::readIndex),
        Specimen.of(
            "indexed",
            new GroupFlush.Indexed(references, index, Optional.of(index)).write().toArray(),
            GroupFlush.Indexed::read),
        new Specimen("group", group(), "a message", SegmentSpecimens::readGroup),
        new Specimen("base", base(), "rank 0", SegmentSpecimens::readBase),
        new Specimen("lease", unsealed(lease(), 0), "", SegmentSpecimens::readLease),
        new Specimen("claim", unsealed(claim(), 0), "", SegmentSpecimens::readClaim));
  }

  // ---------------------------------------------------------------- files

  /** Puts a part, with its checksum, where it belongs. */
  private interface Assembly {
    byte[] file(byte[] part);
  }

  /** A part of a manifest that ends with a checksum, without it. */
  private Specimen manifest(String name, int from, int to, Assembly assembly) {
    byte[] part = Arrays.copyOfRange(manifest, from, to - CHECKSUM);
    return new Specimen(name, part, "memory:manifest", bytes -> readManifest(assembly.file(bytes)));
  }

  private Specimen segment(String name, int from, int to, Assembly assembly) {
    byte[] part = Arrays.copyOfRange(segment, from, to - CHECKSUM);
    return new Specimen(name, part, "memory:seg", bytes -> readSegment(assembly.file(bytes)));
  }

  private byte[] withHeader(byte[] header) {
    return Specimen.sealed(join(Specimen.sealed(header), unsealed(manifest, HEADER)));
  }

  private byte[] withPreamble(byte[] preamble) {
    byte[] sealed = Specimen.sealed(preamble);
    byte[] header = Arrays.copyOf(manifest, HEADER - CHECKSUM);
    byte[] length = Specimen.write(out -> out.putInt(sealed.length));
    System.arraycopy(length, 0, header, PREAMBLE_LENGTH_AT, length.length);
    return Specimen.sealed(join(Specimen.sealed(header), sealed, unsealed(manifest, body)));
  }

  private byte[] withBody(byte[] content) {
    return Specimen.sealed(join(Arrays.copyOf(manifest, body), content));
  }

  private byte[] withFooter(byte[] content) {
    byte[] before = join(Arrays.copyOf(segment, footer), Specimen.sealed(content));
    long size = before.length + (long) SegmentFormat.TAIL_BYTES;
    byte[] tail = Specimen.write(out -> out.putLong(footer).putLong(size).seal());
    return join(before, tail, Arrays.copyOfRange(segment, segment.length - 8, segment.length));
  }

  private byte[] withTail(byte[] content) {
    byte[] before = Arrays.copyOf(segment, segment.length - SegmentFormat.TAIL_BYTES);
    byte[] magic = Arrays.copyOfRange(segment, segment.length - 8, segment.length);
    return join(before, Specimen.sealed(content), magic);
  }

  private static void readManifest(byte[] bytes) throws IOException {
    MemoryStore store = new MemoryStore();
    LeaseFiles.create(store, Flushes.manifest(2), bytes);
    Manifest.read(store, Flushes.manifest(2));
  }

  private static void readSegment(byte[] bytes) throws IOException {
    MemoryStore store = new MemoryStore();
    LeaseFiles.create(store, Flushes.segment(2, 0), bytes);
    try (SegmentReader reader = SegmentReader.open(store, Flushes.segment(2, 0))) {
      for (int rank : reader.ranks()) {
        reader.member(rank);
      }
    }
  }

  private static MemberIndex readIndex(RecordReader in) throws IOException {
    MemberIndex read = MemberIndex.read(in);
    for (int block = 0; block < Math.min(10, read.blocks()); block++) {
      if (!read.runs().get(read.runOf(block)).isUnchanged()) {
        read.entry(block);
      }
    }
    read.liveBytes();
    return read;
  }

  private static void readLease(byte[] bytes) {
    LeaseRecord.parse(Specimen.sealed(bytes), "");
    LeaseRecord.parse(bytes, "");
  }

  private static void readClaim(byte[] bytes) {
    Claim.parse(Specimen.sealed(bytes), "");
    Claim.parse(bytes, "");
  }

  /** Blocks of different lengths, side by side. */
  private static Run varied() {
    MemberIndex.Builder blocks = new MemberIndex.Builder(0);
    blocks.segment("a");
    blocks.segment("b");
    blocks.add(new BlockEntry(1, 1000, 40, 1, 128, 5, 6));
    blocks.add(new BlockEntry(1, 1040, 30, 1, 128, 7, 8));
    blocks.add(new BlockEntry(1, 1070, 50, 1, 128, 9, 10));
    return blocks.build(new byte[0]).runs().getFirst();
  }

  private static byte[] indexed(MemberIndex index) throws IOException {
    RecordWriter out = RecordWriter.onHeap();
    index.write(out);
    return out.toArray();
  }

  private static byte[] lease() {
    return new LeaseRecord(1, 2, false, "node", 3, "rank0.cairn", Duration.ofSeconds(5)).toBytes();
  }

  private static byte[] claim() throws IOException {
    MemoryStore store = new MemoryStore();
    Claim.begin(store, Flushes.version(2), Optional.of(Flushes.version(1)));
    return read(store, store.list().iterator().next());
  }

  // ---------------------------------------------------------------- messages

  private byte[] group() {
    Manifest.Group group =
        new Manifest.Group(
            0,
            Flushes.segment(2, 0),
            List.of(0, 1),
            List.of(index.root(), index.root()),
            index.takenAt(),
            references);
    return Specimen.write(
        out -> {
          out.putText("").putLong(group.takenAt().toEpochMilli());
          long list = out.begin();
          Reference.write(out, references);
          out.end(list);
          group.write(out);
        });
  }

  private static void readGroup(byte[] bytes) throws IOException {
    GroupReport.read(bytes, new ArrayList<>(), new ArrayList<>());
  }

  private static byte[] base() {
    return new FlushBase(
            false, 5, Optional.of(Flushes.version(1)), 6, Set.of(Flushes.segment(1, 0)))
        .write();
  }

  private static void readBase(byte[] bytes) throws IOException {
    try {
      FlushBase.read(bytes);
    } catch (CorruptContainerException | UnsupportedFormatException e) {
      throw e;
    } catch (IOException e) {
      // A message of a few bytes less may well be one that tells of a failure.
      assertThat(e).hasMessageContaining("rank 0 cannot flush");
    }
  }

  // ---------------------------------------------------------------- bytes

  private static long footerOf(byte[] segment) throws IOException {
    int tail = segment.length - SegmentFormat.TAIL_BYTES;
    return RecordReader.of(Arrays.copyOfRange(segment, tail, segment.length), "").getLong();
  }

  private static byte[] unsealed(byte[] bytes, int from) {
    return Arrays.copyOfRange(bytes, from, bytes.length - CHECKSUM);
  }

  private static byte[] join(byte[]... parts) {
    return Specimen.write(out -> List.of(parts).forEach(out::putBytes));
  }

  private static byte[] read(Store store, String name) throws IOException {
    try (StoreFile file = store.open(name, Store.Access.READ)) {
      byte[] bytes = new byte[(int) file.size()];
      file.read(0, MemorySegment.ofArray(bytes));
      return bytes;
    }
  }
}
