// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.cairn.HashAlgorithm;
import org.cairn.device.Device;
import org.cairn.device.DeviceException;
import org.cairn.device.Devices;
import org.cairn.hash.Hashers;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetEntry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a device hash memory of the host that it has registered, where that takes less time than the
 * crew would need, the way to the device included. Both are measured: the crew at the first
 * checkpoint, the device at the next one, and what is slower once in a while again. Whatever a
 * device does wrong, the crew hashes instead.
 */
final class Offload {
  private static final Logger LOG = LoggerFactory.getLogger(Offload.class);

  /** Less is hashed before a device has begun. */
  private static final long LEAST_BYTES = 4L << 20;

  /** So often what was slower is measured again. */
  private static final int AGAIN = 16;

  private static final double WEIGHT = 0.3;

  /** So many blocks of every time are compared. */
  private static final int COMPARED = 4;

  private final CostModel costs;
  private final Map<HashAlgorithm, Double> secondsPerByte = new HashMap<>();
  private boolean wanted;
  private int refused;

  Offload(CostModel costs) {
    this.costs = costs;
  }

  /** Whether somebody wants it. Without a device that is said once, and the crew hashes. */
  void want(boolean choice) {
    wanted = choice;
    if (choice && Devices.absence().isPresent()) {
      wanted = false;
      LOG.info("the processor hashes: {}", Devices.absence().get());
    }
  }

  /**
   * The digests of a dataset, if a device computes them.
   *
   * @return empty if the crew is to hash it
   */
  Optional<long[]> hash(DatasetEntry entry, MemorySegment bytes) {
    if (!wanted || !bytes.isNative() || bytes.byteSize() < LEAST_BYTES) {
      return Optional.empty();
    }
    try {
      return Devices.registered(bytes)
          .filter(device -> device.computes(entry.spec().algorithm()) && pays(entry))
          .flatMap(device -> hash(entry, bytes, device));
    } catch (DeviceException e) {
      wanted = false;
      LOG.warn(
          "dataset \"{}\": {}; the processor hashes from now on", entry.name(), e.getMessage());
      return Optional.empty();
    }
  }

  private boolean pays(DatasetEntry entry) {
    double crew = costs.hashSecondsPerByte();
    if (Double.isNaN(crew)) {
      return false; // not known before it has hashed something
    }
    Double device = secondsPerByte.get(entry.spec().algorithm());
    boolean faster = device == null || device < crew;
    return faster || ++refused % AGAIN == 0;
  }

  private Optional<long[]> hash(DatasetEntry entry, MemorySegment bytes, Device device) {
    long[] digests = Supply.longs(2 * entry.blocks());
    long start = Supply.nanos();
    HashAlgorithm algorithm = entry.spec().algorithm();
    device.hashHost(bytes, entry.spec().blockSize(), algorithm, digests, 0);
    double now = (Supply.nanos() - start) * 1e-9 / bytes.byteSize();
    secondsPerByte.merge(algorithm, now, (before, latest) -> before + WEIGHT * (latest - before));
    if (isRight(entry, bytes, digests)) {
      return Optional.of(digests);
    }
    wanted = false;
    LOG.warn(
        "{} computes other {} digests of dataset \"{}\" than the processor, which hashes from now"
            + " on; look at the device (nvidia-smi -q)",
        device.name(),
        algorithm,
        entry.name());
    return Optional.empty();
  }

  private static boolean isRight(DatasetEntry entry, MemorySegment bytes, long[] digests) {
    long[] expected = new long[2];
    int last = entry.blocks() - 1;
    for (int i = 0; i <= COMPARED; i++) {
      int block = i == COMPARED ? last : Math.min(i, last);
      long offset = (long) block * entry.spec().blockSize();
      int length = entry.blockLength(block);
      Hashers.of(entry.spec().algorithm()).hash(bytes, offset, length, length, expected, 0);
      if (expected[0] != digests[2 * block] || expected[1] != digests[2 * block + 1]) {
        return false;
      }
    }
    return true;
  }
}
