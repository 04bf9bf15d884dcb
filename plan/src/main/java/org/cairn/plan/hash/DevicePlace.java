// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.cairn.HashAlgorithm;
import org.cairn.device.Device;

/**
 * Memory that a device hashes: its own, or the program's, which it copies.
 *
 * <p>Of the program's memory all that the device has to wait for counts: copies to it and those of
 * the digests, as in figures 7.5 to 7.9 of Ferreira 2011.
 */
public final class DevicePlace implements Place, AutoCloseable {
  /** Less says more of how long it takes to start a device than of what it does. */
  private static final long RESIDENT = 1L << 30;

  private static final long COPIED = 256L << 20;

  private final String name;
  private final Device device;
  private final long bytes;
  private final Work work;
  private final AutoCloseable held;
  private long[] digests = {};

  /** How blocks are hashed. */
  @FunctionalInterface
  private interface Work {
    void hash(int block, HashAlgorithm algorithm, long[] digests);
  }

  private DevicePlace(String name, Device device, long bytes, Work work, AutoCloseable held) {
    this.name = name;
    this.device = device;
    this.bytes = bytes;
    this.work = work;
    this.held = held;
  }

  /** Copies of some memory on the device, hashed where they lie. */
  public static DevicePlace resident(Device device, MemorySegment memory) {
    long copies = Math.ceilDiv(RESIDENT, memory.byteSize());
    Device.Buffer buffer = device.allocate(copies * memory.byteSize());
    for (long i = 0; i < copies; i++) {
      device.copyIn(memory, buffer.pointer() + i * memory.byteSize()).await();
    }
    return new DevicePlace(
        device.name() + ", resident",
        device,
        buffer.bytes(),
        (block, algorithm, digests) ->
            device.hash(buffer.pointer(), buffer.bytes(), block, algorithm, digests, 0),
        buffer);
  }

  /** As much memory of the program, registered, which is copied each time. */
  public static DevicePlace copied(Device device, MemorySegment memory) {
    long copies = Math.ceilDiv(COPIED, memory.byteSize());
    MemorySegment all = Arena.ofAuto().allocate(copies * memory.byteSize(), 64 << 10);
    for (long i = 0; i < copies; i++) {
      MemorySegment.copy(memory, 0, all, i * memory.byteSize(), memory.byteSize());
    }
    Device.Registration registration = device.register(all);
    return new DevicePlace(
        device.name() + ", with copies",
        device,
        all.byteSize(),
        (block, algorithm, digests) -> device.hashHost(all, block, algorithm, digests, 0),
        registration);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean usesThreads() {
    return false;
  }

  @Override
  public boolean computes(StudiedHash hash) {
    return hash.algorithm().filter(device::computes).isPresent();
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public void hash(StudiedHash hash, int block, int thread, int threads) {
    Optional<HashAlgorithm> algorithm = hash.algorithm();
    int words = 2 * (int) Math.ceilDiv(bytes, (long) block);
    if (digests.length < words) {
      digests = new long[words];
    }
    work.hash(block, algorithm.orElseThrow(), digests);
  }

  @Override
  public void close() {
    try {
      held.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("memory of " + name + " cannot be given back", e);
    }
  }
}
