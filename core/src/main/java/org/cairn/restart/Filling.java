// SPDX-License-Identifier: Apache-2.0
package org.cairn.restart;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.cairn.DatasetMismatchException;
import org.cairn.dataset.Retyping;
import org.cairn.device.DeviceMemory;
import org.cairn.division.Division;
import org.cairn.supply.Workspace;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.cairn.version.Zeros;

/**
 * A dataset that is being filled. What is converted is read aside first, verified as everything
 * else, and converted when all blocks are known to be good: an element may lie in two blocks.
 *
 * @param match what is filled, and from what
 * @param target the memory of the program
 * @param saved memory for what was saved, as it was saved; the target itself unless it is converted
 * @param device what brings blocks to the program's memory if that is on a device
 */
record Filling(
    Match match, MemorySegment target, MemorySegment saved, Optional<DeviceFilling> device)
    implements AutoCloseable {
  /**
   * Takes memory for what was saved.
   *
   * @param aside where it comes from if the target cannot be filled as it is
   */
  static Filling of(Match match, Workspace aside) {
    Optional<DeviceMemory> device = match.dataset().device();
    if (device.isPresent() && !match.converts()) {
      DeviceFilling filling = new DeviceFilling(match.dataset().name(), device.get());
      return new Filling(match, MemorySegment.NULL, MemorySegment.NULL, Optional.of(filling));
    }
    MemorySegment target = match.dataset().target(match.offered());
    long bytes = match.entry().spec().byteLength();
    MemorySegment saved = match.converts() ? aside.allocate(bytes) : target;
    return new Filling(match, target, saved, Optional.empty());
  }

  /** Whether several blocks, side by side, may be given as if they were one. */
  boolean takesMany() {
    return device.isEmpty();
  }

  /** Takes a block that is as it was written. */
  void block(DatasetEntry entry, int block, MemorySegment bytes) {
    if (device.isPresent()) {
      device.get().block(entry, block, bytes);
    } else {
      long offset = (long) block * entry.spec().blockSize();
      MemorySegment.copy(bytes, 0, saved, offset, bytes.byteSize());
    }
  }

  /** Takes consecutive blocks of zeros. */
  void zeros(DatasetEntry entry, int first, int count) {
    if (device.isPresent()) {
      for (int block = first; block < first + count; block++) {
        device.get().block(entry, block, Zeros.ofLength(entry.blockLength(block)));
      }
    } else {
      long from = (long) first * entry.spec().blockSize();
      long to = Math.min(from + (long) count * entry.spec().blockSize(), saved.byteSize());
      saved.asSlice(from, to - from).fill((byte) 0);
    }
  }

  /**
   * All blocks have come: converts them, where that is to be done.
   *
   * @throws DatasetMismatchException if a number is too large for what it is to become; the dataset
   *     is unchanged
   */
  void complete() {
    device.ifPresent(DeviceFilling::finish);
    if (!match.converts()) {
      return;
    }
    long elements = DatasetSpec.elements(match.offered().shape());
    Retyping retyping = new Retyping(match.dataset().name(), match.offered().type());
    Division division = match.dataset().division();
    retyping.refuseTooLarge(
        saved, 0, elements, element -> division.whereIs(element, match.offered().shape()));
    retyping.convert(saved, target, 0, elements);
  }

  @Override
  public void close() {
    device.ifPresent(DeviceFilling::close);
  }
}
