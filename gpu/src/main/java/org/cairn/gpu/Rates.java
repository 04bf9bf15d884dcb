// SPDX-License-Identifier: Apache-2.0
package org.cairn.gpu;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.cairn.HashAlgorithm;
import org.cairn.device.Device;
import org.cairn.hash.WeakHash;
import org.cairn.supply.Supply;

/**
 * How fast a device hashes: of memory that is resident, and of the host's, registered or pageable,
 * with the copies. Each rate is the median of several calls, by the clock, with all that a call
 * does: launches, and digests on their way to the host.
 */
public final class Rates {
  private static final int TIMES = 7;

  /** What is measured of a device. */
  public static final List<HashAlgorithm> ALGORITHMS =
      List.of(
          HashAlgorithm.XXH3_128,
          WeakHash.ROTATING_XOR,
          WeakHash.ADLER_32,
          WeakHash.CRC32,
          HashAlgorithm.MD5,
          HashAlgorithm.SHA_256);

  /** Where the bytes are that are hashed. */
  public enum Memory {
    RESIDENT,
    REGISTERED,
    PAGEABLE
  }

  /**
   * A rate.
   *
   * @param gigabytesPerSecond of 10^9 bytes
   */
  public record Rate(
      Memory memory, HashAlgorithm algorithm, int blockSize, double gigabytesPerSecond) {}

  private final Device device;

  /** Measures this device. */
  public Rates(Device device) {
    this.device = device;
  }

  /** Of memory of the device. */
  public List<Rate> resident(long bytes, List<HashAlgorithm> algorithms, List<Integer> blockSizes) {
    List<Rate> all = new ArrayList<>();
    try (Device.Buffer buffer = device.allocate(bytes)) {
      fill(device, buffer);
      for (HashAlgorithm algorithm : algorithms) {
        for (int blockSize : blockSizes) {
          long[] digests = digests(bytes, blockSize);
          double seconds =
              median(() -> device.hash(buffer.pointer(), bytes, blockSize, algorithm, digests, 0));
          all.add(new Rate(Memory.RESIDENT, algorithm, blockSize, bytes / seconds * 1e-9));
        }
      }
    }
    return all;
  }

  /** Of memory of the host, which travels. */
  public List<Rate> travelling(
      Memory memory, long bytes, List<HashAlgorithm> algorithms, List<Integer> blockSizes) {
    try (Arena arena = Supply.sharedArena()) {
      MemorySegment host = arena.allocate(bytes, 4096);
      noise(host);
      if (memory != Memory.REGISTERED) {
        return travelling(memory, host, algorithms, blockSizes);
      }
      try (Device.Registration _ = device.register(host)) {
        return travelling(memory, host, algorithms, blockSizes);
      }
    }
  }

  private List<Rate> travelling(
      Memory memory, MemorySegment host, List<HashAlgorithm> algorithms, List<Integer> blockSizes) {
    List<Rate> all = new ArrayList<>();
    for (HashAlgorithm algorithm : algorithms) {
      for (int blockSize : blockSizes) {
        long[] digests = digests(host.byteSize(), blockSize);
        double seconds = median(() -> device.hashHost(host, blockSize, algorithm, digests, 0));
        all.add(new Rate(memory, algorithm, blockSize, host.byteSize() / seconds * 1e-9));
      }
    }
    return all;
  }

  /** Copies alone, in GB/s: what hashing of the host's memory cannot exceed. */
  public double copyRate(long bytes, boolean registered) {
    try (Arena arena = Supply.sharedArena();
        Device.Buffer buffer = device.allocate(bytes)) {
      MemorySegment host = arena.allocate(bytes, 4096);
      noise(host);
      Runnable copy = () -> device.copyIn(host, buffer.pointer()).await();
      if (!registered) {
        return bytes / median(copy) * 1e-9;
      }
      try (Device.Registration _ = device.register(host)) {
        return bytes / median(copy) * 1e-9;
      }
    }
  }

  private static long[] digests(long bytes, int blockSize) {
    return Supply.longs(Math.toIntExact(2 * Math.ceilDiv(bytes, blockSize)));
  }

  /** Zeros would be hashed as fast, but nobody would know. */
  private static void noise(MemorySegment host) {
    SplittableRandom random = new SplittableRandom(1);
    long some = Math.min(host.byteSize() & -8, 1 << 20);
    for (long i = 0; i < some; i += 8) {
      host.set(ValueLayout.JAVA_LONG, i, random.nextLong());
    }
    for (long i = some; i < host.byteSize(); i += some) {
      MemorySegment.copy(host, 0, host, i, Math.min(some, host.byteSize() - i));
    }
  }

  /** Puts something into memory of a device that is worth hashing. */
  static void fill(Device device, Device.Buffer buffer) {
    try (Arena arena = Supply.sharedArena()) {
      MemorySegment host = arena.allocate(Math.min(buffer.bytes(), 64 << 20));
      noise(host);
      for (long i = 0; i < buffer.bytes(); i += host.byteSize()) {
        long some = Math.min(host.byteSize(), buffer.bytes() - i);
        device.copyIn(host.asSlice(0, some), buffer.pointer() + i).await();
      }
    }
  }

  private static double median(Runnable measured) {
    measured.run();
    double[] seconds = new double[TIMES];
    for (int i = 0; i < TIMES; i++) {
      long start = Supply.nanos();
      measured.run();
      seconds[i] = (Supply.nanos() - start) * 1e-9;
    }
    Arrays.sort(seconds);
    return seconds[TIMES / 2];
  }
}
