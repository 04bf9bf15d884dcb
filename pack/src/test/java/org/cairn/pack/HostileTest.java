// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.cairn.Codec;
import org.cairn.CorruptContainerException;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.UnsupportedFormatException;
import org.cairn.clock.Clock;
import org.cairn.frame.FrameInfo;
import org.cairn.hash.Hashers;
import org.cairn.record.Digest;
import org.cairn.record.Field;
import org.cairn.record.RecordWriter;
import org.cairn.store.DirectoryStore;
import org.cairn.supply.Supply;
import org.cairn.tier.shared.MemberIndex;
import org.cairn.tier.shared.SegmentWriter;
import org.cairn.tier.shared.SharedNames;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.cairn.version.JobId;
import org.cairn.version.Lineage;
import org.cairn.version.RootDigest;
import org.cairn.version.RunId;
import org.cairn.version.RunInfo;
import org.cairn.version.SlotRuns;
import org.cairn.version.VersionHead;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packs whose checksums are all right, made by somebody who means harm. */
class HostileTest {
  private static final int LENGTH = 1000;
  private static final int HEADER = 96;
  private static final int PREAMBLE_LENGTH = 68;
  private static final VersionId VERSION = new VersionId(new JobId(1, 2), new RunId(3), 1, 1, 4);
  private static final byte[] BYTES = bytes();

  @TempDir Path dir;
  private Path out;
  private Path pack;

  private static byte[] bytes() {
    byte[] bytes = new byte[LENGTH];
    new java.util.Random(1).nextBytes(bytes);
    return bytes;
  }

  @BeforeEach
  void folder() throws IOException {
    out = Files.createDirectory(dir.resolve("out"));
  }

  /** A file as it is told, which may be anything. */
  private record File(
      String name, long size, List<PackedFile.Tile> tiles, long stream, long address) {
    static File honest(String name) {
      return new File(name, LENGTH, List.of(new PackedFile.Tile(1, LENGTH)), LENGTH, 0);
    }

    File with(long otherSize, PackedFile.Tile... others) {
      return new File(name, otherSize, List.of(others), stream, address);
    }

    /** The name is put in afterwards: nobody can make an object of it. */
    Field told() {
      String harmless = "n".repeat(name.length());
      PackedFile file =
          new PackedFile(new PackName(harmless), size, 0644, Instant.EPOCH, tiles, "");
      String bytes = new String(file.toField().bytes(), ISO_8859_1);
      return new Field(PackedFile.TAG, bytes.replaceFirst(harmless, name).getBytes(ISO_8859_1));
    }
  }

  private static byte[] frame(int transform) {
    RecordWriter out = RecordWriter.onHeap();
    out.putVarint(1).putVarint(LENGTH).putByte(transform).putByte(0).putVarint(1).putVarint(0);
    return out.putBytes(BYTES).toArray();
  }

  private static FrameInfo info(byte[] stored, long plain) {
    return new FrameInfo(stored.length, plain, Codec.NONE, Digest.of(stored));
  }

  private void write(File... files) throws IOException {
    byte[] frame = frame(0);
    write(info(frame, LENGTH), frame, files);
  }

  private void write(FrameInfo info, byte[] stored, File... files) throws IOException {
    RunInfo run =
        RunInfo.of(
            VERSION.run(), Instant.EPOCH, 4, Optional.empty(), false, List.of(), Optional.empty());
    DirectoryStore store = DirectoryStore.open(dir, false);
    try (SegmentWriter writer =
        SegmentWriter.createFramed(
            store,
            Clock.system(),
            new SharedNames.Segment(VERSION, 5, 0),
            Lineage.beginning(VERSION.job(), "", run))) {
      writer.append(info, Optional.empty(), MemorySegment.ofArray(stored));
      for (int i = 0; i < files.length; i++) {
        writer.addMember(index(i, writer.name(), files[i]), Map.of(writer.name(), 1L));
      }
      writer.finish();
      pack = dir.resolve(writer.name());
    }
  }

  private static MemberIndex index(int number, String segment, File file) {
    DatasetSpec spec =
        new DatasetSpec(
            "data",
            ElementType.OPAQUE,
            List.of(file.stream),
            file.stream,
            Stream.BLOCK,
            HashAlgorithm.XXH3_128,
            Codec.NONE);
    int blocks = Math.toIntExact(spec.blocks());
    DatasetEntry entry = new DatasetEntry(spec, SlotRuns.NONE.plus(0, blocks), List.of());
    MemberIndex.Builder index = new MemberIndex.Builder(number);
    int own = index.segment(segment);
    RootDigest root = new RootDigest();
    root.add(spec);
    RootDigest.Key key = root.key(spec);
    if (file.stream == LENGTH) {
      long[] digest = new long[2];
      Hashers.of(HashAlgorithm.XXH3_128)
          .hash(MemorySegment.ofArray(BYTES), 0, LENGTH, LENGTH, digest, 0);
      index.addFramed(own, file.address, LENGTH, digest[0], digest[1]);
      root.add(key, 0, digest[0], digest[1]);
    } else {
      index.addZeros(blocks, Stream.BLOCK);
      root.addZeros(key, 0, blocks);
    }
    VersionInfo info =
        new VersionInfo(
            VERSION,
            0,
            Instant.EPOCH,
            file.stream,
            blocks,
            blocks,
            1,
            root.low(),
            root.high(),
            List.of(file.told()));
    RecordWriter head = RecordWriter.onHeap();
    VersionHead.write(info, List.of(entry), head);
    return index.build(head.toArray(), new Digest(root.low(), root.high()), Instant.EPOCH);
  }

  private List<String> unpack() throws IOException {
    List<String> damages = new ArrayList<>();
    Packing.unpack(pack, out, 1).forEach(one -> damages.add(one.file() + ": " + one.what()));
    return damages;
  }

  /** So what the others say is of what they changed. */
  @Test
  void anHonestOneIsUnpacked() throws IOException {
    write(File.honest("dir/good"));
    assertThat(unpack()).isEmpty();
    assertThat(Files.readAllBytes(out.resolve("dir/good"))).isEqualTo(BYTES);
  }

  /** Shows that a file is refused, why, and that the one beside it is not. */
  private void assertLost(File bad, String... why) throws IOException {
    write(bad, File.honest("good"));
    assertThat(unpack()).singleElement().asString().contains(why);
    Packing.assertOnly(out, "good");
    Packing.assertOnly(dir, "out", pack.getFileName().toString());
    Files.delete(out.resolve("good"));
    Files.delete(pack);
  }

  @Test
  void noNameLeadsOutOfTheFolder() throws IOException {
    for (String name :
        List.of("..", "../x", "a/../../x", "/x", "a//x", ".", "a/.", "x/", "a\0b", "")) {
      if (!name.isEmpty()) {
        assertLost(File.honest(name), "(file 0)", ", index of file 0, its field 16, offset ");
      }
    }
  }

  @Test
  void noTwoFilesHaveOneNameOrOneIsTheFolderOfTheOther() throws IOException {
    write(File.honest("same"), File.honest("same"));
    assertThatThrownBy(this::unpack)
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContainingAll(pack.toString(), "two files are called same");
    Files.delete(pack);
    write(File.honest("a/b/c"), File.honest("a"));
    assertThatThrownBy(this::unpack)
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContainingAll(pack.toString(), "a is a file, and the folder of a/b/c");
    Packing.assertOnly(out);
  }

  @Test
  void tilesCoverTheFileAndTheStreams() throws IOException {
    File file = File.honest("bad");
    PackedFile.Tile all = new PackedFile.Tile(1, LENGTH);
    assertLost(file.with(LENGTH + 1, all), "tiles leave 1 of 1001 bytes");
    assertLost(file.with(LENGTH - 1, all), "tiles do not cover the 999 bytes");
    assertLost(file.with(LENGTH, new PackedFile.Tile(2, LENGTH)), "bad has no stream 2");
    assertLost(file.with(LENGTH, new PackedFile.Tile(0, LENGTH)), "tiles of 0");
    assertLost(file.with(2 * LENGTH, all, all), "tiles of 2000");
    assertLost(file.with(LENGTH, all, new PackedFile.Tile(0, 0)), "tiles do not cover");
    assertLost(
        file.with(Long.MAX_VALUE, new PackedFile.Tile(0, Long.MAX_VALUE), all), "do not cover");
  }

  @Test
  void blocksLieInFrames() throws IOException {
    List<PackedFile.Tile> tiles = List.of(new PackedFile.Tile(1, LENGTH));
    for (long address : new long[] {1, LENGTH, 1L << 40, Long.MAX_VALUE - LENGTH}) {
      assertLost(new File("bad", LENGTH, tiles, LENGTH, address), "bad: ", "is in no frame");
    }
  }

  /** 64 TiB of zeros in a few hundred bytes. */
  @Test
  void spaceIsLookedForBeforeAnythingIsWritten() throws IOException {
    long huge = 1L << 46;
    write(
        File.honest("good"),
        new File("huge", huge, List.of(new PackedFile.Tile(1, huge)), huge, 0));
    assertThatThrownBy(this::unpack)
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("too little space", "huge", Long.toString(huge));
    Packing.assertOnly(out);
  }

  /** A list of frames that says so is not believed, and done without. */
  @Test
  void aFrameOfTerabytesIsRefusedBeforeMemoryIsTaken() throws IOException {
    byte[] frame = frame(0);
    write(info(frame, 1L << 42), frame, File.honest("good"));
    assertThat(unpack().getLast())
        .contains(pack.toString(), "a frame of 4398046511104 bytes", "found without that: 1 of");
    Packing.assertOnly(out, "good");
  }

  /** A hole costs nothing; but no file can be so long. */
  @Test
  void aHoleOfExabytesIsRefusedBeforeAnythingIsWritten() throws IOException {
    long huge = Long.MAX_VALUE - LENGTH;
    write(
        File.honest("good"),
        File.honest("huge")
            .with(Long.MAX_VALUE, new PackedFile.Tile(1, LENGTH), new PackedFile.Tile(0, huge)));
    assertThatThrownBy(this::unpack)
        .isInstanceOf(FileSystemException.class)
        .hasMessageContainingAll(
            out.resolve("huge").toString(), Long.toString(Long.MAX_VALUE), "unpacked alone");
    Packing.assertOnly(out);
  }

  /** A frame of a thousand bytes whose zstd header wants a window of 2 GiB, and more. */
  @Test
  void aLargeWindowIsRefusedBeforeMemoryIsTaken() throws IOException {
    for (int window : new int[] {21 << 3, 31 << 3}) {
      byte[] stored = new byte[100];
      byte[] header = {0x28, (byte) 0xB5, 0x2F, (byte) 0xFD, 0x40, (byte) window, (byte) 0xF6, 2};
      System.arraycopy(header, 0, stored, 0, header.length);
      write(
          new FrameInfo(stored.length, LENGTH, Codec.ZSTD, Digest.of(stored)),
          stored,
          File.honest("bad"));
      long[] taken = new long[1];
      Supply.controlledBy((_, amount) -> taken[0] = Math.max(taken[0], amount));
      try {
        assertThat(unpack())
            .singleElement()
            .asString()
            .contains("bad: ", pack.toString(), "window");
      } finally {
        Supply.uncontrolled();
      }
      assertThat(taken[0]).as("the largest piece of memory").isLessThan(16 << 20);
      Packing.assertOnly(out);
      Files.delete(pack);
    }
  }

  /** Where case does not count the second is in the way of the first, and nothing is replaced. */
  @Test
  void namesThatDifferInCaseOnlyAreTwoFilesOrNone() throws IOException {
    write(File.honest("Same"), File.honest("same"));
    if (Files.exists(dir.resolve("OUT"))) {
      assertThatThrownBy(this::unpack).isInstanceOf(FileAlreadyExistsException.class);
      Packing.assertOnly(out);
    } else {
      assertThat(unpack()).isEmpty();
      Packing.assertOnly(out, "Same", "same");
    }
  }

  /** What the feature's name says must be known to read the file. */
  @Test
  void anUnknownFeatureIsNamed() throws IOException {
    write(File.honest("good"));
    byte[] bytes = Files.readAllBytes(pack);
    String text = new String(bytes, ISO_8859_1);
    int at = text.indexOf("org.cairn.frames");
    bytes[at + 15] = 'X';
    int preamble = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(PREAMBLE_LENGTH);
    byte[] sealed = Arrays.copyOfRange(bytes, HEADER, HEADER + preamble - Digest.BYTES);
    RecordWriter again = RecordWriter.onHeap().putBytes(sealed).seal();
    System.arraycopy(again.toArray(), 0, bytes, HEADER, preamble);
    Files.write(pack, bytes);
    assertThatThrownBy(() -> Pack.open(pack))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContainingAll(pack.toString(), "org.cairn.frameX");
  }

  @Test
  void anUnknownTransformIsOfANewerRelease() throws IOException {
    byte[] frame = frame(99);
    write(info(frame, LENGTH), frame, File.honest("bad"));
    assertThat(unpack())
        .singleElement()
        .asString()
        .contains("bad: ", pack.toString(), "transform number 99", "newer release");
    Packing.assertOnly(out);
  }

  @Test
  void whatIsNoPackIsTold() throws IOException {
    Path text =
        Files.writeString(dir.resolve("text"), "not a pack, and longer than a header ".repeat(9));
    assertThatThrownBy(() -> Pack.open(text))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("is not a Cairn pack");
    Path empty = Files.createFile(dir.resolve("empty"));
    assertThatThrownBy(() -> Pack.open(empty)).hasMessageContaining("is not a Cairn pack");
    Path two = Files.writeString(dir.resolve("two"), "ab");
    assertThatThrownBy(() -> Pack.open(two))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContainingAll(two.toString(), "is not a Cairn pack", "has 2 bytes");
    assertThatThrownBy(() -> Pack.open(dir)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> Pack.open(dir.resolve("absent:"))).isInstanceOf(IOException.class);
  }

  @Test
  void whatWasCutOffWithinFramesOrBeforeIsTold() throws IOException {
    write(File.honest("good"));
    byte[] whole = Files.readAllBytes(pack);
    for (int length : new int[] {20, 100, 300, 700}) {
      Path cut = Files.write(dir.resolve("cut" + length), Arrays.copyOf(whole, length));
      assertThatThrownBy(() -> Pack.open(cut))
          .isInstanceOf(CorruptContainerException.class)
          .hasMessageContainingAll("cut off", "%s, offset %d".formatted(cut, length));
    }
  }

  @Test
  void aPackMayHaveAnyNameAndBeReachedThroughALink() throws IOException {
    write(File.honest("good"));
    Path odd = Path.of(URI.create(dir.toUri() + "12:00%20%C3%A4%FF.cairnpack"));
    Files.move(pack, odd);
    assertThat(Packing.verify(odd)).isEmpty();
    assertThat(Packing.verify(Files.createSymbolicLink(dir.resolve("link"), odd))).isEmpty();
  }
}
