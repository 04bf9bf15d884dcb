// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import com.sun.management.ThreadMXBean;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.cairn.HashAlgorithm;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every algorithm gives the digests of its definition, whatever memory the blocks lie in. */
@Tag("vectors")
class BlockHasherTest {

  @SeededTest(seeds = 1)
  void digestsAreThoseOfTheDefinition(Random random) {
    WeakHash.withStrong().forEach(algorithm -> digestsAreThoseOfTheDefinition(algorithm, random));
  }

  private static void digestsAreThoseOfTheDefinition(HashAlgorithm algorithm, Random random) {
    for (Memory memory : Memory.values()) {
      for (int blockSize : new int[] {1, 7, 8, 64, 100, 128, 300, 1024, 4096}) {
        byte[] bytes = new byte[random.nextInt(5 * blockSize + 1)];
        random.nextBytes(bytes);
        int offset = random.nextInt(12);
        check(algorithm, memory.holding(bytes, offset), offset, bytes, blockSize);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("org.cairn.hash.WeakHash#withStrong")
  void extremeBytes(HashAlgorithm algorithm) {
    for (int value : new int[] {0, 0xFF, 0x80}) {
      byte[] bytes = new byte[40_001];
      Arrays.fill(bytes, (byte) value);
      for (Memory memory : new Memory[] {Memory.NATIVE, Memory.DOUBLES}) {
        check(algorithm, memory.holding(bytes, 0), 0, bytes, 16_384);
      }
    }
  }

  private static void check(
      HashAlgorithm algorithm, MemorySegment data, int offset, byte[] bytes, int blockSize) {
    int blocks = (int) BlockHasher.blocks(bytes.length, blockSize);
    long[] digests = new long[2 * (blocks + 2)];
    Arrays.fill(digests, -1);
    Hashers.of(algorithm).hash(data, offset, bytes.length, blockSize, digests, 1);
    assertThat(digests)
        .as("%d bytes at %d of %s in blocks of %d", bytes.length, offset, data, blockSize)
        .containsExactly(expected(algorithm, bytes, blockSize));
  }

  /** The digests of all blocks, with an untouched place before and behind them. */
  private static long[] expected(HashAlgorithm algorithm, byte[] bytes, int blockSize) {
    int blocks = (int) BlockHasher.blocks(bytes.length, blockSize);
    long[] digests = new long[2 * (blocks + 2)];
    Arrays.fill(digests, -1);
    for (int i = 0; i < blocks; i++) {
      int end = Math.min(bytes.length, (i + 1) * blockSize);
      long[] digest = definition(algorithm, Arrays.copyOfRange(bytes, i * blockSize, end));
      System.arraycopy(digest, 0, digests, 2 * (i + 1), 2);
    }
    return digests;
  }

  private static long[] definition(HashAlgorithm algorithm, byte[] block) {
    return switch (algorithm.label()) {
      case "xxh3-128" -> xxh3(block);
      case "crc32" -> jdk(new CRC32(), block);
      case "crc32c" -> jdk(new CRC32C(), block);
      case "md5" -> jdk("MD5", block);
      case "sha-256" -> jdk("SHA-256", block);
      case "adler-32" -> jdk(new Adler32(), block);
      case "fletcher-32-mod-65535" -> fletcher(block, 65535);
      case "fletcher-32-mod-65536" -> fletcher(block, 65536);
      case "rotating-xor" -> rotatingXor(block);
      case "spooky-128" -> spooky(block);
      default -> throw new AssertionError(algorithm);
    };
  }

  private static long[] xxh3(byte[] block) {
    HashValue128 value = Hashing.xxh3_128().hashBytesTo128Bits(block);
    return new long[] {value.getLeastSignificantBits(), value.getMostSignificantBits()};
  }

  /** By the twin, which {@link SpookyTest} compares with published values. */
  private static long[] spooky(byte[] block) {
    long[] digest = new long[2];
    ReferenceSpooky.digest(MemorySegment.ofArray(block), 0, block.length, 0, digest);
    return digest;
  }

  private static long[] jdk(Checksum checksum, byte[] block) {
    checksum.update(block);
    return new long[] {checksum.getValue(), 0};
  }

  private static long[] jdk(String name, byte[] block) {
    try {
      ByteBuffer digest = ByteBuffer.wrap(MessageDigest.getInstance(name).digest(block));
      digest.order(ByteOrder.LITTLE_ENDIAN);
      return new long[] {digest.getLong(0), digest.getLong(8)};
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private static long[] fletcher(byte[] block, int modulus) {
    byte[] padded = Arrays.copyOf(block, block.length + (block.length & 1));
    long sum = 0;
    long sumOfSums = 0;
    for (int i = 0; i < padded.length; i += 2) {
      sum = (sum + (padded[i] & 0xFF) + ((padded[i + 1] & 0xFF) << 8)) % modulus;
      sumOfSums = (sumOfSums + sum) % modulus;
    }
    return new long[] {sumOfSums << 16 | sum, 0};
  }

  private static long[] rotatingXor(byte[] block) {
    ByteBuffer padded = ByteBuffer.wrap(Arrays.copyOf(block, (block.length + 7) / 8 * 8));
    padded.order(ByteOrder.LITTLE_ENDIAN);
    long hash = 0;
    while (padded.hasRemaining()) {
      hash = Long.rotateLeft(hash, 1) ^ padded.getLong();
    }
    return new long[] {hash, 0};
  }

  @ParameterizedTest
  @MethodSource("org.cairn.hash.WeakHash#withStrong")
  void sumsOfLargeBlocksDoNotOverflow(HashAlgorithm algorithm) {
    byte[] bytes = new byte[(1 << 24) + (1 << 23) + 3];
    Arrays.fill(bytes, (byte) 0xFF);
    check(algorithm, Memory.LONGS.holding(bytes, 0), 0, bytes, bytes.length);
  }

  @ParameterizedTest
  @MethodSource("org.cairn.hash.WeakHash#withStrong")
  void threadsMayShareAHasher(HashAlgorithm algorithm) {
    byte[] bytes = new byte[100_000];
    new Random(4711).nextBytes(bytes);
    MemorySegment data = Memory.NATIVE.holding(bytes, 0);
    long[] alone = hash(algorithm, data);
    List<long[]> together =
        IntStream.range(0, 64).parallel().mapToObj(_ -> hash(algorithm, data)).toList();
    assertThat(together).allSatisfy(digests -> assertThat(digests).isEqualTo(alone));
  }

  private static long[] hash(HashAlgorithm algorithm, MemorySegment data) {
    long[] digests = new long[2 * (int) BlockHasher.blocks(data.byteSize(), 4096)];
    Hashers.of(algorithm).hash(data, 0, data.byteSize(), 4096, digests, 0);
    return digests;
  }

  /**
   * A copy of the data would be far above the bound. Before C2 has compiled a kernel, though,
   * vectors and slices live on the heap: so what counts is that the bound is kept in the end.
   */
  @ParameterizedTest
  @MethodSource("org.cairn.hash.WeakHash#withStrong")
  void dataIsNotCopied(HashAlgorithm algorithm) {
    int size = 1 << 20;
    for (Memory memory : new Memory[] {Memory.NATIVE, Memory.BYTES, Memory.DOUBLES}) {
      MemorySegment data = memory.allocate(size);
      long allocated = Long.MAX_VALUE;
      for (int i = 0; i < 3_000 && allocated > size / 8; i++) {
        allocated = allocatedByHashing(Hashers.of(algorithm), data, size);
      }
      assertThat(allocated)
          .as("bytes allocated for %d bytes in %s", size, memory)
          .isLessThanOrEqualTo(size / 8);
    }
  }

  private static long allocatedByHashing(BlockHasher hasher, MemorySegment data, int size) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long[] digests = new long[2 * (size >> 12)];
    long before = threads.getCurrentThreadAllocatedBytes();
    hasher.hash(data, 0, size, 1 << 12, digests, 0);
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  @ParameterizedTest
  @MethodSource("org.cairn.hash.WeakHash#withStrong")
  void misuseIsRefusedBeforeAnythingIsWritten(HashAlgorithm algorithm) {
    BlockHasher hasher = Hashers.of(algorithm);
    assertThat(hasher.algorithm()).isEqualTo(algorithm);
    for (Memory memory : new Memory[] {Memory.NATIVE, Memory.BYTES, Memory.INTS}) {
      MemorySegment data = memory.allocate(64);
      long[] digests = new long[4];
      assertThatThrownBy(() -> hasher.hash(data, 0, 64, 0, digests, 0))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("0");
      assertThatThrownBy(() -> hasher.hash(data, 1, 64, 32, digests, 0))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> hasher.hash(data, 0, 64, 16, digests, 0))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> hasher.hash(data, 0, 64, 32, digests, 1))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> hasher.hash(data, 0, 64, 32, digests, -1))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThat(digests).containsOnly(0);
    }
  }
}
