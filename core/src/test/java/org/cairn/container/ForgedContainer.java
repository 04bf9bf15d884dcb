// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.cairn.hash.Xxh3;
import org.cairn.record.Feature;
import org.cairn.record.Field;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.testkit.version.TestRun;
import org.cairn.version.BlockMap;
import org.cairn.version.Catalog;
import org.cairn.version.DatasetEntry;
import org.cairn.version.MapRecord;
import org.cairn.version.RootDigest;
import org.cairn.version.VersionFormat;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionMap;

/**
 * Writes container files whose checksums are all right and whose contents may be any lie: what an
 * attacker, or a bug of a writer, could put before a reader. Records are put one after the other
 * behind the superblocks; the caller says what is in them.
 */
public final class ForgedContainer implements AutoCloseable {
  private static final VersionInfo NOTHING =
      new VersionInfo(TestRun.id(1, 1, 1), 0, Instant.EPOCH, 0, 0, 0, 0, 0, 0);

  private final FileChannel file;
  private long end = ContainerFormat.FIRST_EXTENT;
  private final List<Root.MapRef> records = new ArrayList<>();
  private final List<Root.Entry> versions = new ArrayList<>();
  private final BlockMap map = new BlockMap();
  private Claim[] claimed = {};
  private List<Feature> features = List.of();
  private List<Field> fields = List.of();
  private List<Field> versionFields = List.of();

  /** A new file, empty so far. */
  public ForgedContainer(Path path) throws IOException {
    file =
        FileChannel.open(
            path,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE);
  }

  /** Puts bytes into the file and says where. */
  public long bytes(byte[] content) throws IOException {
    long place = end;
    write(place, MemorySegment.ofArray(content));
    end += content.length;
    return place;
  }

  private void write(long place, MemorySegment content) throws IOException {
    ByteBuffer buffer = content.asByteBuffer();
    while (buffer.hasRemaining()) {
      file.write(buffer, place + buffer.position());
    }
  }

  /** Puts a record with a right checksum. */
  Pointer record(Consumer<RecordWriter> content) throws IOException {
    try (RecordWriter out = new RecordWriter()) {
      content.accept(out);
      long place = end;
      write(place, out.bytes());
      end += out.position();
      return pointer(place, out.bytes());
    }
  }

  private static Pointer pointer(long place, MemorySegment bytes) {
    long[] checksum = new long[2];
    Xxh3.digest(bytes, 0, bytes.byteSize(), checksum, 0);
    return new Pointer(place, bytes.byteSize(), checksum[0], checksum[1]);
  }

  /** The start of a catalog, as {@link #dataset} goes on. */
  static void catalogHeader(RecordWriter out, int datasets) {
    out.putInt(VersionFormat.TAG_CATALOG);
    out.putInt(datasets);
  }

  /** A dataset of a catalog with any content; {@code slots} are pairs of first and count. */
  record Claim(
      String name,
      int type,
      int algorithm,
      int codec,
      List<Long> shape,
      int blockSize,
      long byteLength,
      int... slots) {

    /** What is true of {@code bytes} bytes in blocks of 128 from slot {@code first} on. */
    static Claim honest(String name, long bytes, int first) {
      int count = Math.toIntExact(Math.ceilDiv(bytes, 128));
      int[] slots = count == 0 ? new int[0] : new int[] {first, count};
      return new Claim(name, 1, 1, 0, List.of(bytes), 128, bytes, slots);
    }

    void write(RecordWriter out) {
      write(out, name.getBytes(StandardCharsets.UTF_8), List.of());
    }

    void write(RecordWriter out, byte[] utf8, List<Field> more) {
      long start = out.begin();
      out.putFields(List.of(new Field(1, utf8)));
      writeRest(out);
      out.putFields(more).end(start);
    }

    /** All fields but the name. */
    void writeRest(RecordWriter out) {
      long field = out.beginField(2);
      out.putByte(type).putByte(algorithm).putByte(codec).putByte(0);
      out.putInt(blockSize).putLong(byteLength);
      out.end(field);
      field = out.beginField(3);
      shape.forEach(out::putLong);
      out.end(field);
      field = out.beginField(4);
      for (int slot : slots) {
        out.putInt(slot);
      }
      out.end(field);
    }
  }

  /** A catalog of these claims. */
  Pointer catalog(Claim... claims) throws IOException {
    claimed = claims;
    return record(
        out -> {
          catalogHeader(out, claims.length);
          for (Claim claim : claims) {
            claim.write(out);
          }
        });
  }

  /** One run of a map record with any content. */
  record Run(
      int kind, int codec, int blockLength, long first, long count, long place, long... words) {

    static Run zeros(long first, long count, int blockLength) {
      return new Run(VersionFormat.RUN_ZERO, 0, blockLength, first, count, 0);
    }

    static Run released(long first, long count) {
      return new Run(VersionFormat.RUN_RELEASED, 0, 0, first, count, 0);
    }

    void write(RecordWriter out) {
      out.putByte(kind);
      out.putByte(codec);
      out.putShort(0);
      out.putInt(blockLength);
      out.putLong(first);
      out.putLong(count);
      out.putLong(place);
      for (long word : words) {
        out.putLong(word);
      }
    }
  }

  /** The blocks of {@code content}, put into the file, as a raw run of 128-byte blocks. */
  Run raw(byte[] content, int firstSlot) throws IOException {
    int count = Math.ceilDiv(content.length, 128);
    long[] digests = new long[2 * count];
    MemorySegment segment = MemorySegment.ofArray(content);
    for (int i = 0; i < count; i++) {
      long length = Math.min(128, content.length - i * 128L);
      Xxh3.digest(segment, i * 128L, length, digests, i);
    }
    return new Run(VersionFormat.RUN_RAW, 0, 128, firstSlot, count, bytes(content), digests);
  }

  /** A map record; what it says is taken into account for the root digest if it can be read. */
  Pointer map(boolean base, Run... runs) throws IOException {
    return mapOf(base, runs.length, runs);
  }

  /** A map record that claims another number of runs than it has. */
  Pointer mapOf(boolean base, long claimedRuns, Run... runs) throws IOException {
    try (RecordWriter out = new RecordWriter()) {
      out.putInt(base ? VersionFormat.TAG_BASE : VersionFormat.TAG_DELTA);
      out.putInt(0);
      out.putLong(claimedRuns);
      for (Run run : runs) {
        run.write(out);
      }
      Pointer place = record(copy -> copyTo(copy, out));
      records.add(new Root.MapRef(base, place));
      return place;
    }
  }

  /** Computes the root digest that a reader will compute; for honest or nearly honest maps. */
  void apply(boolean base, Run... runs) throws IOException {
    try (RecordWriter out = new RecordWriter()) {
      out.putInt(base ? VersionFormat.TAG_BASE : VersionFormat.TAG_DELTA);
      out.putInt(0);
      out.putLong(runs.length);
      for (Run run : runs) {
        run.write(out);
      }
      MapRecord.read(new RecordReader(out.bytes(), "forged", 0), base, map);
    }
  }

  private static void copyTo(RecordWriter copy, RecordWriter from) {
    MemorySegment bytes = from.bytes();
    for (long i = 0; i < bytes.byteSize(); i++) {
      copy.putByte(bytes.get(java.lang.foreign.ValueLayout.JAVA_BYTE, i));
    }
  }

  /** Refers to a map record wherever the pointer leads. */
  void mapRef(boolean base, Pointer place) {
    records.add(new Root.MapRef(base, place));
  }

  /** A version that ends with the last map record so far. */
  void version(long epoch, long sequence, Pointer catalog) {
    long[] digest = digest();
    VersionInfo info =
        new VersionInfo(
            TestRun.id(epoch, sequence, 1),
            0,
            Instant.EPOCH,
            0,
            0,
            0,
            0,
            digest[0],
            digest[1],
            versionFields);
    versions.add(new Root.Entry(info, records.size() - 1, catalog));
  }

  /** The root digest that a reader will compute; something else if it will not come so far. */
  private long[] digest() {
    try (RecordWriter out = new RecordWriter()) {
      catalogHeader(out, claimed.length);
      for (Claim claim : claimed) {
        claim.write(out);
      }
      Catalog catalog = Catalog.read(new RecordReader(out.bytes(), "forged", 0));
      for (DatasetEntry dataset : catalog.datasets()) {
        if (map.firstUnfit(dataset) >= 0) {
          return new long[2];
        }
      }
      VersionMap version =
          new VersionView(
              new ContainerFile(new ChannelFile(this), "forged"), NOTHING, catalog, map);
      RootDigest digest = RootDigest.of(version);
      return new long[] {digest.low(), digest.high()};
    } catch (IOException e) {
      return new long[2];
    }
  }

  /** What later releases may say of the file, and of versions that are yet to come. */
  void extend(List<Feature> named, List<Field> ofRoot, List<Field> ofVersions) {
    features = named;
    fields = ofRoot;
    versionFields = ofVersions;
  }

  /** Writes the root and both superblocks. */
  void finish() throws IOException {
    Root root = root();
    finish(record(root::write));
  }

  Root root() {
    return new Root(
        TestRun.state(0, 1), features, List.copyOf(records), List.copyOf(versions), fields);
  }

  void finish(Pointer root) throws IOException {
    superblocks(root, 2, 1, 100, end);
  }

  void superblocks(Pointer root, long sequence, long epoch, long lastSequence, long claimedEnd)
      throws IOException {
    UUID id = new UUID(1, 2);
    for (int slot = 0; slot < 2; slot++) {
      Superblock superblock =
          new Superblock(slot, id, sequence - slot, epoch, lastSequence, root, claimedEnd);
      superblock.write(new ChannelFile(this));
    }
  }

  /** Just enough of a file for a superblock to be written to. */
  private record ChannelFile(ForgedContainer owner) implements org.cairn.store.StoreFile {
    @Override
    public String name() {
      return "forged";
    }

    @Override
    public boolean isNamed() {
      return true;
    }

    @Override
    public long size() {
      return owner.end;
    }

    @Override
    public long read(long position, MemorySegment target) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void write(long position, MemorySegment source) throws IOException {
      owner.write(position, source);
    }

    @Override
    public void truncate(long size) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void force() {}

    @Override
    public void close() {}
  }

  /** Makes the file as long as this, without writing anything there. */
  void stretch(long length) throws IOException {
    file.write(ByteBuffer.wrap(new byte[] {0}), length - 1);
    end = length;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
