// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.lang.foreign.MemorySegment;
import java.util.IdentityHashMap;
import java.util.Map;
import org.cairn.container.DatasetPlan;
import org.cairn.container.StagedBlocks;
import org.cairn.device.Device;
import org.cairn.device.DeviceException;
import org.cairn.supply.Closing;
import org.cairn.version.DatasetEntry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies blocks that a device has gathered into staging buffers, which the device reaches by
 * itself: while one copy is on its way, the blocks of the one before are handed on.
 */
final class DeviceCopies {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceCopies.class);

  /** Buffers that a device can reach, and what keeps them so. */
  private final Map<MemorySegment, Device.Registration> registered = new IdentityHashMap<>();

  private boolean registers = true;

  /**
   * Blocks side by side in memory of a device.
   *
   * @param blocks their numbers
   * @param digests of these blocks, two words each
   */
  record Gathered(
      DatasetPlan plan, Device device, Device.Buffer buffer, int[] blocks, long[] digests) {
    private int blockSize() {
      return plan.entry().spec().blockSize();
    }

    private int length(int index) {
      return plan.entry().blockLength(blocks[index]);
    }

    /** Bytes of some of them, of which only the last one may be short. */
    private long bytes(int from, int count) {
      return (long) (count - 1) * blockSize() + length(from + count - 1);
    }
  }

  /** Where buffers come from, and go to. */
  interface Buffers {
    /** One with room for at least so many bytes. */
    Batch take(int room);

    /** One that is full, or as full as it gets. */
    void give(Batch batch);

    /** One that is not to be written. */
    void drop(Batch batch);
  }

  /** Some blocks on their way to a buffer. */
  private record UnderWay(Batch batch, Device.Copy copy, int from, int count) {}

  /** Copies all of them. */
  void copy(Gathered gathered, Buffers buffers) {
    UnderWay before = null;
    int done = 0;
    try {
      while (done < gathered.blocks.length) {
        UnderWay next = start(gathered, done, buffers);
        done += next.count;
        UnderWay arrived = before;
        before = next;
        if (arrived != null) {
          arrive(gathered, arrived, buffers);
        }
      }
      UnderWay last = before;
      before = null;
      if (last != null) {
        arrive(gathered, last, buffers);
      }
    } catch (RuntimeException | Error e) {
      giveUp(before, buffers, e);
      throw e;
    }
  }

  private UnderWay start(Gathered gathered, int from, Buffers buffers) {
    Batch batch = buffers.take(gathered.blockSize());
    try {
      StagedBlocks staged = batch.blocks();
      register(gathered.device, staged.memory());
      int fit = (int) (staged.room() / gathered.blockSize());
      int count = Math.min(fit, gathered.blocks.length - from);
      long pointer = gathered.buffer.pointer() + (long) from * gathered.blockSize();
      MemorySegment target = staged.memory().asSlice(staged.used(), gathered.bytes(from, count));
      return new UnderWay(batch, gathered.device.copyOut(pointer, target), from, count);
    } catch (RuntimeException | Error e) {
      buffers.drop(batch);
      throw e;
    }
  }

  private static void arrive(Gathered gathered, UnderWay arrived, Buffers buffers) {
    try {
      arrived.copy.await();
    } catch (RuntimeException | Error e) {
      buffers.drop(arrived.batch);
      throw e;
    }
    for (int i = arrived.from; i < arrived.from + arrived.count; i++) {
      note(gathered, i, arrived.batch);
    }
    buffers.give(arrived.batch);
  }

  /** The writer looks whether a copy has the digest that the device computed. */
  private static void note(Gathered gathered, int index, Batch batch) {
    DatasetEntry entry = gathered.plan.entry();
    int block = gathered.blocks[index];
    long low = gathered.digests[2 * index];
    long high = gathered.digests[2 * index + 1];
    batch.noteRaw(gathered.plan, block, true);
    batch.blocks().addRaw(entry.slotOf(block), entry.blockLength(block), low, high);
    if (gathered.plan.isComparable(block) && gathered.plan.isClean(block, low, high)) {
      batch.countMoved();
    }
  }

  /** What the device still writes to must not be used for anything else. */
  private static void giveUp(@Nullable UnderWay left, Buffers buffers, Throwable reason) {
    if (left == null) {
      return;
    }
    try {
      left.copy.await();
    } catch (RuntimeException e) {
      reason.addSuppressed(e);
    }
    buffers.drop(left.batch);
  }

  /** Lets the device reach memory by itself; if the system refuses, copies are slower. */
  void register(Device device, MemorySegment memory) {
    if (!registers || registered.containsKey(memory)) {
      return;
    }
    try {
      registered.put(memory, device.register(memory));
    } catch (DeviceException e) {
      registers = false;
      LOG.warn(
          "staging memory cannot be registered, copies from devices are slower: {}",
          e.getMessage());
    }
  }

  /** Before the memory is freed. */
  void close(Closing closing) {
    registered.values().forEach(one -> closing.then(one::close));
    registered.clear();
  }
}
