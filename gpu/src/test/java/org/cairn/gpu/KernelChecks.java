// SPDX-License-Identifier: Apache-2.0
package org.cairn.gpu;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import org.cairn.HashAlgorithm;
import org.cairn.hash.Hashers;
import org.cairn.hash.WeakHash;

/**
 * Compares what kernels compute with what Java does: of the plain twin in every build, of a device
 * where there is one.
 */
final class KernelChecks {
  static final List<HashAlgorithm> ALGORITHMS =
      List.of(
          HashAlgorithm.XXH3_128,
          HashAlgorithm.MD5,
          HashAlgorithm.SHA_256,
          WeakHash.CRC32,
          WeakHash.ADLER_32,
          WeakHash.ROTATING_XOR);

  /** Whole ones and such as no kernel likes; the smallest and the largest that Cairn allows. */
  static final List<Integer> BLOCK_SIZES =
      List.of(
          128, 136, 200, 240, 241, 256, 512, 1000, 1024, 1040, 2047, 2048, 3072, 4096, 5000, 8192,
          9216, 16384, 65536, 1 << 20);

  private static final int LONGEST = 8 << 20;

  /** What is compared; addresses are of a copy of all bytes that these checks made. */
  interface Subject {
    /** Digests of some bytes of the copy. */
    void hash(long offset, long bytes, int blockSize, HashAlgorithm algorithm, long[] digests);

    /** Chosen blocks side by side, each in the room of a whole one. */
    byte[] gather(long offset, long bytes, int blockSize, int[] chosen);
  }

  private final MemorySegment bytes;
  private final RandomGenerator random;
  private long compared;

  KernelChecks(Arena arena, RandomGenerator random) {
    this.random = random;
    this.bytes = arena.allocate(LONGEST, 256);
    for (long i = 0; i < LONGEST; i += 8) {
      bytes.set(ValueLayout.JAVA_LONG, i, random.nextLong());
    }
    // Long runs of ones, for sums that overflow.
    bytes.asSlice(3 << 20, 1 << 20).fill((byte) 0xff);
  }

  /** What a subject gets a copy of. */
  MemorySegment bytes() {
    return bytes;
  }

  long compared() {
    return compared;
  }

  /**
   * Every length up to this one, as a block alone and as the last one of larger blocks.
   *
   * @param others of algorithms that are not the usual one, every so many lengths
   */
  void everyLength(Subject subject, int longest, int others) {
    for (HashAlgorithm algorithm : ALGORITHMS) {
      int step = algorithm == HashAlgorithm.XXH3_128 ? 1 : others;
      for (int length = 0; length <= longest; length += step) {
        compare(subject, 256L * (length % 7), length, Math.max(128, length), algorithm);
        compare(subject, 4096 + length % 40, length, 16384, algorithm);
        compare(subject, 8 * (length % 9), 1024 + length, 1024, algorithm);
      }
    }
  }

  /** Random lengths of many blocks, at random places. */
  void everyBlockSize(Subject subject, int times) {
    for (HashAlgorithm algorithm : ALGORITHMS) {
      for (int blockSize : BLOCK_SIZES) {
        for (int i = 0; i < times; i++) {
          long longest = Math.min(LONGEST / 2, 40L * blockSize);
          long offset = random.nextLong(LONGEST - longest);
          long place = i % 2 == 0 ? offset & -256 : i % 4 == 1 ? offset & -8 : offset;
          compare(subject, place, random.nextLong(1, longest + 1), blockSize, algorithm);
        }
        compare(subject, 3 << 20, 1 << 20, blockSize, algorithm);
      }
    }
  }

  private void compare(
      Subject subject, long offset, long length, int blockSize, HashAlgorithm algorithm) {
    int blocks = Math.toIntExact(Math.ceilDiv(length, blockSize));
    long[] expected = new long[2 * blocks];
    Hashers.of(algorithm).hash(bytes, offset, length, blockSize, expected, 0);
    long[] found = new long[2 * blocks];
    Arrays.fill(found, 0x5a5a5a5a5a5a5a5aL);
    subject.hash(offset, length, blockSize, algorithm, found);
    compared += blocks;
    int wrong = Arrays.mismatch(expected, found);
    if (wrong >= 0) {
      throw new AssertionError(
          "%s of %d bytes at %d in blocks of %d: block %d of %d is %016x, expected %016x"
              .formatted(
                  algorithm,
                  length,
                  offset,
                  blockSize,
                  wrong / 2,
                  blocks,
                  found[wrong],
                  expected[wrong]));
    }
  }

  /** Copies of chosen blocks, with the last one, which is short. */
  void gathers(Subject subject, int times) {
    for (int blockSize : BLOCK_SIZES) {
      for (int i = 0; i < times; i++) {
        long offset = i % 2 == 0 ? 512 : 8L * random.nextInt(64) + (i % 4 == 1 ? 0 : 3);
        int blocks = random.nextInt(1, Math.min(2000, (LONGEST - 4096) / blockSize) + 1);
        long length = (long) blocks * blockSize - random.nextInt(blockSize);
        int[] chosen =
            random
                .ints(0, blocks)
                .limit(random.nextInt(1, blocks + 1))
                .sorted()
                .distinct()
                .toArray();
        compareGathered(subject, offset, length, blockSize, chosen);
      }
    }
  }

  private void compareGathered(
      Subject subject, long offset, long length, int blockSize, int[] chosen) {
    byte[] found = subject.gather(offset, length, blockSize, chosen);
    for (int i = 0; i < chosen.length; i++) {
      long from = (long) chosen[i] * blockSize;
      long size = Math.min(blockSize, length - from);
      MemorySegment copy = MemorySegment.ofArray(found).asSlice((long) i * blockSize, size);
      long wrong = bytes.asSlice(offset + from, size).mismatch(copy);
      if (wrong >= 0) {
        throw new AssertionError(
            "block %d of %d bytes at %d, blocks of %d: byte %d of its copy is wrong"
                .formatted(chosen[i], length, offset, blockSize, wrong));
      }
    }
    compared += chosen.length;
  }
}
