// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * XXH3-128 is the published algorithm, on every path: against known vectors and against another
 * implementation. Paths that agree with the same third agree with each other.
 */
@Tag("vectors")
class Xxh3Test {

  /** A path under test. */
  record Path(String name, DigestKernels kernels) {
    @Override
    public String toString() {
      return name;
    }

    /** Paths that this machine has no instructions for are not compiled to much. */
    boolean isFast() {
      return name.equals("cold")
          || name.equals("plain")
          || name.startsWith(VectorWidth.preferredBits() + " bits");
    }

    long[] digest(MemorySegment data, long offset, long length) {
      long[] digest = new long[2];
      kernels.kernel(MemoryKind.of(data), length).digest(data, offset, length, digest, 0);
      return digest;
    }
  }

  static Stream<Path> paths() {
    return Stream.of(
        new Path("cold", Xxh3Kernels.cold()),
        new Path("plain", Xxh3Kernels.of(new HashPath(false, 64, "test"))),
        new Path("128 bits, scalar products", Xxh3Kernels.of(new HashPath(true, 128, "test"))),
        new Path("128 bits", Xxh3Kernels.wide(128)),
        new Path("256 bits", Xxh3Kernels.wide(256)),
        new Path("512 bits", Xxh3Kernels.wide(512)));
  }

  @Test
  void emptyInputHasThePublishedDigest() {
    long[] digest = new long[2];
    Xxh3.digest(MemorySegment.ofArray(new byte[0]), 0, 0, digest, 0);
    assertThat(digest).containsExactly(0x6001C324468D497FL, 0x99AA06D3014798D8L);
  }

  @ParameterizedTest
  @MethodSource("paths")
  void everyLengthAndLongerOnes(Path path) {
    byte[] bytes = random(4096);
    MemorySegment segment = MemorySegment.ofArray(bytes);
    for (int length = 0; length <= bytes.length; length += length < 1100 ? 1 : 13) {
      assertThat(path.digest(segment, 0, length))
          .as("%d bytes", length)
          .containsExactly(expected(Arrays.copyOf(bytes, length)));
    }
  }

  @SeededTest(seeds = 1)
  void anyMemoryAtAnyAlignment(Random random) {
    paths().forEach(path -> anyMemoryAtAnyAlignment(path, random));
  }

  private static void anyMemoryAtAnyAlignment(Path path, Random random) {
    // A block of the algorithm has 1 KiB: some of them are enough where each takes long.
    int longest = path.isFast() ? 70_000 : 7_000;
    for (Memory memory : Memory.values()) {
      for (int i = 0; i < 60; i++) {
        byte[] bytes = new byte[random.nextInt(i < 40 ? 300 : longest)];
        random.nextBytes(bytes);
        int offset = random.nextInt(17);
        assertThat(path.digest(memory.holding(bytes, offset), offset, bytes.length))
            .as("%d bytes at %d in %s", bytes.length, offset, memory)
            .containsExactly(expected(bytes));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("paths")
  void pairsOfBlocks(Path path) {
    byte[] bytes = random(2 * 40_000);
    for (int length : new int[] {1, 240, 241, 1023, 1024, 1025, 1088, 16_384, 16_385, 40_000}) {
      for (Memory memory : Memory.values()) {
        MemorySegment data = memory.holding(Arrays.copyOf(bytes, 2 * length), 3);
        long[] digests = new long[6];
        path.kernels().kernel(MemoryKind.of(data), length).digestPair(data, 3, length, digests, 1);
        assertThat(Arrays.copyOfRange(digests, 2, 4))
            .as("first %d bytes in %s", length, memory)
            .containsExactly(expected(Arrays.copyOf(bytes, length)));
        assertThat(Arrays.copyOfRange(digests, 4, 6))
            .as("second %d bytes in %s", length, memory)
            .containsExactly(expected(Arrays.copyOfRange(bytes, length, 2 * length)));
        assertThat(Arrays.copyOf(digests, 2)).containsOnly(0);
      }
    }
  }

  /** Some lengths are no multiple of a word, some blocks are larger than what is copied at once. */
  @ParameterizedTest
  @MethodSource("paths")
  void manyBlocksInOneCall(Path path) {
    byte[] bytes = random(700_000);
    for (int length : new int[] {128, 241, 1024, 1031, 4096, 16_384, 65_544, 131_072, 139_264}) {
      int blocks = Math.min(37, bytes.length / length);
      for (Memory memory : new Memory[] {Memory.NATIVE, Memory.DOUBLES}) {
        MemorySegment data = memory.holding(bytes, 3);
        long[] digests = new long[2 * blocks + 2];
        path.kernels()
            .kernel(MemoryKind.of(data), length)
            .digestAll(data, 3, blocks, length, digests, 1);
        for (int i = 0; i < blocks; i++) {
          assertThat(Arrays.copyOfRange(digests, 2 * i + 2, 2 * i + 4))
              .as("block %d of %d bytes in %s", i, length, memory)
              .containsExactly(expected(Arrays.copyOfRange(bytes, i * length, (i + 1) * length)));
        }
        assertThat(Arrays.copyOf(digests, 2)).containsOnly(0);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("paths")
  void extremeBytes(Path path) {
    for (int value : new int[] {0, 0xFF, 0x80, 0x7F}) {
      byte[] bytes = new byte[5000];
      Arrays.fill(bytes, (byte) value);
      assertThat(path.digest(MemorySegment.ofArray(bytes), 0, bytes.length))
          .as("all bytes %d", value)
          .containsExactly(expected(bytes));
    }
  }

  @ParameterizedTest
  @MethodSource("paths")
  void digestsStayEqualOnceCompiled(Path path) {
    int times = path.isFast() ? 1_000 : 300;
    byte[] bytes = random(16_384);
    long[] expected = expected(bytes);
    for (Memory memory : new Memory[] {Memory.NATIVE, Memory.DOUBLES, Memory.BYTES}) {
      MemorySegment data = memory.holding(bytes, 0);
      for (int i = 0; i < times; i++) {
        assertThat(path.digest(data, 0, bytes.length)).isEqualTo(expected);
      }
    }
  }

  @Test
  void rangesOutsideAreRefused() {
    MemorySegment segment = MemorySegment.ofArray(new byte[100]);
    assertThatThrownBy(() -> Xxh3.digest(segment, 1, 100, new long[2], 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> Xxh3.digest(segment, 0, 100, new long[2], 1))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(20250711).nextBytes(bytes);
    return bytes;
  }

  /** What hash4j, an independent implementation, says. */
  private static long[] expected(byte[] bytes) {
    HashValue128 value = Hashing.xxh3_128().hashBytesTo128Bits(bytes);
    return new long[] {value.getLeastSignificantBits(), value.getMostSignificantBits()};
  }
}
