// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.cairn.Codec;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.random.Seeds;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The contract of {@link BlockCodec} on sound data, for every codec. */
class BlockCodecTest {
  private static final int LARGEST = 1 << 20;
  private static final int MARGIN = 64;

  private final Random random = Seeds.content(1);

  @ParameterizedTest
  @EnumSource
  void smallBlocksOfEveryLengthComeBack(Codec codec) {
    try (BlockCodec blocks = BlockCodecs.create(codec);
        Room room = new Room(2048)) {
      for (int length = 0; length <= 1100; length++) {
        for (Samples sample : Samples.values()) {
          room.roundTrip(blocks, sample.make(length, random), label(codec, sample, length));
        }
      }
    }
  }

  @SeededTest(seeds = 1)
  void largeBlocksComeBack(Codec codec, Random random) {
    try (BlockCodec blocks = BlockCodecs.create(codec);
        Room room = new Room(LARGEST)) {
      for (Samples sample : Samples.values()) {
        room.roundTrip(blocks, sample.make(LARGEST, random), label(codec, sample, LARGEST));
        for (int i = 0; i < 12; i++) {
          int length = 1 << random.nextInt(10, 20);
          length += random.nextInt(length);
          room.roundTrip(blocks, sample.make(length, random), label(codec, sample, length));
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
  void compressibleBlocksShrinkFromTheSmallestBlockSizeOn(Codec codec) {
    try (BlockCodec blocks = BlockCodecs.create(codec);
        Room room = new Room(LARGEST)) {
      for (int length = 128; length <= LARGEST; length *= 2) {
        assertThat(room.roundTrip(blocks, Samples.ZEROS.make(length, random), "zeros"))
            .isBetween(1, length / 2);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void noiseIsLeftRaw(Codec codec) {
    try (BlockCodec blocks = BlockCodecs.create(codec);
        Room room = new Room(LARGEST)) {
      for (int length = 128; length <= LARGEST; length *= 2) {
        assertThat(room.roundTrip(blocks, Samples.NOISE.make(length, random), codec.toString()))
            .isEqualTo(-1);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
  void capacityBoundsTheResultAndNothingIsWrittenBeyondIt(Codec codec) {
    try (BlockCodec blocks = BlockCodecs.create(codec);
        Arena arena = Arena.ofConfined()) {
      byte[] block = Samples.REPEATS.make(4096, random);
      MemorySegment source = arena.allocate(block.length);
      MemorySegment target = arena.allocate(block.length + 2L * MARGIN);
      Samples.put(block, source, 0);
      int needed = blocks.compress(source, 0, block.length, target, MARGIN, block.length);
      assertThat(needed).isPositive();
      for (int capacity = 0; capacity < needed; capacity++) {
        target.fill((byte) 0x5A);
        assertThat(blocks.compress(source, 0, block.length, target, MARGIN, capacity))
            .as("%s into %d", codec, capacity)
            .isEqualTo(-1);
        assertUntouched(target, MARGIN, capacity);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void segmentsOfAllKindsServeOnBothSides(Codec codec) {
    byte[] block = Samples.MIXED.make(1000, random);
    try (BlockCodec blocks = BlockCodecs.create(codec);
        Arena arena = Arena.ofConfined()) {
      for (MemorySegment first : allKinds(arena)) {
        for (MemorySegment second : allKinds(arena)) {
          Samples.put(block, first, 8);
          int stored = blocks.compress(first, 8, 1000, second, 16, 1000);
          if (stored < 0) {
            stored = 1000;
            Samples.put(block, second, 16);
          }
          MemorySegment readOnly = second.asReadOnly();
          blocks.decompress(readOnly, 16, codec == Codec.NONE ? 1000 : stored, first, 24, 1000);
          assertThat(Samples.get(first, 24, 1000)).isEqualTo(block);
        }
      }
    }
  }

  private static List<MemorySegment> allKinds(Arena arena) {
    return List.of(
        arena.allocate(4096),
        MemorySegment.ofArray(new byte[4096]),
        MemorySegment.ofArray(new short[2048]),
        MemorySegment.ofArray(new char[2048]),
        MemorySegment.ofArray(new int[1024]),
        MemorySegment.ofArray(new float[1024]),
        MemorySegment.ofArray(new long[512]),
        MemorySegment.ofArray(new double[512]));
  }

  @ParameterizedTest
  @EnumSource
  void rangesOutsideAreRefused(Codec codec) {
    try (BlockCodec blocks = BlockCodecs.create(codec);
        Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(1000);
      MemorySegment other = arena.allocate(1000);
      assertOutside(() -> blocks.compress(memory, 1, 1000, other, 0, 1000));
      assertOutside(() -> blocks.compress(memory, -1, 100, other, 0, 1000));
      assertOutside(() -> blocks.compress(memory, 0, 1000, other, 0, 1001));
      assertOutside(() -> blocks.compress(memory, 0, 1000, other, 0, -1));
      assertOutside(() -> blocks.compress(memory, Long.MAX_VALUE, 10, other, 0, 10));
      assertOutside(() -> blocks.decompress(memory, 901, 100, other, 0, 1000));
      assertOutside(() -> blocks.decompress(memory, 0, -1, other, 0, 1000));
      assertOutside(() -> blocks.decompress(memory, 0, 100, other, 1, 1000));
      assertThatIllegalArgumentException().isThrownBy(() -> blocks.maxCompressedLength(-1));
    }
  }

  private static void assertOutside(Runnable call) {
    assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(call::run);
  }

  @ParameterizedTest
  @EnumSource
  void readOnlyTargetIsRefused(Codec codec) {
    try (BlockCodec blocks = BlockCodecs.create(codec);
        Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(1000);
      MemorySegment readOnly = arena.allocate(1000).asReadOnly();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> blocks.compress(memory, 0, 1000, readOnly, 0, 1000))
          .withMessageContaining("Read-only");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> blocks.decompress(memory, 0, 500, readOnly, 0, 1000))
          .withMessageContaining("Read-only");
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
  void closedCodecRefusesAndClosesAgain(Codec codec) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(1000);
      MemorySegment heap = MemorySegment.ofArray(new int[250]);
      BlockCodec blocks = BlockCodecs.create(codec);
      int stored = blocks.compress(memory, 0, 1000, heap, 0, 1000);
      blocks.decompress(heap, 0, stored, memory, 0, 1000);
      blocks.close();
      blocks.close();
      for (MemorySegment target : List.of(arena.allocate(1000), heap)) {
        assertThatIllegalStateException()
            .isThrownBy(() -> blocks.compress(memory, 0, 1000, target, 0, 1000));
        assertThatIllegalStateException()
            .isThrownBy(() -> blocks.decompress(memory, 0, 500, target, 0, 1000));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void closedSegmentIsAnExceptionAndNoCrash(Codec codec) {
    Arena gone = Arena.ofConfined();
    MemorySegment closed = gone.allocate(1000);
    gone.close();
    try (BlockCodec blocks = BlockCodecs.create(codec);
        Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(1000);
      if (codec != Codec.NONE) {
        assertThatIllegalStateException()
            .isThrownBy(() -> blocks.compress(closed, 0, 1000, memory, 0, 1000));
        assertThatIllegalStateException()
            .isThrownBy(() -> blocks.compress(memory, 0, 1000, closed, 0, 1000));
      }
      int stored = codec == Codec.NONE ? 1000 : 500;
      assertThatIllegalStateException()
          .isThrownBy(() -> blocks.decompress(closed, 0, stored, memory, 0, 1000));
    }
  }

  @ParameterizedTest
  @EnumSource
  void codecMayBeHandedToAnotherThread(Codec codec) {
    try (BlockCodec blocks = BlockCodecs.create(codec)) {
      for (int i = 0; i < 3; i++) {
        CompletableFuture.runAsync(
                () -> {
                  try (Room room = new Room(4096)) {
                    room.roundTrip(blocks, Samples.REPEATS.make(4096, random), "handed over");
                  }
                })
            .join();
      }
    }
  }

  @SeededTest(seeds = 1)
  void codecsOfDifferentThreadsDoNotDisturbEachOther(long seed) {
    List<CompletableFuture<Void>> threads =
        List.of(Codec.LZ4, Codec.ZSTD, Codec.DEFLATE, Codec.ZSTD).stream()
            .map(codec -> CompletableFuture.runAsync(() -> manyBlocks(codec, seed)))
            .toList();
    threads.forEach(CompletableFuture::join);
  }

  private void manyBlocks(Codec codec, long seed) {
    Random own = new Random(seed);
    try (BlockCodec blocks = BlockCodecs.create(codec);
        Room room = new Room(20_000)) {
      for (int i = 0; i < 300; i++) {
        byte[] block = Samples.any(own).make(own.nextInt(20_000), own);
        room.roundTrip(blocks, block, codec.toString());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void blocksUpTo16KibAllocateNothing(Codec codec) {
    try (Arena arena = Arena.ofConfined()) {
      for (int length : new int[] {128, 1 << 14}) {
        MemorySegment stored = arena.allocate(length);
        MemorySegment heap = MemorySegment.ofArray(new double[length / 8]);
        assertThat(leastAllocated(codec, arena.allocate(length), stored)).isZero();
        assertThat(leastAllocated(codec, heap, stored)).isZero();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void largerBlocksAllocateAtMostTheirSlices(Codec codec) {
    try (Arena arena = Arena.ofConfined()) {
      long slices = codec == Codec.NONE || codec == Codec.DEFLATE ? 0 : 4 * 40;
      assertThat(leastAllocated(codec, arena.allocate(1 << 15), arena.allocate(1 << 15)))
          .isBetween(0L, slices);
    }
  }

  /** Bytes per block compressed and expanded, in the best of many rounds: the JIT comes late. */
  private static long leastAllocated(Codec codec, MemorySegment block, MemorySegment stored) {
    try (BlockCodec blocks = BlockCodecs.create(codec)) {
      long least = Long.MAX_VALUE;
      for (int round = 0; round < 400 && least > 0; round++) {
        least = Math.min(least, allocatedBy(() -> manyTimes(blocks, block, stored)) / 100);
      }
      return least;
    }
  }

  private static void manyTimes(BlockCodec blocks, MemorySegment block, MemorySegment stored) {
    int length = (int) block.byteSize();
    for (int i = 0; i < 100; i++) {
      int size = blocks.compress(block, 0, length, stored, 0, length);
      blocks.decompress(stored, 0, size < 0 ? length : size, block, 0, length);
    }
  }

  private static long allocatedBy(Runnable work) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    work.run();
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  private String label(Codec codec, Samples sample, int length) {
    return "%s, %s, %d bytes".formatted(codec, sample, length);
  }

  /** Every byte but those of the range is still 0x5A. */
  private static void assertUntouched(MemorySegment memory, long offset, long length) {
    MemorySegment clean = MemorySegment.ofArray(new byte[(int) memory.byteSize()]);
    clean.fill((byte) 0x5A);
    long end = offset + length;
    assertThat(MemorySegment.mismatch(memory, 0, offset, clean, 0, offset)).isEqualTo(-1);
    assertThat(
            MemorySegment.mismatch(memory, end, memory.byteSize(), clean, end, memory.byteSize()))
        .isEqualTo(-1);
  }

  /** Native staging memory with margins, as a checkpoint would use it. */
  private static final class Room implements AutoCloseable {
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment source;
    private final MemorySegment stored;
    private final MemorySegment target;

    Room(int largest) {
      source = arena.allocate(largest + 2L * MARGIN);
      stored = arena.allocate(largest + 2L * MARGIN);
      target = arena.allocate(largest + 2L * MARGIN);
    }

    /** Returns what compress returned. */
    int roundTrip(BlockCodec blocks, byte[] block, String label) {
      Samples.put(block, source, MARGIN);
      MemorySegment storedHere = stored.asSlice(0, block.length + 2L * MARGIN);
      MemorySegment targetHere = target.asSlice(0, block.length + 2L * MARGIN);
      storedHere.fill((byte) 0x5A);
      targetHere.fill((byte) 0x5A);
      long capacity = blocks.maxCompressedLength(block.length);
      int size = blocks.compress(source, MARGIN, block.length, stored, MARGIN, capacity);
      assertUntouched(storedHere, MARGIN, capacity);
      if (size == -1) {
        return size;
      }
      assertThat(size).as(label).isBetween(1, block.length - 1);
      blocks.decompress(stored, MARGIN, size, target, MARGIN, block.length);
      assertThat(Samples.get(target, MARGIN, block.length)).as(label).isEqualTo(block);
      assertUntouched(targetHere, MARGIN, block.length);
      return size;
    }

    @Override
    public void close() {
      arena.close();
    }
  }
}
