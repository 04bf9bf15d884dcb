// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.cairn.Codec;
import org.cairn.CorruptContainerException;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.frame.FrameEncoder;
import org.cairn.frame.FrameInfo;
import org.cairn.frame.Piece;
import org.cairn.hash.Hashers;
import org.cairn.store.MemoryStore;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.CountingStore;
import org.cairn.transform.Elements;
import org.cairn.transform.Transform;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.cairn.version.SlotRuns;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Blocks out of frames of several segments, in any order. */
class FramedBlocksTest {
  private static final int BLOCK = 1000;
  private static final int BLOCKS = 8;
  private static final int FRAMES = 5;
  private static final Elements DOUBLES = Elements.floats(8, ByteOrder.LITTLE_ENDIAN);

  private final MemoryStore memory = new MemoryStore();
  private final CountingStore store = new CountingStore(memory);
  private final FramedBlocks blocks = new FramedBlocks();

  @AfterEach
  void close() {
    blocks.close();
  }

  /** The plain bytes of a frame, other ones for each. */
  private static byte[] plain(long sequence, int frame) {
    double[] numbers = new double[BLOCK * BLOCKS / 8];
    Arrays.setAll(numbers, i -> Math.sin((sequence * FRAMES + frame) * 10_000 + i * 1e-3));
    return MemorySegment.ofArray(numbers).toArray(ValueLayout.JAVA_BYTE);
  }

  private SegmentReader write(long sequence) throws IOException {
    try (SegmentWriter writer =
            SegmentWriter.createFramed(
                store,
                new Flushes.ManualClock(),
                Flushes.identity(sequence, 0),
                Flushes.lineage());
        FrameEncoder encoder = new FrameEncoder()) {
      for (int frame = 0; frame < FRAMES; frame++) {
        Transform transform =
            frame % 2 == 0
                ? Transform.differences(DOUBLES, List.of(1), true)
                : Transform.shuffle(DOUBLES);
        List<Piece> pieces =
            List.of(new Piece(MemorySegment.ofArray(plain(sequence, frame)), transform));
        MemorySegment stored = Arena.ofAuto().allocate(FrameEncoder.mostStored(pieces));
        FrameInfo info = encoder.encode(pieces, frame % 3, stored);
        assertThat(writer.append(info, Optional.empty(), stored.asSlice(0, info.storedLength())))
            .isEqualTo((long) frame * BLOCK * BLOCKS);
      }
      writer.finish();
      return SegmentReader.open(store, writer.name());
    }
  }

  private byte[] read(SegmentReader segment, long address, int length) throws IOException {
    BlockEntry entry = new BlockEntry(0, address, length, SegmentFormat.FRAMED, length, 0, 0);
    return blocks.read(segment, entry).toArray(ValueLayout.JAVA_BYTE);
  }

  private void assertReads(SegmentReader segment, long sequence, int number) throws IOException {
    int at = number % BLOCKS * BLOCK;
    assertThat(read(segment, (long) number * BLOCK, BLOCK))
        .as("block %d of segment %d", number, sequence)
        .isEqualTo(Arrays.copyOfRange(plain(sequence, number / BLOCKS), at, at + BLOCK));
  }

  @SeededTest(seeds = 6)
  void blocksOfSeveralSegmentsComeInAnyOrder(Random random) throws IOException {
    try (SegmentReader first = write(1);
        SegmentReader second = write(2)) {
      List<Integer> numbers = new ArrayList<>();
      for (int i = 0; i < 2 * FRAMES * BLOCKS; i++) {
        numbers.add(i);
      }
      Collections.shuffle(numbers, random);
      for (int number : numbers) {
        assertReads(number % 2 == 0 ? first : second, number % 2 + 1, number / 2);
      }
    }
  }

  /** In the order of addresses every stored byte is read once. */
  @Test
  void aFrameIsReadOnceForAllItsBlocks() throws IOException {
    try (SegmentReader segment = write(1)) {
      long stored =
          segment.frames().all().stream().mapToLong(one -> one.info().storedLength()).sum();
      store.reset();
      for (int number = 0; number < FRAMES * BLOCKS; number++) {
        assertReads(segment, 1, number);
      }
      assertThat(store.bytesRead()).isEqualTo(stored);
    }
  }

  private static BlockEntry scattered(int block) {
    int frame = block % FRAMES;
    int at = block / FRAMES * BLOCK;
    long[] digest = new long[2];
    MemorySegment bytes = MemorySegment.ofArray(plain(1, frame));
    Hashers.of(HashAlgorithm.XXH3_128).hash(bytes, at, BLOCK, BLOCK, digest, 0);
    long address = (long) frame * BLOCK * BLOCKS + at;
    return new BlockEntry(0, address, BLOCK, SegmentFormat.FRAMED, BLOCK, digest[0], digest[1]);
  }

  /** Neighbours in a dataset may lie in other frames each, once it has changed here and there. */
  @Test
  void whoScrubsDecodesEachFrameOfAStretchOnce() throws IOException {
    int count = FRAMES * BLOCKS;
    DatasetSpec spec =
        new DatasetSpec(
            "scattered",
            ElementType.BYTE,
            List.of((long) count * BLOCK),
            (long) count * BLOCK,
            BLOCK,
            HashAlgorithm.XXH3_128,
            Codec.NONE);
    DatasetEntry dataset = new DatasetEntry(spec, SlotRuns.NONE.plus(0, count), List.of());
    try (SegmentReader segment = write(1)) {
      long stored =
          segment.frames().all().stream().mapToLong(one -> one.info().storedLength()).sum();
      Reference reference =
          new Reference(segment.name(), segment.size(), stored, segment.footerChecksum());
      Verification verification = Verification.never();
      Flushes.ManualClock clock = new Flushes.ManualClock();
      while (Verification.pieceOf(Verification.hash("scattered"), 0) != verification.next()) {
        verification = verification.done(Instant.EPOCH.plusSeconds(1));
      }
      store.reset();
      SegmentReader.open(store, segment.name()).close();
      long opening = store.bytesRead();
      store.reset();
      Scrub scrub = new Scrub(store, clock, List.of(reference), verification, Long.MAX_VALUE);
      scrub.run(
          List.of(dataset),
          (_, block) -> new Scrub.Place(segment.name(), scattered(block)),
          (_, block) -> fail("block %d is as it was", block));
      assertThat(store.bytesRead() - opening).isEqualTo(stored);
    }
  }

  @Test
  void blocksThatAreNotInOneFrameAreRefused() throws IOException {
    try (SegmentReader segment = write(1)) {
      for (long address :
          new long[] {BLOCK * BLOCKS - 1, (long) FRAMES * BLOCK * BLOCKS, 1L << 50}) {
        assertThatThrownBy(() -> read(segment, address, BLOCK))
            .isInstanceOf(CorruptContainerException.class)
            .hasMessageContainingAll(segment.location(), "is in no frame");
      }
      assertReads(segment, 1, 3);
    }
  }

  /** A damaged frame is told each time, also by whoever had a good one open; others go on. */
  @Test
  void aDamagedFrameCostsItsBlocksOnly() throws IOException {
    try (SegmentReader segment = write(1)) {
      SegmentFrames.Frame damaged = segment.frames().all().get(2);
      flip(segment.name(), damaged.offset() + damaged.info().storedLength() / 2);
      assertReads(segment, 1, 2 * BLOCKS - 1);
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> read(segment, 2L * BLOCKS * BLOCK, BLOCK))
            .isInstanceOf(CorruptContainerException.class)
            .hasMessageContainingAll(segment.location(), "offset " + damaged.offset(), "checksum");
      }
      assertReads(segment, 1, 2 * BLOCKS - 1);
      assertReads(segment, 1, 3 * BLOCKS);
    }
  }

  private void flip(String name, long offset) throws IOException {
    try (StoreFile file = memory.open(name, Store.Access.WRITE)) {
      MemorySegment one = MemorySegment.ofArray(new byte[1]);
      file.read(offset, one);
      one.set(ValueLayout.JAVA_BYTE, 0, (byte) ~one.get(ValueLayout.JAVA_BYTE, 0));
      file.write(offset, one);
    }
  }
}
