// SPDX-License-Identifier: Apache-2.0
package org.cairn.gpu;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.Stream;
import org.cairn.Checkpoint;
import org.cairn.CheckpointFailedException;
import org.cairn.CheckpointStats;
import org.cairn.Checkpointer;
import org.cairn.Codec;
import org.cairn.ElementType;
import org.cairn.Options;
import org.cairn.Strategy;
import org.cairn.device.Device;

/** Checkpoints of memory on a real device. */
final class DeviceDatasets {
  private static final long BYTES = (96L << 20) + 3000 * 8;
  private static final int BLOCK = 16384;
  private static final Options OPTIONS = Options.defaults().strategy(Strategy.DIFFERENTIAL);

  private final Device device;
  private final Random random;
  private final MemorySegment host;

  private DeviceDatasets(Device device, Random random, Arena arena) {
    this.device = device;
    this.random = random;
    this.host = arena.allocate(BYTES, 64);
    for (long i = 0; i < BYTES; i += 8) {
      host.set(ValueLayout.JAVA_LONG, i, random.nextLong());
    }
    host.asSlice(40L << 20, 5L << 20).fill((byte) 0);
  }

  interface Work {
    String run(Path directory) throws IOException;
  }

  static String within(Work work) throws IOException {
    Path memory = Path.of("/dev/shm");
    Path directory =
        Files.isDirectory(memory)
            ? Files.createTempDirectory(memory, "cairn")
            : Files.createTempDirectory("cairn");
    try {
      return work.run(directory);
    } finally {
      try (Stream<Path> all = Files.walk(directory)) {
        all.sorted(Comparator.reverseOrder()).forEach(DeviceDatasets::delete);
      }
    }
  }

  private static void delete(Path path) {
    try {
      Files.delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String roundTrip(Device device, Random random) throws IOException {
    try (Arena arena = Arena.ofShared()) {
      DeviceDatasets all = new DeviceDatasets(device, random, arena);
      return within(directory -> all.roundTrip(directory.resolve("plain"), Codec.NONE))
          + "; "
          + within(directory -> all.roundTrip(directory.resolve("coded"), Codec.ZSTD))
          + "; "
          + within(all::freed);
    }
  }

  private String roundTrip(Path directory, Codec codec) {
    try (Device.Buffer field = device.allocate(BYTES)) {
      device.copyIn(host, field.pointer()).await();
      long dirty;
      try (Checkpointer cairn = Checkpointer.open(directory, OPTIONS)) {
        cairn.protectDevice("field", field.pointer(), BYTES, ElementType.DOUBLE).codec(codec);
        cairn.checkpoint();
        change(field, 7);
        CheckpointStats stats = cairn.checkpoint().stats().orElseThrow();
        SelfTest.require(stats.dirtyBlocks() <= 8, "blocks written: " + stats.dirtyBlocks());
        change(field, 300);
        dirty = asynchronous(cairn, field);
      }
      restore(directory);
      return dirty + " blocks in the background";
    }
  }

  /** The program changes everything as soon as the call returns. */
  private long asynchronous(Checkpointer cairn, Device.Buffer field) {
    Checkpoint checkpoint = cairn.checkpointAsync();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment other = arena.allocate(BYTES).fill((byte) 1);
      device.copyIn(other, field.pointer()).await();
    }
    return checkpoint.await().stats().orElseThrow().dirtyBlocks();
  }

  private void change(Device.Buffer field, int blocks) {
    for (int i = 0; i < blocks; i++) {
      long at = random.nextLong(BYTES / 8) * 8;
      host.set(ValueLayout.JAVA_LONG, at, random.nextLong());
      device.copyIn(host.asSlice(at, 8), field.pointer() + at).await();
    }
    host.asSlice(BLOCK, BLOCK).fill((byte) 0);
    device.copyIn(host.asSlice(BLOCK, BLOCK), field.pointer() + BLOCK).await();
  }

  private void restore(Path directory) {
    double[] array = new double[(int) (BYTES / 8)];
    try (Device.Buffer field = device.allocate(BYTES);
        Arena arena = Arena.ofConfined()) {
      try (Checkpointer cairn = Checkpointer.open(directory, OPTIONS)) {
        cairn.protectDevice("field", field.pointer(), BYTES, ElementType.DOUBLE);
        cairn.restart();
        SelfTest.require(
            cairn.checkpoint().stats().orElseThrow().dirtyBlocks() == 0, "changed by a restart");
      }
      MemorySegment copy = arena.allocate(BYTES);
      device.copyOut(field.pointer(), copy).await();
      SelfTest.require(copy.mismatch(host) == -1, "restored to the device: " + copy.mismatch(host));
    }
    try (Checkpointer cairn = Checkpointer.open(directory, OPTIONS)) {
      cairn.protect("field", array);
      cairn.restart();
    }
    SelfTest.require(MemorySegment.ofArray(array).mismatch(host) == -1, "restored to the host");
  }

  private String freed(Path directory) {
    try (Checkpointer cairn = Checkpointer.open(directory, OPTIONS)) {
      Device.Buffer field = device.allocate(BYTES);
      device.copyIn(host, field.pointer()).await();
      cairn.protectDevice("field", field.pointer(), BYTES, ElementType.DOUBLE);
      cairn.checkpoint();
      field.close();
      try {
        cairn.checkpoint();
      } catch (CheckpointFailedException e) {
        return String.valueOf(e.getMessage());
      }
      throw new AssertionError("memory that was freed was saved");
    }
  }

  /** What checkpoints cost the program at 3 % of changed blocks. */
  static String costs(Device device) throws IOException {
    StringBuilder text = new StringBuilder();
    for (long bytes : new long[] {1L << 30, 8L << 30, 16L << 30}) {
      text.append("\n    ")
          .append(
              within(
                  directory ->
                      new DatasetCosts(device, bytes, BLOCK, 0.03).measure(directory).toString()));
    }
    return text.toString();
  }
}
