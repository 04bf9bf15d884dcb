// SPDX-License-Identifier: Apache-2.0
package org.cairn.restart;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.cairn.device.Device;
import org.cairn.device.DeviceException;
import org.cairn.device.DeviceMemory;
import org.cairn.supply.Mutex;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetEntry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings verified blocks to memory of a device. They are collected in one of two buffers that the
 * device reaches by itself; while one is filled, the other one travels. Any thread may bring
 * blocks.
 */
final class DeviceFilling implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceFilling.class);
  private static final long BYTES = 8L << 20;

  private final String dataset;
  private final DeviceMemory target;
  private final Arena arena = Supply.sharedArena();
  private final Mutex mutex = new Mutex();
  private Load filling;
  private Load travelling;

  /**
   * Makes sure that the memory is there, and that nothing is on its way to it.
   *
   * @throws DeviceException if it is not
   */
  DeviceFilling(String dataset, DeviceMemory target) {
    this.dataset = dataset;
    this.target = target;
    named(target::settle);
    this.filling = new Load();
    this.travelling = new Load();
  }

  /** Blocks side by side, as they came, on their way to different places. */
  private final class Load {
    private final MemorySegment memory = arena.allocate(BYTES, 4096);
    private final List<Device.Registration> registered = registered(memory);
    private final List<Run> runs = new ArrayList<>();
    private final List<Device.Copy> copies = new ArrayList<>();
    private long used;

    /** Bytes that are side by side here and there. */
    private record Run(long from, long to, long bytes) {
      private boolean isFollowedBy(long place) {
        return to + bytes == place;
      }
    }

    private boolean hasRoom(long bytes) {
      return used + bytes <= memory.byteSize();
    }

    private void add(MemorySegment bytes, long place) {
      MemorySegment.copy(bytes, 0, memory, used, bytes.byteSize());
      Run last = runs.isEmpty() ? new Run(0, -1, 0) : runs.removeLast();
      if (last.isFollowedBy(place)) {
        runs.add(new Run(last.from, last.to, last.bytes + bytes.byteSize()));
      } else {
        if (last.bytes > 0) {
          runs.add(last);
        }
        runs.add(new Run(used, place, bytes.byteSize()));
      }
      used += bytes.byteSize();
    }

    private void send() {
      for (Run run : runs) {
        MemorySegment source = memory.asSlice(run.from, run.bytes);
        copies.add(target.device().copyIn(source, target.pointer() + run.to));
      }
      runs.clear();
    }

    private void arrive() {
      // Copies take turns between two streams: the last two are the last of each.
      for (Device.Copy copy : copies.subList(Math.max(0, copies.size() - 2), copies.size())) {
        copy.await();
      }
      copies.clear();
      used = 0;
    }
  }

  /** If the system refuses, copies are slower. */
  private List<Device.Registration> registered(MemorySegment memory) {
    try {
      return List.of(target.device().register(memory));
    } catch (DeviceException e) {
      LOG.warn("memory cannot be registered, copies to the device are slower: {}", e.getMessage());
      return List.of();
    }
  }

  /** Takes a block of a dataset that is as it was written. */
  void block(DatasetEntry entry, int block, MemorySegment bytes) {
    long place = (long) block * entry.spec().blockSize();
    try (Mutex.Held _ = mutex.hold()) {
      if (!filling.hasRoom(bytes.byteSize())) {
        named(this::change);
      }
      filling.add(bytes, place);
    }
  }

  private void change() {
    travelling.arrive();
    filling.send();
    Load sent = filling;
    filling = travelling;
    travelling = sent;
  }

  /** Waits until all blocks are there. */
  void finish() {
    try (Mutex.Held _ = mutex.hold()) {
      named(
          () -> {
            change();
            travelling.arrive();
          });
    }
  }

  private void named(Runnable step) {
    try {
      step.run();
    } catch (DeviceException e) {
      throw new DeviceException("dataset \"%s\": %s".formatted(dataset, e.getMessage()), e);
    }
  }

  /** Also if not all blocks came: nothing may travel when the memory goes. */
  @Override
  public void close() {
    try {
      travelling.arrive();
      filling.arrive();
      filling.registered.forEach(Device.Registration::close);
      travelling.registered.forEach(Device.Registration::close);
    } catch (DeviceException e) {
      LOG.warn("dataset \"{}\": {}", dataset, e.getMessage());
    } finally {
      arena.close();
    }
  }
}
