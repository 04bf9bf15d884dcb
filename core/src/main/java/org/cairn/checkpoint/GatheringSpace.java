// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import org.cairn.device.Device;
import org.cairn.device.DeviceException;
import org.cairn.supply.Closing;
import org.jspecify.annotations.Nullable;

/**
 * Memory of devices into which blocks are gathered. A piece, small beside what is left, is kept
 * from checkpoint to checkpoint: to give memory back, a driver waits for everything that the
 * program does there.
 */
final class GatheringSpace {
  /** Where the program waits for copies anyhow, blocks are gathered in pieces of so many bytes. */
  private static final long PIECE = 64L << 20;

  /** What is kept may be more than a piece where it is such a part of what is left. */
  private static final long KEPT_PART = 512;

  /** A device that has not even so much left has no room for anything. */
  private static final long LEAST_PIECE = 1L << 20;

  private Device.@Nullable Buffer kept;
  private @Nullable Device keptOf;

  /**
   * Memory for blocks: for all of them if they may wait there, as far as there is so much, else for
   * a piece.
   *
   * @throws DeviceException if there is not even room for a small one
   */
  Device.Buffer take(Device device, int blocks, int blockSize, boolean later) {
    long wanted = (long) blocks * blockSize;
    Device.Buffer before = kept;
    if (before != null && keptOf == device && before.bytes() >= Math.min(wanted, PIECE)) {
      if (wanted <= before.bytes() || !later) {
        kept = null;
        return before;
      }
    }
    // Half of what is left: the program may want some, too.
    long most = later ? Math.max(PIECE, device.freeBytes() / 2) : PIECE;
    return atMost(device, Math.max(blockSize, Math.min(wanted, most)), blockSize);
  }

  private static Device.Buffer atMost(Device device, long most, int blockSize) {
    long least = Math.max(LEAST_PIECE, blockSize);
    long bytes = most;
    while (true) {
      try {
        return device.allocate(bytes);
      } catch (DeviceException e) {
        if (bytes <= least) {
          throw e;
        }
        bytes = Math.max(least, bytes / 2);
      }
    }
  }

  /** Gives memory back. */
  void give(Device device, Device.Buffer buffer) {
    Device.Buffer other = kept;
    boolean better = other == null || other.bytes() < buffer.bytes();
    if (!better || buffer.bytes() > mostKept(device, buffer)) {
      buffer.close();
      return;
    }
    kept = buffer;
    keptOf = device;
    if (other != null) {
      other.close();
    }
  }

  /** A device with much memory keeps what a checkpoint of some gigabytes needs again each time. */
  private static long mostKept(Device device, Device.Buffer buffer) {
    return buffer.bytes() <= PIECE ? PIECE : Math.max(PIECE, device.freeBytes() / KEPT_PART);
  }

  /** Gives all of it back. */
  void close(Closing closing) {
    Device.Buffer last = kept;
    kept = null;
    if (last != null) {
      closing.then(last::close);
    }
  }
}
