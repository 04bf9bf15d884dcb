// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import org.cairn.HashAlgorithm;
import org.cairn.device.Device;
import org.cairn.device.DeviceMemory;
import org.cairn.hash.Hashers;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetEntry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Digests that a device computes, as long as it can be trusted: the first blocks of every dataset,
 * and its last one, which may be short, are looked at by the processor too, once in a run. After
 * one difference the processor hashes everything.
 */
final class DeviceHashing {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceHashing.class);

  /** So many blocks of a dataset are compared, and the last one. */
  private static final int FIRST = 8;

  /** What has been compared. */
  private record Compared(
      Device device, String dataset, HashAlgorithm algorithm, int blockSize, long bytes) {}

  private final Set<Compared> compared = new HashSet<>();
  private boolean trusted = true;

  /**
   * Lets the device compute the digests of a dataset.
   *
   * @return false if it cannot, or nobody should believe it
   */
  boolean hash(DatasetEntry entry, DeviceMemory memory, long[] digests) {
    HashAlgorithm algorithm = entry.spec().algorithm();
    if (!trusted || !memory.device().computes(algorithm)) {
      return false;
    }
    int blockSize = entry.spec().blockSize();
    memory.device().hash(memory.pointer(), memory.bytes(), blockSize, algorithm, digests, 0);
    Compared now =
        new Compared(memory.device(), entry.name(), algorithm, blockSize, memory.bytes());
    if (compared.add(now)) {
      trusted = isRight(entry, memory, digests);
    }
    return trusted;
  }

  private static boolean isRight(DatasetEntry entry, DeviceMemory memory, long[] digests) {
    int last = entry.blocks() - 1;
    for (int block = 0; block < Math.min(FIRST, last); block++) {
      if (!isRight(entry, memory, digests, block)) {
        return false;
      }
    }
    return isRight(entry, memory, digests, last);
  }

  private static boolean isRight(
      DatasetEntry entry, DeviceMemory memory, long[] digests, int block) {
    int length = entry.blockLength(block);
    long[] expected = new long[2];
    try (Arena arena = Supply.sharedArena()) {
      MemorySegment copy = arena.allocate(length, 64);
      long offset = (long) block * entry.spec().blockSize();
      memory.device().copyOut(memory.pointer() + offset, copy).await();
      Hashers.of(entry.spec().algorithm()).hash(copy, 0, length, length, expected, 0);
    }
    boolean right = expected[0] == digests[2 * block] && expected[1] == digests[2 * block + 1];
    if (!right) {
      LOG.warn(
          "{} computes another {} digest of block {} of dataset \"{}\" than the processor, or the"
              + " program changed it meanwhile: the processor hashes device memory until the"
              + " program ends, which takes longer; look at the device (nvidia-smi -q) and the"
              + " program's streams",
          memory.device().name(),
          entry.spec().algorithm(),
          block,
          entry.name());
    }
    return right;
  }
}
