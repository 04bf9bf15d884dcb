// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.cairn.Compression;
import org.cairn.Label;
import org.cairn.clock.Clock;
import org.cairn.hash.Xxh3;
import org.cairn.store.DirectoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreLock;
import org.cairn.store.StoreLockedException;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.ForwardingStore;
import org.cairn.tier.shared.SoleWriter;
import org.cairn.work.Workers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sets of files become versions of a directory, and each comes back byte for byte. */
class PackDirectoryTest {
  private static final int BLOCK = 64 << 10;

  @TempDir Path dir;
  private Path in;
  private Path packs;

  @BeforeEach
  void folders() throws IOException {
    in = Files.createDirectory(dir.resolve("in"));
    packs = dir.resolve("packs");
  }

  private PackReport add(int keep) throws IOException {
    try (PackDirectoryWriter writer = PackDirectoryWriter.open(packs, keep)) {
      return add(writer, Label.none());
    }
  }

  /** Compression is tested elsewhere, and takes long. */
  private static PackSettings settings() {
    return Packing.settings().with(Compression.none());
  }

  private PackReport add(PackDirectoryWriter writer, Label label) throws IOException {
    try (Packer packer = new Packer(settings(), _ -> {})) {
      return packer.pack(Packing.inputs(in), writer, label);
    }
  }

  private void assertComesBack(PackDirectory.Version version, Path expected) throws IOException {
    Path out = Files.createDirectory(dir.resolve("out"));
    try (Pack pack = PackDirectory.open(packs).open(version.id());
        Workers workers = new Workers(2, "unpacking")) {
      assertThat(pack.verify(workers, _ -> {})).isEmpty();
      assertThat(pack.verifyStored(_ -> {})).isEmpty();
      assertThat(new Unpacker(pack, out).unpack(pack.members(), workers, _ -> {})).isEmpty();
    }
    Packing.assertSame(expected, out);
    delete(out);
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(path);
      }
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : all.toList()) {
        Path target = to.resolve(from.relativize(path).toString());
        Files.copy(path, target, StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }

  private List<PackDirectory.Version> versions() throws IOException {
    PackDirectory.Listing listing = PackDirectory.open(packs).list();
    assertThat(listing.problems()).isEmpty();
    return listing.versions();
  }

  private static byte[] noise(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  // ---------------------------------------------------------------- any sets

  @SeededTest(seeds = 4)
  void everyVersionComesBackWhateverHappenedToFiles(Random random) throws IOException {
    int keep = 1 + random.nextInt(4);
    List<Path> copies = new ArrayList<>();
    for (int set = 0; set < 5; set++) {
      change(random, set);
      PackReport report = add(keep);
      assertThat(report.version()).isPresent();
      Path copy = dir.resolve("copy" + set);
      copy(in, copy);
      copies.add(copy);
      List<PackDirectory.Version> kept = versions();
      assertThat(kept).hasSize(Math.min(keep, set + 1));
      for (int i = 0; i < kept.size(); i++) {
        assertComesBack(kept.get(i), copies.get(set - i));
      }
    }
  }

  /** Files come, go, grow, shrink, move, and change somewhere. */
  private void change(Random random, int set) throws IOException {
    for (int i = 0; i < 2 + random.nextInt(3); i++) {
      List<Packer.Input> there = Packing.inputs(in);
      Path some = there.isEmpty() ? null : there.get(random.nextInt(there.size())).path();
      int what = some == null || there.size() < 2 ? 0 : random.nextInt(6);
      switch (what) {
        case 0 -> Files.write(in.resolve("f" + set + "-" + i), content(random));
        case 1 -> Files.delete(some);
        case 2 -> Files.move(some, in.resolve("moved" + set + "-" + i));
        case 3 -> Files.copy(some, in.resolve("copied" + set + "-" + i));
        case 4 -> resize(some, random);
        default -> poke(some, random);
      }
    }
  }

  private static byte[] content(Random random) {
    byte[] bytes = new byte[random.nextInt(4) == 0 ? random.nextInt(700) : random.nextInt(300_000)];
    if (random.nextBoolean()) {
      random.nextBytes(bytes);
    } else {
      byte[] few = new byte[1 + random.nextInt(100)];
      random.nextBytes(few);
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = few[i % few.length];
      }
    }
    return bytes;
  }

  private static void resize(Path file, Random random) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, random.nextInt(bytes.length + BLOCK)));
  }

  private static void poke(Path file, Random random) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    if (bytes.length > 0) {
      bytes[random.nextInt(bytes.length)] ^= 1;
    }
    Files.write(file, bytes);
  }

  // ---------------------------------------------------------------- what is stored

  @Test
  void whatIsThereIsNotStoredAgain() throws IOException {
    Files.write(in.resolve("a"), noise(1, 20 * BLOCK));
    Files.write(in.resolve("b"), noise(2, 20 * BLOCK));
    PackReport first = add(3);
    assertThat(first.stored()).isGreaterThan(40 * BLOCK);
    assertThat(first.shared()).isZero();
    byte[] changed = Files.readAllBytes(in.resolve("a"));
    changed[5 * BLOCK + 17] ^= 1;
    Files.write(in.resolve("a"), changed);
    Files.move(in.resolve("b"), in.resolve("c"));
    PackReport second = add(3);
    assertThat(second.shared()).isEqualTo(39 * BLOCK);
    assertThat(second.stored()).isBetween((long) BLOCK, 2L * BLOCK);
    assertComesBack(versions().getFirst(), in);
  }

  @Test
  void blocksThatAreAlikeAreStoredOnce() throws IOException {
    byte[] twice = noise(3, 10 * BLOCK);
    Files.write(in.resolve("a"), twice);
    Files.write(in.resolve("b"), twice);
    assertThat(add(1).stored()).isLessThan(11 * BLOCK);
    assertComesBack(versions().getFirst(), in);
    Path pack = dir.resolve("it.cairnpack");
    PackReport alone = Packing.pack(in, pack, Packing.settings());
    assertThat(alone.shared()).isEqualTo(10 * BLOCK);
    assertThat(alone.stored()).isLessThan(11 * BLOCK);
    assertThat(Packing.verify(pack)).isEmpty();
    Path out = Files.createDirectory(dir.resolve("out"));
    assertThat(Packing.unpack(pack, out, 1)).isEmpty();
    Packing.assertSame(in, out);
  }

  /**
   * A block whose digest does not depend on how a number is spread over two words: their lower
   * halves are those of the key, which makes products of zero, and what is added is their sum.
   */
  private static byte[] ofOneDigest(int spread) {
    ByteBuffer block = ByteBuffer.allocate(1024).order(ByteOrder.LITTLE_ENDIAN);
    block.putLong(0, 0x396cfeb8L | (long) (1000 + spread) << 32);
    block.putLong(64, 0x2c81017cL | (long) (2000 - spread) << 32);
    return block.array();
  }

  private static long[] digest(byte[] block) {
    long[] digest = new long[2];
    Xxh3.digest(MemorySegment.ofArray(block), 0, block.length, digest, 0);
    return digest;
  }

  @Test
  void blocksOfOneDigestAreNotTakenForEachOther() throws IOException {
    assertThat(digest(ofOneDigest(1))).isEqualTo(digest(ofOneDigest(0)));
    Files.write(in.resolve("a"), ofOneDigest(0));
    Files.write(in.resolve("b"), ofOneDigest(1));
    assertThat(add(3).shared()).isZero();
    assertComesBack(versions().getFirst(), in);
    Files.write(in.resolve("a"), ofOneDigest(2));
    try (PackDirectoryWriter writer = PackDirectoryWriter.open(packs, 3);
        Packer packer = new Packer(settings(), _ -> {})) {
      assertThat(packer.packUnlessSame(Packing.inputs(in), writer, Label.none())).isPresent();
    }
    assertComesBack(versions().getFirst(), in);
  }

  @Test
  void whatIsMostlyDeadIsWrittenAgain() throws IOException {
    Files.write(in.resolve("a"), noise(4, 40 * BLOCK));
    add(1);
    for (int version = 0; version < 20; version++) {
      byte[] bytes = Files.readAllBytes(in.resolve("a"));
      for (int i = 0; i < 4; i++) {
        bytes[((7 * version + 11 * i) % 40) * BLOCK] ^= (byte) (1 + version);
      }
      Files.write(in.resolve("a"), bytes);
      add(1);
      try (Pack pack = PackDirectory.open(packs).open(versions().getFirst().id())) {
        Pack.Reading reading = pack.reading(pack.members());
        assertThat(reading.amplification()).isLessThan(2.5);
        assertThat(reading.segments()).isLessThanOrEqualTo(17);
      }
    }
    assertComesBack(versions().getFirst(), in);
    assertThat(sizeOf(packs)).isLessThan(100L * BLOCK);
  }

  private static long sizeOf(Path folder) throws IOException {
    long bytes = 0;
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        bytes += Files.size(file);
      }
    }
    return bytes;
  }

  @Test
  void theVeryFilesAreNoNewVersionIfThatIsAsked() throws IOException {
    Files.write(in.resolve("a"), noise(5, 3 * BLOCK));
    try (PackDirectoryWriter writer = PackDirectoryWriter.open(packs, 3);
        Packer packer = new Packer(settings(), _ -> {})) {
      Label label = Label.of("7");
      assertThat(packer.packUnlessSame(Packing.inputs(in), writer, label)).isPresent();
      assertThat(packer.packUnlessSame(Packing.inputs(in), writer, label)).isEmpty();
      assertThat(packer.packUnlessSame(Packing.inputs(in), writer, Label.of("8"))).isPresent();
      byte[] other = noise(6, 3 * BLOCK);
      Files.write(in.resolve("a"), other);
      assertThat(packer.packUnlessSame(Packing.inputs(in), writer, Label.of("8"))).isPresent();
    }
    assertThat(versions().stream().map(one -> one.label().text())).containsExactly("8", "8", "7");
    assertComesBack(versions().getFirst(), in);
  }

  @Test
  void aBlockThatHasDecayedIsStoredAgain() throws IOException {
    Files.write(in.resolve("a"), noise(8, 4 * BLOCK));
    add(2);
    Path segment;
    try (Stream<Path> files = Files.list(packs)) {
      segment =
          files.filter(file -> file.toString().endsWith(".cairn-seg")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(segment);
    bytes[BLOCK] ^= 1;
    Files.write(segment, bytes);
    add(2);
    assertComesBack(versions().getFirst(), in);
  }

  /** It has just been found that what was to stay cannot be had: others may be all that is left. */
  @Test
  void olderVersionsStayWhereTheNewestHasDecayed() throws IOException {
    Files.write(in.resolve("a"), noise(8, 4 * BLOCK));
    add(2);
    Path first = dir.resolve("first");
    copy(in, first);
    Files.write(in.resolve("b"), noise(9, 4 * BLOCK));
    add(2);
    flipABit(versions().getFirst());
    assertThat(obstacleToAdding())
        .hasValueSatisfying(
            why ->
                assertThat(why)
                    .startsWith("old versions stay for now: version 2.2 is damaged: ")
                    .contains(", offset "));
    assertThat(numbers()).containsExactly("3.3", "2.2", "1.1");
    assertComesBack(versions().getLast(), first);
    assertThat(obstacleToAdding()).isEmpty();
    assertThat(numbers()).containsExactly("4.4", "3.3");
    assertComesBack(versions().getFirst(), in);
  }

  private Optional<String> obstacleToAdding() throws IOException {
    try (PackDirectoryWriter writer = PackDirectoryWriter.open(packs, 2)) {
      add(writer, Label.none());
      return writer.obstacle();
    }
  }

  private List<String> numbers() throws IOException {
    return versions().stream().map(one -> one.id().toString()).toList();
  }

  /** Of a block that only this version has. */
  private void flipABit(PackDirectory.Version version) throws IOException {
    Path segment =
        filesOfVersions(packs).stream()
            .filter(file -> file.toString().contains("seg-"))
            .filter(file -> file.toString().contains(version.id().run().toString()))
            .findFirst()
            .orElseThrow();
    byte[] bytes = Files.readAllBytes(segment);
    bytes[BLOCK] ^= 1;
    Files.write(segment, bytes);
  }

  private static List<Path> filesOfVersions(Path packs) throws IOException {
    try (Stream<Path> files = Files.list(packs)) {
      return files
          .filter(file -> file.toString().contains("-1.") || file.toString().contains("-2."))
          .filter(file -> !file.toString().contains("lease"))
          .sorted()
          .toList();
    }
  }

  /** The last manifest, cut, looks like one whose writer was killed. */
  private static byte[] damaged(Random random, byte[] whole, boolean isManifest) {
    boolean cut = !isManifest && random.nextInt(3) == 0;
    byte[] bytes = Arrays.copyOf(whole, whole.length - (cut ? 1 : 0));
    if (bytes.length == whole.length) {
      int at = random.nextBoolean() ? bytes.length - 1 - random.nextInt(200) : random.nextInt(200);
      bytes[at] ^= (byte) (1 << random.nextInt(8));
    }
    return bytes;
  }

  /** What cannot be read just now may come back, and the rest of it can be had all the same. */
  @SeededTest(seeds = 20)
  void damageIsNoReasonToDeleteAnything(Random random) throws IOException {
    Files.write(in.resolve("a"), noise(8, 2 * BLOCK));
    add(9);
    Path first = Files.createDirectory(dir.resolve("first"));
    delete(first);
    copy(in, first);
    Files.write(in.resolve("b"), noise(9, BLOCK));
    add(9);
    List<Path> files = filesOfVersions(packs);
    assertThat(files).hasSize(4);
    Path hit = files.get(random.nextInt(files.size()));
    byte[] whole = Files.readAllBytes(hit);
    boolean gone = random.nextInt(4) == 0;
    if (gone) {
      Files.delete(hit);
    } else {
      Files.write(hit, damaged(random, whole, hit.toString().contains("manifest-")));
    }
    Path second = dir.resolve("second");
    copy(in, second);
    Files.write(in.resolve("c"), noise(10, BLOCK));
    add(random.nextBoolean() ? 9 : Integer.MAX_VALUE);
    PackDirectory.Version newest = PackDirectory.open(packs).list().versions().getFirst();
    assertComesBack(newest, in);
    Files.write(hit, whole);
    if (gone && hit.toString().contains("manifest-")) {
      return; // as if it had never been added
    }
    assertThat(filesOfVersions(packs)).containsAll(files);
    assertThat(versions()).hasSize(3);
    assertComesBack(versions().get(1), second);
    assertComesBack(versions().get(2), first);
  }

  /** A segment that is damaged behind its frames costs nothing that its own files need. */
  @SeededTest(seeds = 4)
  void aVersionWhoseEndIsDamagedComesBack(Random random) throws IOException {
    Files.write(in.resolve("a"), noise(11, 2 * BLOCK));
    add(9);
    Files.write(in.resolve("b"), noise(12, BLOCK));
    add(9);
    PackDirectory.Version newest = versions().getFirst();
    Path segment =
        filesOfVersions(packs).stream()
            .filter(file -> file.toString().contains("seg-"))
            .filter(file -> file.toString().contains(newest.id().run().toString()))
            .findFirst()
            .orElseThrow();
    byte[] bytes = Files.readAllBytes(segment);
    bytes[bytes.length - 1 - random.nextInt(40)] ^= 4;
    Files.write(segment, bytes);
    PackDirectory.Listing listing = PackDirectory.open(packs).list();
    assertThat(listing.damaged()).containsExactly(newest.id());
    assertThat(listing.versions()).hasSize(1);
    Path out = Files.createDirectory(dir.resolve("out"));
    try (Pack pack = PackDirectory.open(packs).open(newest.id());
        Workers workers = new Workers(2, "unpacking")) {
      assertThat(pack.ownDamage()).isPresent();
      assertThat(new Unpacker(pack, out).unpack(pack.members(), workers, _ -> {}))
          .containsExactly(pack.ownDamage().get());
    }
    Packing.assertSame(in, out);
  }

  // ---------------------------------------------------------------- one writer

  @Test
  void aSecondWriterIsRefused() throws IOException {
    try (PackDirectoryWriter writer = PackDirectoryWriter.open(packs, 1)) {
      assertThatThrownBy(() -> PackDirectoryWriter.open(packs, 1))
          .isInstanceOf(StoreLockedException.class)
          .hasMessageContaining("packs");
      Files.write(in.resolve("a"), new byte[10]);
      add(writer, Label.none());
    }
    add(1);
    assertThat(versions()).hasSize(1);
  }

  /** Another machine has other locks. */
  private static final class Elsewhere extends ForwardingStore {
    private Elsewhere(Store store) {
      super(store);
    }

    @Override
    public StoreLock lock(String name) throws IOException {
      return super.lock("elsewhere");
    }

    @Override
    public String location(String name) {
      return "elsewhere/" + name;
    }
  }

  private PackDirectoryWriter open(Store store) throws IOException {
    AtomicLong numbers = new AtomicLong(store.hashCode());
    SoleWriter.Settings settings =
        new SoleWriter.Settings(1, Duration.ofMillis(600), PackDirectoryWriter.host());
    return PackDirectoryWriter.open(
        store, "packs", Clock.system(), numbers::incrementAndGet, settings);
  }

  @Test
  void aWriterOnAnotherMachineIsRefusedByTheLease() throws IOException {
    Files.write(in.resolve("a"), new byte[10]);
    Store store = DirectoryStore.open(packs, true);
    try (PackDirectoryWriter writer = open(store)) {
      assertThatThrownBy(() -> open(new Elsewhere(store)))
          .isInstanceOf(IOException.class)
          .hasMessageContainingAll("elsewhere", "lease");
      add(writer, Label.none());
    }
    open(new Elsewhere(store)).close();
    assertThat(versions()).hasSize(1);
  }

  @Test
  void aDirectoryThatCannotBeWrittenIsTold() throws IOException {
    Files.write(in.resolve("a"), new byte[10]);
    assertThatThrownBy(() -> PackDirectoryWriter.open(Path.of("/proc/self/packs"), 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("/proc/self/packs");
    Files.write(packs, new byte[3]);
    assertThatThrownBy(() -> PackDirectoryWriter.open(packs, 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(packs.toString());
  }
}
