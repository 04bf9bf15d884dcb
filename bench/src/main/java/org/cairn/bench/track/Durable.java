// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.track;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.BitSet;
import org.cairn.CheckpointStats;
import org.cairn.Checkpointer;
import org.cairn.ElementType;
import org.cairn.Options;
import org.cairn.Strategy;
import org.cairn.Tracking;

/**
 * A durable checkpoint of what was written, against a raw forced write of as many bytes, in turn.
 */
public final class Durable {
  private static final int BLOCK = 16 << 10;
  private static final int WARM_UP = 3;

  private final Path directory;
  private final long bytes;
  private final int threads;
  private final int rounds;

  /** With files in a directory. */
  public Durable(Path directory, long bytes, int threads, int rounds) {
    this.directory = directory;
    this.bytes = bytes;
    this.threads = threads;
    this.rounds = rounds;
  }

  /**
   * Medians in seconds.
   *
   * @param publishing how much of a checkpoint is records, forces and the superblock
   * @param raw a forced write of as many bytes as changed
   * @param hash of the blocks that were touched
   */
  public record Result(
      Pattern pattern, double checkpoint, double publishing, double raw, double hash) {
    /** Against the parts that cannot be spared. */
    public double ratio() {
      return checkpoint / (raw + hash);
    }
  }

  /** Measures a pattern; what the hash takes is known. */
  public Result measure(Pattern pattern, double hash) throws IOException {
    double[] taken = new double[rounds];
    double[] publishing = new double[rounds];
    double[] raw = new double[rounds];
    try (Arena arena = Arena.ofShared();
        FileChannel file =
            FileChannel.open(
                directory.resolve("raw"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        Checkpointer cairn = open()) {
      MemorySegment memory = arena.allocate(bytes, 64 << 10);
      memory.fill((byte) 1);
      cairn.protect("memory", memory, ElementType.BYTE);
      cairn.checkpoint();
      for (int round = -WARM_UP; round < rounds; round++) {
        BitSet pages = pattern.pages(bytes, round);
        pattern.write(memory, pages, round + 100L);
        long dirty = (long) Pattern.blocks(pages, BLOCK).cardinality() * BLOCK;
        int i = Math.max(0, round);
        long start = System.nanoTime();
        CheckpointStats stats = cairn.checkpoint().stats().orElseThrow();
        taken[i] = (System.nanoTime() - start) * 1e-9;
        publishing[i] = stats.forcing().toNanos() * 1e-9;
        start = System.nanoTime();
        write(file, memory.asSlice(0, dirty));
        raw[i] = (System.nanoTime() - start) * 1e-9;
      }
    }
    return new Result(
        pattern,
        ScanCosts.median(taken),
        ScanCosts.median(publishing),
        ScanCosts.median(raw),
        hash);
  }

  private Checkpointer open() {
    return Checkpointer.open(
        directory.resolve("checkpoints"),
        Options.defaults()
            .tracking(Tracking.REQUIRED)
            .threads(threads)
            .strategy(Strategy.DIFFERENTIAL)
            .verifyEvery(1_000));
  }

  private static void write(FileChannel file, MemorySegment bytes) throws IOException {
    long done = 0;
    while (done < bytes.byteSize()) {
      long some = Math.min(8 << 20, bytes.byteSize() - done);
      done += file.write(bytes.asSlice(done, some).asByteBuffer(), done);
    }
    file.force(false);
  }
}
