// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.cairn.Label;
import org.cairn.clock.Clock;
import org.cairn.frame.FrameOrder;
import org.cairn.store.DirectoryStore;
import org.cairn.testkit.random.OnlyThorough;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Thorough;
import org.cairn.testkit.store.CountingStore;
import org.cairn.tier.shared.SoleWriter;
import org.cairn.work.Workers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * After many versions of files of which few random blocks change the directory is little larger
 * than one of them, to unpack one takes little more than its bytes, and the next version is no more
 * work than the first ones were. Each version comes from a process of its own, as it were.
 */
@Tag("slow")
@Thorough
class PackDecayTest {
  private static final int KEEP = 3;
  private static final int BLOCK = 64 << 10;
  private static final int FILES = 4;
  private static final int BLOCKS = 32;
  private static final int CHANGED = 4; // 3 %
  private static final int FRAME = 8 * BLOCK;

  /** How much all versions that are kept need together, of what one does. */
  private static final double KEPT = 1 + (KEEP - 1) * (double) CHANGED / (FILES * BLOCKS);

  private static final boolean IS_THOROUGH = Boolean.getBoolean(Thorough.PROPERTY);

  private static final PackSettings PACKING =
      Packing.settings(
          FrameOrder.AWARE, new FrameOrder.Sizes(100, BLOCK, FRAME), Packing.BUDGET, 1);

  /** What is in a block. */
  private enum Content {
    /** A frame is as large as what is in it. */
    NOISE {
      @Override
      byte[] block(Random random) {
        byte[] bytes = new byte[BLOCK];
        random.nextBytes(bytes);
        return bytes;
      }
    },
    /** Some three times smaller when it is compressed. */
    NUMBERS {
      @Override
      byte[] block(Random random) {
        ByteBuffer bytes = ByteBuffer.allocate(BLOCK).order(ByteOrder.LITTLE_ENDIAN);
        double value = random.nextInt(1000);
        while (bytes.hasRemaining()) {
          value += random.nextInt(100) * 0x1p-10;
          bytes.putDouble(value);
        }
        return bytes.array();
      }
    };

    abstract byte[] block(Random random);
  }

  @TempDir Path dir;
  private Path in;
  private Path packs;
  private CountingStore store;

  @BeforeEach
  void folders() throws IOException {
    in = Files.createDirectory(dir.resolve("in"));
    packs = dir.resolve("packs");
    store = new CountingStore(DirectoryStore.open(packs, true));
  }

  @SeededTest(seeds = 1)
  void ofNoise(Random random) throws IOException {
    theDirectoryStaysSmallAndReadingItCheap(random, Content.NOISE, IS_THOROUGH ? 1000 : 40);
  }

  @SeededTest(seeds = 1)
  @OnlyThorough
  void ofNumbers(Random random) throws IOException {
    theDirectoryStaysSmallAndReadingItCheap(random, Content.NUMBERS, 300);
  }

  private void theDirectoryStaysSmallAndReadingItCheap(Random random, Content content, int versions)
      throws IOException {
    for (int file = 0; file < FILES; file++) {
      for (int block = 0; block < BLOCKS; block++) {
        write(file, block, content.block(random));
      }
    }
    long one = sizeAlone();
    for (int version = 1; version <= versions; version++) {
      String when = "of %s, version %d".formatted(content, version);
      store.reset();
      add(random);
      assertThat(store.bytesRead()).as("bytes compared %s", when).isLessThan(one * 5 / 2);
      assertThat(store.bytesWritten()).as("bytes written %s", when).isLessThan(one * 11 / 10);
      measureFiles(Math.round(KEPT * one), when);
      if (version % 20 == 0) {
        assertThat(bytesToUnpack()).as("bytes read %s", when).isLessThan(2 * one);
      }
      for (int i = 0; i < CHANGED; i++) {
        write(random.nextInt(FILES), random.nextInt(BLOCKS), content.block(random));
      }
    }
  }

  private void write(int file, int block, byte[] bytes) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            in.resolve("r" + file), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(bytes), (long) block * BLOCK);
    }
  }

  private long sizeAlone() throws IOException {
    Path pack = dir.resolve("alone.cairnpack");
    Packing.pack(in, pack, PACKING);
    long size = Files.size(pack);
    Files.delete(pack);
    return size;
  }

  private void add(Random random) throws IOException {
    SoleWriter.Settings settings =
        new SoleWriter.Settings(KEEP, Duration.ofSeconds(60), PackDirectoryWriter.host());
    try (PackDirectoryWriter writer =
            PackDirectoryWriter.open(store, "packs", Clock.system(), random::nextLong, settings);
        Packer packer = new Packer(PACKING, _ -> {})) {
      packer.pack(Packing.inputs(in), writer, Label.none());
    }
  }

  /** Segments, manifests, and whatever else lies there. */
  private void measureFiles(long live, String when) throws IOException {
    long bytes = 0;
    try (Stream<Path> listed = Files.list(packs)) {
      List<Path> files = listed.toList();
      assertThat(files).as("files %s", when).hasSizeLessThan(32);
      for (Path file : files) {
        bytes += Files.size(file);
        if (file.getFileName().toString().startsWith("manifest")) {
          assertThat(Files.size(file)).as("%s, %s", file, when).isLessThan(6 << 10);
        }
      }
    }
    assertThat(bytes).as("bytes stored %s", when).isLessThan(live * 5 / 2);
  }

  private long bytesToUnpack() throws IOException {
    store.reset();
    Path out = Files.createDirectory(dir.resolve("out"));
    PackDirectory directory = PackDirectory.of(store, "packs");
    PackDirectory.Listing listing = directory.list();
    assertThat(listing.problems()).isEmpty();
    assertThat(listing.versions()).hasSize(KEEP);
    try (Pack pack = directory.open(listing.versions().getFirst().id());
        Workers workers = new Workers(1, "unpacking")) {
      assertThat(new Unpacker(pack, out).unpack(pack.members(), workers, _ -> {})).isEmpty();
    }
    Packing.assertSame(in, out);
    for (int file = 0; file < FILES; file++) {
      Files.delete(out.resolve("r" + file));
    }
    Files.delete(out);
    return store.bytesRead();
  }
}
