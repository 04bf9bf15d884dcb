// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.doctor;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.cairn.hash.BlockHasher;
import org.cairn.hash.DefaultHash;
import org.cairn.hash.Hashers;

/**
 * How fast hash, memory and disk are, in rounds that are as short as can be said anything by: the
 * best of several, each with one thread. {@code cairn bench} measures properly.
 */
final class Speeds {
  private static final Duration EACH = Duration.ofMillis(1200);
  private static final int BYTES = 64 << 20;
  private static final int BLOCK = 16 << 10;
  private static final int SMALL = 4 << 10;
  private static final int FORCES = 200;
  private static final int ROUND = 8 << 20;

  private Speeds() {}

  /** Something that moves bytes, and tells how many. */
  private interface Pass {
    long run() throws IOException;
  }

  /** Bytes in a second, in the best of some passes. */
  private static double best(Pass pass) throws IOException {
    double best = 0;
    long end = System.nanoTime() + EACH.toNanos();
    do {
      long start = System.nanoTime();
      long bytes = pass.run();
      best = Math.max(best, bytes / ((System.nanoTime() - start) * 1e-9));
    } while (System.nanoTime() < end);
    return best;
  }

  /** Hashing of blocks, as a checkpoint does it. */
  static double hash() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(ROUND, 64);
      memory.fill((byte) 7);
      long[] digests = new long[2 * ROUND / BLOCK]; // 128 bits a block
      BlockHasher hasher = Hashers.of(DefaultHash.here());
      return best(
          () -> {
            hasher.hash(memory, 0, ROUND, BLOCK, digests, 0);
            return ROUND;
          });
    }
  }

  /** Copying from one place in memory to another. */
  static double memory() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = arena.allocate(BYTES, 64);
      MemorySegment to = arena.allocate(BYTES, 64);
      from.fill((byte) 7);
      return best(
          () -> {
            to.copyFrom(from);
            return BYTES;
          });
    }
  }

  /** Writing and forcing, some MiB at a time, one after the other in one file. */
  static double disk(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(ROUND);
    for (int i = 0; i < ROUND; i += Long.BYTES) {
      bytes.putLong(i, i * 0x9E3779B97F4A7C15L); // what is compressed below would look fast
    }
    try (FileChannel channel = open(file)) {
      return best(
          () -> {
            long at = channel.size() >= BYTES ? 0 : channel.size();
            bytes.clear();
            while (bytes.hasRemaining()) {
              channel.write(bytes, at + bytes.position());
            }
            channel.force(false);
            return ROUND;
          });
    }
  }

  /** What it takes to make 4 KiB durable, in the median. */
  static Duration force(Path file) throws IOException {
    List<Long> nanos = new ArrayList<>();
    ByteBuffer bytes = ByteBuffer.allocateDirect(SMALL);
    long end = System.nanoTime() + EACH.toNanos();
    try (FileChannel channel = open(file)) {
      for (int i = 0; i < FORCES && System.nanoTime() < end; i++) {
        bytes.clear();
        channel.write(bytes, (long) (i % 16) * SMALL);
        long start = System.nanoTime();
        channel.force(false);
        nanos.add(System.nanoTime() - start);
      }
    }
    return Duration.ofNanos(nanos.stream().sorted().toList().get(nanos.size() / 2));
  }

  private static FileChannel open(Path file) throws IOException {
    return FileChannel.open(
        file,
        StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING,
        StandardOpenOption.WRITE);
  }
}
