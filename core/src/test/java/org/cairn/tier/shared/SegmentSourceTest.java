// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.cairn.Checkpointer;
import org.cairn.Codec;
import org.cairn.Options;
import org.cairn.Tiers;
import org.cairn.comm.SoloCommunicator;
import org.cairn.container.ContainerReader;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.cairn.testkit.store.CountingStore;
import org.cairn.testkit.store.MemoryDirectories;
import org.cairn.version.DatasetEntry;
import org.cairn.version.RootDigest;
import org.cairn.version.VersionId;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is read straight from segments is what the container has. */
@Timeout(60)
class SegmentSourceTest {
  private static final int BLOCK = 256;

  private final MemoryStore shared = new MemoryStore();
  private final MemoryDirectories directories = new MemoryDirectories();
  private VersionId version;

  /** Three checkpoints: what is read lies in several segments, and its index in links. */
  @BeforeEach
  void save() throws IOException {
    Options options =
        Options.defaults().blockSize(BLOCK).threads(1).tiers(Tiers.none().shared(shared, 1));
    try (Checkpointer cairn =
        Checkpointer.open(directories, new SoloCommunicator("node"), options)) {
      Random random = Seeds.content(7);
      byte[] noise = new byte[300_000];
      random.nextBytes(noise);
      byte[] text = new byte[50_001];
      Arrays.fill(text, (byte) 'a');
      byte[] zeros = new byte[100_000];
      cairn.protect("noise", noise);
      cairn.protect("text", text).codec(Codec.DEFLATE);
      cairn.protect("zeros", zeros);
      cairn.protect("nothing", new byte[0]);
      cairn.restart();
      for (int i = 1; i <= 3; i++) {
        noise[1000 * i] ^= 1;
        text[5000 * i] = 'b';
        zeros[70_000 + i] = (byte) i;
        var taken = cairn.checkpoint();
        taken.tiers().forEach(taken::await);
      }
    }
    try (ContainerReader container = container()) {
      version = container.versions().getFirst().id();
    }
  }

  private ContainerReader container() throws IOException {
    for (String directory : directories.names()) {
      Store store = directories.open(directory);
      if (store.exists("rank0.cairn")) {
        return ContainerReader.open(store, "rank0.cairn");
      }
    }
    throw new AssertionError("nothing was saved");
  }

  private record Read(Map<Integer, ByteBuffer> blocks, List<VersionSource.Damage> damages) {}

  private static Read read(VersionSource source, VersionSource.Range range) throws IOException {
    Map<Integer, ByteBuffer> blocks = new ConcurrentHashMap<>();
    long[] told = new long[1];
    try (Workers workers = new Workers(2, "reader")) {
      List<VersionSource.Damage> damages =
          source.scan(
              List.of(range),
              workers,
              (dataset, block, bytes) ->
                  blocks.put(block, ByteBuffer.wrap(bytes.toArray(ValueLayout.JAVA_BYTE))),
              bytes -> {
                synchronized (told) {
                  told[0] = Math.max(told[0], bytes);
                }
              });
      if (damages.isEmpty()) {
        assertThat(told[0]).isEqualTo(blocks.values().stream().mapToLong(ByteBuffer::limit).sum());
      }
      return new Read(blocks, damages);
    }
  }

  private static void assertSame(VersionSource one, VersionSource other, VersionSource.Range range)
      throws IOException {
    DatasetEntry theirs = other.find(range.dataset().name()).orElseThrow();
    Read expected = read(other, new VersionSource.Range(theirs, range.from(), range.to()));
    assertThat(read(one, range)).isEqualTo(expected);
  }

  @Test
  void mapsAndBytesAreTheSame() throws IOException {
    try (SegmentSource source = SegmentSource.open(shared, version, 0);
        ContainerReader container = container()) {
      VersionSource plain = container.view(version);
      assertThat(RootDigest.of(source).isOf(plain.info())).isTrue();
      assertThat(source.datasets()).hasSameSizeAs(plain.datasets());
      for (DatasetEntry dataset : source.datasets()) {
        DatasetEntry other = plain.find(dataset.name()).orElseThrow();
        assertThat(dataset.spec()).isEqualTo(other.spec());
        for (int block = 0; block < dataset.blocks(); block++) {
          assertThat(source.isZero(dataset, block)).isEqualTo(plain.isZero(other, block));
          assertThat(source.low(dataset, block)).isEqualTo(plain.low(other, block));
          assertThat(source.high(dataset, block)).isEqualTo(plain.high(other, block));
        }
        assertSame(source, plain, VersionSource.Range.all(dataset));
      }
    }
  }

  @SeededTest(seeds = 30)
  void anyRangeIsTheSame(Random random) throws IOException {
    try (SegmentSource source = SegmentSource.open(shared, version, 0);
        ContainerReader container = container()) {
      VersionSource plain = container.view(version);
      for (DatasetEntry dataset : source.datasets()) {
        long length = dataset.spec().byteLength();
        long from = random.nextLong(length + 1);
        long to = from + random.nextLong(length - from + 1);
        assertSame(source, plain, new VersionSource.Range(dataset, from, to));
      }
    }
  }

  @Test
  void whatNobodyWantsIsNotRead() throws IOException {
    CountingStore counting = new CountingStore(shared);
    try (SegmentSource source = SegmentSource.open(counting, version, 0)) {
      DatasetEntry noise = source.find("noise").orElseThrow();
      read(source, new VersionSource.Range(noise, 200_000, 200_001)); // opens the segment
      long before = counting.bytesRead();
      read(source, new VersionSource.Range(noise, 200_000, 210_000));
      assertThat(counting.bytesRead() - before).isBetween(10_000L, 10_000L + 2 * BLOCK);
    }
  }

  @Test
  void damageIsToldWithItsPlaceAndNothingElseIsLost() throws IOException {
    try (SegmentSource source = SegmentSource.open(shared, version, 0)) {
      DatasetEntry noise = source.find("noise").orElseThrow();
      int number = source.number(noise, 100);
      BlockEntry entry = source.index().entry(number);
      flip(source.segment(entry.segment()).name(), entry.offset() + 17);
      Read read = read(source, VersionSource.Range.all(noise));
      assertThat(read.damages)
          .singleElement()
          .satisfies(
              damage -> {
                assertThat(damage.block()).isEqualTo(100);
                assertThat(damage.dataset()).isEqualTo("noise");
                assertThat(damage.offset()).isEqualTo(entry.offset());
                assertThat(damage.what()).contains("block 100 of \"noise\"").contains("seg-");
              });
      assertThat(read.blocks).doesNotContainKey(100);
      long size = BLOCK;
      assertThat(read(source, new VersionSource.Range(noise, 101 * size, 200 * size)).damages)
          .isEmpty();
    }
  }

  private void flip(String name, long at) throws IOException {
    try (StoreFile file = shared.open(name, Store.Access.WRITE)) {
      byte[] one = new byte[1];
      file.read(at, MemorySegment.ofArray(one));
      one[0] ^= 1;
      file.write(at, MemorySegment.ofArray(one));
    }
  }

  @Test
  void aVersionThatIsNotThereIsRefused() throws IOException {
    shared.list().stream().filter(name -> name.startsWith("seg-")).forEach(this::delete);
    assertThatThrownBy(() -> SegmentSource.open(shared, version, 0))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("seg-");
  }

  private void delete(String name) {
    try {
      shared.delete(name);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
