// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.cairn.HashAlgorithm;
import org.cairn.device.Device;

/**
 * Memory that a device hashes: its own, or the program's, which it copies.
 *
 * <p>Of the program's memory all that the device has to wait for counts: copies to it and those of
 * the digests, as in figures 7.5 to 7.9 of the dissertation.
 */
public final class DevicePlace implements Place, AutoCloseable {
  private final String name;
  private final Device device;
  private final long bytes;
  private final Work work;
  private final AutoCloseable held;

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

  /** A copy of some memory on the device, hashed where it lies. */
  public static DevicePlace resident(Device device, MemorySegment memory) {
    Device.Buffer buffer = device.allocate(memory.byteSize());
    device.copyIn(memory, buffer.pointer()).await();
    return new DevicePlace(
        device.name() + ", resident",
        device,
        memory.byteSize(),
        (block, algorithm, digests) ->
            device.hash(buffer.pointer(), buffer.bytes(), block, algorithm, digests, 0),
        buffer);
  }

  /** Memory of the program, registered, which is copied each time. */
  public static DevicePlace copied(Device device, MemorySegment memory) {
    Device.Registration registration = device.register(memory);
    return new DevicePlace(
        device.name() + ", with copies",
        device,
        memory.byteSize(),
        (block, algorithm, digests) -> device.hashHost(memory, block, algorithm, digests, 0),
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
    long[] digests = new long[2 * (int) Math.ceilDiv(bytes, (long) block)];
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
