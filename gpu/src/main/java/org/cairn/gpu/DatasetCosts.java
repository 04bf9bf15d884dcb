// SPDX-License-Identifier: Apache-2.0
package org.cairn.gpu;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.cairn.Checkpoint;
import org.cairn.CheckpointStats;
import org.cairn.Checkpointer;
import org.cairn.ElementType;
import org.cairn.HashAlgorithm;
import org.cairn.Options;
import org.cairn.Strategy;
import org.cairn.device.Device;
import org.cairn.supply.Supply;

/**
 * What a checkpoint of memory on a device costs the program, against what it could not do without:
 * one pass of hashing, and a copy of what changed.
 */
public final class DatasetCosts {
  private static final int TIMES = 7;
  private static final int WARMING_UP = 12;

  private final Device device;
  private final int blockSize;
  private final long bytes;
  private final int dirty;

  /**
   * Costs, in seconds.
   *
   * @param dirtyBytes what changes between two checkpoints
   * @param hash a pass over all of it, where it is
   * @param copy of the changed bytes, in one piece, to registered memory
   * @param waited how long the program waits for an asynchronous checkpoint
   * @param hashing how much of it for digests
   * @param copying how much of it for comparing and gathering
   * @param synchronous how long it waits for one that is durable when it returns
   */
  public record Costs(
      long bytes,
      int blockSize,
      long dirtyBytes,
      double hash,
      double copy,
      double waited,
      double hashing,
      double copying,
      double synchronous) {
    /** What the program waits, as a multiple of hash and copy. */
    public double ratio() {
      return waited / (hash + copy);
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%,d bytes, %,d changed: hash %.2f ms + copy %.2f ms; the program waits %.2f ms (hashing"
              + " %.2f, gathering %.2f), %.2f times as long; durable after %.1f ms",
          bytes,
          dirtyBytes,
          hash * 1e3,
          copy * 1e3,
          waited * 1e3,
          hashing * 1e3,
          copying * 1e3,
          ratio(),
          synchronous * 1e3);
    }
  }

  /** Measures memory of so many bytes, of whose blocks this share changes each time. */
  public DatasetCosts(Device device, long bytes, int blockSize, double share) {
    this.device = device;
    this.bytes = bytes;
    this.blockSize = blockSize;
    this.dirty = (int) Math.max(1, share * bytes / blockSize);
  }

  /** Measures with checkpoints in a directory, which is left as it is then. */
  public Costs measure(Path directory) {
    try (Device.Buffer buffer = device.allocate(bytes)) {
      Rates.fill(device, buffer);
      long[] digests = Supply.longs(Math.toIntExact(2 * Math.ceilDiv(bytes, blockSize)));
      double hash =
          median(
              timed(
                  () ->
                      device.hash(
                          buffer.pointer(), bytes, blockSize, HashAlgorithm.XXH3_128, digests, 0)));
      double copy = copyOfDirty(buffer);
      Options options =
          Options.defaults().blockSize(blockSize).strategy(Strategy.DIFFERENTIAL).retain(2);
      try (Checkpointer cairn = Checkpointer.open(directory, options)) {
        cairn.protectDevice("field", buffer.pointer(), bytes, ElementType.DOUBLE);
        return costs(cairn, buffer, hash, copy);
      }
    }
  }

  private Costs costs(Checkpointer cairn, Device.Buffer buffer, double hash, double copy) {
    SplittableRandom random = new SplittableRandom(1);
    cairn.checkpoint();
    double[][] found = new double[4][TIMES];
    for (int i = -WARMING_UP; i < TIMES; i++) {
      change(buffer, random);
      long start = Supply.nanos();
      Checkpoint checkpoint = cairn.checkpointAsync();
      double waited = (Supply.nanos() - start) * 1e-9;
      CheckpointStats stats = checkpoint.await().stats().orElseThrow();
      change(buffer, random);
      start = Supply.nanos();
      cairn.checkpoint();
      if (i >= 0) {
        found[0][i] = waited;
        found[1][i] = stats.hashing().toNanos() * 1e-9;
        found[2][i] = stats.copying().toNanos() * 1e-9;
        found[3][i] = (Supply.nanos() - start) * 1e-9;
      }
    }
    return new Costs(
        bytes,
        blockSize,
        (long) dirty * blockSize,
        hash,
        copy,
        middle(found[0]),
        middle(found[1]),
        middle(found[2]),
        middle(found[3]));
  }

  /** Changes eight bytes of blocks here and there. */
  private void change(Device.Buffer buffer, SplittableRandom random) {
    long blocks = bytes / blockSize;
    try (Arena arena = Supply.confinedArena()) {
      MemorySegment word = arena.allocate(8);
      word.set(ValueLayout.JAVA_LONG, 0, random.nextLong());
      for (int i = 0; i < dirty; i++) {
        // One of each stretch: no block twice.
        long block = i * blocks / dirty + random.nextLong(Math.max(1, blocks / dirty));
        device.copyIn(word, buffer.pointer() + block * blockSize).await();
      }
    }
  }

  private double copyOfDirty(Device.Buffer buffer) {
    try (Arena arena = Supply.sharedArena()) {
      MemorySegment host = arena.allocate((long) dirty * blockSize, 4096);
      try (Device.Registration _ = device.register(host)) {
        return median(timed(() -> device.copyOut(buffer.pointer(), host).await()));
      }
    }
  }

  private static LongSupplier timed(Runnable measured) {
    return () -> {
      long start = Supply.nanos();
      measured.run();
      return Supply.nanos() - start;
    };
  }

  /** Without the first time, which may have something to prepare. */
  private static double median(LongSupplier nanos) {
    double[] seconds = new double[TIMES + 1];
    for (int i = 0; i <= TIMES; i++) {
      seconds[i] = nanos.getAsLong() * 1e-9;
    }
    return middle(Arrays.copyOfRange(seconds, 1, TIMES + 1));
  }

  private static double middle(double[] seconds) {
    Arrays.sort(seconds);
    return seconds[seconds.length / 2];
  }
}
