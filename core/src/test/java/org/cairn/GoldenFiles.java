// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.cairn.clock.Clock;
import org.cairn.container.BlockScan;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.division.Division;
import org.cairn.hash.Xxh3;
import org.cairn.store.DirectoryStore;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.cairn.version.JobId;
import org.cairn.version.Lineage;
import org.cairn.version.Ownership;
import org.cairn.version.RunId;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;

/**
 * Makes the golden containers, always the same bytes, and describes what a container holds in text.
 * The time stands still, and what is drawn at random, the identities of container, job and run, is
 * replaced by something fixed.
 */
final class GoldenFiles {
  private static final Instant TAKEN = Instant.parse("2026-11-15T12:00:00Z");
  private static final long SUPERBLOCK_STRIDE = 4096;
  private static final int SUPERBLOCK_BYTES = 112;
  private static final int CHECKSUM_AT = 96;
  private static final int ROOT_AT = 56;
  private static final JobId JOB = new JobId(0x91c3aa0211223344L, 0x5566778899aabbccL);
  private static final RunId RUN = new RunId(0x5f0c91aa3344bbccL);

  private static final Options OPTIONS =
      Options.defaults()
          .blockSize(128)
          .hash(HashAlgorithm.XXH3_128)
          .retain(3)
          .threads(1)
          .strategy(org.cairn.Strategy.DIFFERENTIAL)
          .clock(
              new Clock() {
                @Override
                public long nanos() {
                  return 0;
                }

                @Override
                public Instant now() {
                  return TAKEN;
                }
              });

  private interface Program {
    void run(Checkpointer cairn);
  }

  private GoldenFiles() {}

  /** All golden files by name. */
  static Map<String, byte[]> make() throws IOException {
    Map<String, byte[]> files = new LinkedHashMap<>();
    files.put("single", written(GoldenFiles::single));
    byte[] several = written(GoldenFiles::several);
    files.put("several", several);
    files.put("coded", written(GoldenFiles::coded));
    files.put("zeros", written(GoldenFiles::zeros));
    files.put("example", written(GoldenFiles::example));
    files.put("divided", written(GoldenFiles::divided));
    files.put("everywhere", written(GoldenFiles::everywhere));
    files.put("spooky", written(GoldenFiles::spooky));
    files.put("damaged-superblock", flipped(several, newestSuperblock(several) + 40));
    files.put("damaged-block", flipped(several, lastBlockOf(several)));
    return files;
  }

  /** One version of every element type. */
  private static void single(Checkpointer cairn) {
    cairn.protect("bytes", new byte[] {-1, 0, 1});
    cairn.protect("booleans", new boolean[] {true, false, true});
    cairn.protect("chars", "Cairn".toCharArray());
    cairn.protect("shorts", new short[] {Short.MIN_VALUE, 2});
    cairn.protect("ints", new int[] {Integer.MIN_VALUE, 3});
    cairn.protect("longs", new long[] {Long.MIN_VALUE, 4});
    cairn.protect("floats", new float[] {1.5f, Float.NaN});
    cairn.protect("doubles", new double[] {-0.0, 2.5});
    double[] matrix = new double[60];
    Arrays.setAll(matrix, i -> 1 + i / 10.0);
    cairn.protect("matrix of 6 × 10", matrix).shape(6, 10);
    cairn.protectOpaque("opaque", () -> new byte[] {42}, bytes -> {});
    cairn.protect("empty", new double[0]);
    cairn.checkpoint();
  }

  /** Four versions, of which three are retained; most blocks are shared, one dataset grows. */
  private static void several(Checkpointer cairn) {
    LongCell step = cairn.protect("step", 0L);
    int[] field = new int[200];
    Arrays.setAll(field, i -> i * i + 1);
    cairn.protect("field", field);
    long[][] grown = {new long[0]};
    cairn.protect("grown", long[].class, () -> grown[0], n -> grown[0] = new long[(int) n]);
    for (int i = 1; i <= 4; i++) {
      step.set(i);
      field[40 * i] = -i;
      grown[0] = new long[10 * i];
      Arrays.fill(grown[0], i);
      cairn.checkpoint();
    }
  }

  /** All that can be said of what ranks have together; the one rank there is has all of it. */
  private static void divided(Checkpointer cairn) {
    double[] field = new double[5 * 6];
    Arrays.setAll(field, i -> 1 + i / 8.0);
    long[] shape = {3, 4};
    cairn.protect("field", field).part(Part.of(shape, new long[2], shape).halo(1, 1).periodic(1));
    float[] blocks = new float[2 * 4 + 2 * 3];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = i - 0.5f;
    }
    long[] length = {10};
    cairn
        .protect("blocks", blocks)
        .partOf(
            "line",
            Part.of(length, new long[] {0}, new long[] {6})
                .halo(new long[] {0}, new long[] {2})
                .stale()
                .holes(-1.5),
            Part.of(length, new long[] {4 + 2}, new long[] {4})
                .halo(new long[] {2}, new long[] {0})
                .holes(-1.5));
    cairn.protect("x", new double[] {1, 2, 3, 4, 5, 6}).bag("particles", 3);
    cairn.protect("id", new long[] {7, 8}).bag("particles", 1);
    cairn.protect("alone", new int[] {9});
    cairn.checkpoint();
  }

  /** What all ranks have alike, beside what one has alone. */
  private static void everywhere(Checkpointer cairn) {
    cairn.protectEverywhere("step", 5L);
    cairn.protect("table", new double[] {1.5, -2, 0}).everywhere();
    cairn.protect("alone", new int[] {9});
    cairn.checkpoint();
  }

  /** Blocks of all lengths that SpookyHash treats differently, beside one of XXH3. */
  private static void spooky(Checkpointer cairn) {
    for (int length : new int[] {1, 8, 15, 16, 40, 191, 192, 286, 384, 700}) {
      byte[] bytes = new byte[length];
      for (int i = 0; i < length; i++) {
        bytes[i] = (byte) (length + 7 * i);
      }
      cairn.protect(length + " bytes", bytes).blockSize(512).hash(HashAlgorithm.SPOOKY_128);
    }
    cairn.protect("beside", new int[] {9});
    cairn.checkpoint();
  }

  private static void coded(Checkpointer cairn) {
    byte[] text = "Cairn keeps what changed. ".repeat(30).getBytes();
    cairn.protect("deflate", text).codec(Codec.DEFLATE);
    byte[] dense = new byte[300];
    new java.util.Random(1).nextBytes(dense);
    cairn.protect("deflate of noise", dense).codec(Codec.DEFLATE);
    cairn.protect("plain", text.clone());
    cairn.checkpoint();
  }

  private static void zeros(Checkpointer cairn) {
    double[] sparse = new double[100];
    sparse[50] = 1;
    cairn.protect("sparse", sparse);
    cairn.protect("all zero", new double[1000]);
    cairn.checkpoint();
    sparse[50] = 0;
    sparse[99] = 1;
    cairn.checkpoint();
  }

  /** The worked example of docs/format/container.md. */
  private static void example(Checkpointer cairn) {
    LongCell step = cairn.protect("step", 0L);
    double[] u = new double[5000];
    Arrays.setAll(u, i -> i < 2048 ? 1 + i : 0);
    u[4999] = -1;
    cairn.protect("u", u).blockSize(16384);
    cairn.checkpoint();
    step.set(1);
    u[0] = 0.5;
    cairn.checkpoint();
  }

  private static byte[] written(Program program) throws IOException {
    MemoryStore store = new MemoryStore();
    try (Checkpointer cairn = Checkpointer.open(store, OPTIONS)) {
      program.run(cairn);
    }
    byte[] bytes = bytes(store);
    MemorySegment file = MemorySegment.ofArray(bytes);
    replaceIdentity(file, lineage(store));
    for (int slot = 0; slot < 2; slot++) {
      giveIdentity(file, file.asSlice(slot * SUPERBLOCK_STRIDE, SUPERBLOCK_BYTES));
    }
    return bytes;
  }

  private static Lineage lineage(Store store) throws IOException {
    try (ContainerReader reader = ContainerReader.open(store, SampleState.FILE)) {
      return reader.ownership().lineage();
    }
  }

  private static byte[] bytes(Store store) throws IOException {
    try (StoreFile file = store.open(SampleState.FILE, Store.Access.READ)) {
      byte[] bytes = new byte[Math.toIntExact(file.size())];
      file.read(0, MemorySegment.ofArray(bytes));
      return bytes;
    }
  }

  /** In the roots of the two superblocks, and in older ones that nobody refers to any more. */
  private static void replaceIdentity(MemorySegment file, Lineage drawn) {
    for (long at = 0; at <= file.byteSize() - 8; at++) {
      replace(file, at, drawn.job().high(), JOB.high());
      replace(file, at, drawn.job().low(), JOB.low());
      replace(file, at, drawn.run().id().bits(), RUN.bits());
      replace(file, at, drawn.run().began().toEpochMilli(), TAKEN.toEpochMilli());
    }
  }

  private static void giveIdentity(MemorySegment file, MemorySegment superblock) {
    superblock.set(little(), 16, 0x0123456789ABCDEFL);
    superblock.set(little(), 24, 0xFEDCBA9876543210L);
    MemorySegment root =
        file.asSlice(superblock.get(little(), ROOT_AT), superblock.get(little(), ROOT_AT + 8));
    checksum(root, root.byteSize(), superblock, ROOT_AT + 16);
    checksum(superblock, CHECKSUM_AT, superblock, CHECKSUM_AT);
  }

  private static void replace(MemorySegment bytes, long at, long drawn, long fixed) {
    if (bytes.get(little(), at) == drawn) {
      bytes.set(little(), at, fixed);
    }
  }

  private static void checksum(MemorySegment of, long length, MemorySegment to, long at) {
    long[] checksum = new long[2];
    Xxh3.digest(of, 0, length, checksum, 0);
    to.set(little(), at, checksum[0]);
    to.set(little(), at + 8, checksum[1]);
  }

  private static ValueLayout.OfLong little() {
    return ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  }

  private static long newestSuperblock(byte[] container) {
    MemorySegment bytes = MemorySegment.ofArray(container);
    long first = bytes.get(little(), 32);
    long second = bytes.get(little(), SUPERBLOCK_STRIDE + 32);
    return second > first ? SUPERBLOCK_STRIDE : 0;
  }

  /** A byte of a block that only the newest version has. */
  private static long lastBlockOf(byte[] container) throws IOException {
    try (ContainerReader reader = ContainerReader.open(store(container), SampleState.FILE)) {
      VersionView view = reader.view(reader.versions().getFirst().id());
      return view.place(view.find("step").orElseThrow(), 0).offset();
    }
  }

  private static byte[] flipped(byte[] container, long position) {
    byte[] damaged = container.clone();
    damaged[Math.toIntExact(position)] ^= 4;
    return damaged;
  }

  static MemoryStore store(byte[] container) throws IOException {
    MemoryStore store = new MemoryStore();
    try (StoreFile file = store.open(SampleState.FILE, Store.Access.CREATE)) {
      file.write(0, MemorySegment.ofArray(container));
    }
    return store;
  }

  // ---------------------------------------------------------------- describing

  /** Everything a reader can learn from a container, as text. */
  static String describe(byte[] container) throws IOException {
    StringBuilder text = new StringBuilder();
    try (ContainerReader reader = ContainerReader.open(store(container), SampleState.FILE);
        Workers alone = new Workers(1, "golden")) {
      text.append("container ").append(reader.id()).append(", epoch ").append(reader.epoch());
      text.append(", ").append(container.length).append(" bytes\n");
      text.append("of ").append(owner(reader.ownership())).append('\n');
      reader.problems().forEach(problem -> text.append("problem: ").append(problem).append('\n'));
      for (VersionInfo version : reader.versions()) {
        describe(reader, version, alone, text);
      }
    }
    return text.toString();
  }

  private static String owner(Ownership owner) {
    return "rank %d of %d, kind %d, job %s \"%s\", runs %s"
        .formatted(
            owner.rank(),
            owner.ranks(),
            owner.kind(),
            owner.lineage().job(),
            owner.lineage().name(),
            owner.lineage().runs().stream().map(run -> run.id().toString()).toList());
  }

  private static void describe(
      ContainerReader reader, VersionInfo version, Workers alone, StringBuilder text)
      throws IOException {
    text.append(
        "\nversion %s of %s: %d bytes in %d blocks, %d dirty, %d bytes written, root %016x%016x%n"
            .formatted(
                version.id().exact(),
                version.takenAt(),
                version.protectedBytes(),
                version.blocks(),
                version.dirtyBlocks(),
                version.bytesWritten(),
                version.digestHigh(),
                version.digestLow()));
    try {
      VersionView view = reader.view(version.id());
      for (DatasetEntry dataset : view.datasets()) {
        describe(view, dataset, alone, text);
      }
    } catch (CorruptContainerException e) {
      text.append("  lost: ").append(e.getMessage()).append('\n');
    }
  }

  private static void describe(
      VersionView view, DatasetEntry dataset, Workers alone, StringBuilder text)
      throws IOException {
    DatasetSpec spec = dataset.spec();
    byte[] content = new byte[Math.toIntExact(spec.byteLength())];
    List<VersionSource.Damage> damages =
        BlockScan.run(
            view,
            List.of(dataset),
            alone,
            (entry, block, bytes) ->
                MemorySegment.copy(
                    bytes,
                    0,
                    MemorySegment.ofArray(content),
                    (long) block * spec.blockSize(),
                    bytes.byteSize()),
            false,
            done -> {});
    text.append(
        "  \"%s\" %s%s, blocks of %d, %s, codec %s%n"
            .formatted(
                spec.name(),
                spec.type().label(),
                spec.shape(),
                spec.blockSize(),
                spec.algorithm().label(),
                spec.codec().label()));
    if (!spec.division().isAlone()) {
      text.append("    ").append(division(spec.division())).append('\n');
    }
    text.append("    blocks ").append(places(view, dataset)).append('\n');
    text.append("    SHA-256 ").append(sha256(content)).append('\n');
    text.append("    begins ").append(beginning(content)).append('\n');
    damages.forEach(damage -> text.append("    damage: ").append(damage.what()).append('\n'));
  }

  private static String division(Division division) {
    if (!(division instanceof Division.Parts parts)) {
      return division.toString();
    }
    StringBuilder text = new StringBuilder("array \"" + parts.array() + "\" of ");
    text.append(parts.first().shape()).append(", periodic ").append(parts.first().periodic());
    text.append(", fill ").append(parts.first().fill());
    for (Part part : parts.parts()) {
      text.append("; ").append(part).append(" with ghosts ").append(part.before()).append(' ');
      text.append(part.after()).append(part.isStale() ? ", stale" : "");
    }
    return text.toString();
  }

  private static String places(VersionView view, DatasetEntry dataset) {
    StringBuilder places = new StringBuilder();
    for (int block = 0; block < dataset.blocks(); block++) {
      VersionView.BlockPlace place = view.place(dataset, block);
      String stored =
          place.isZero()
              ? "zero"
              : place.offset() + "+" + place.storedLength() + (place.codec() == 0 ? "" : "c");
      places.append(block == 0 ? "" : " ").append(stored);
    }
    return places.toString();
  }

  private static String beginning(byte[] content) {
    return HexFormat.ofDelimiter(" ").formatHex(content, 0, Math.min(16, content.length));
  }

  private static String sha256(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  /** Writes all golden files and their descriptions. */
  static void write(Path directory) throws IOException {
    Files.createDirectories(directory);
    for (Map.Entry<String, byte[]> file : make().entrySet()) {
      Files.write(directory.resolve(file.getKey() + ".cairn"), file.getValue());
      Files.writeString(directory.resolve(file.getKey() + ".txt"), describe(file.getValue()));
    }
  }

  /** Copies a golden file to where a {@link Checkpointer} expects its container. */
  static DirectoryStore unpack(Path golden, Path directory) throws IOException {
    Files.copy(golden, directory.resolve(SampleState.FILE));
    return DirectoryStore.open(directory, true);
  }
}
