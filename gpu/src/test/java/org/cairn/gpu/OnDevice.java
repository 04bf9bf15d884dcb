// SPDX-License-Identifier: Apache-2.0
package org.cairn.gpu;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.cairn.HashAlgorithm;
import org.cairn.device.Device;

/** What a device computes of a copy of some memory. */
final class OnDevice implements KernelChecks.Subject, AutoCloseable {
  private final Device device;
  private final Device.Buffer copy;

  OnDevice(Device device, MemorySegment bytes) {
    this.device = device;
    this.copy = device.allocate(bytes.byteSize());
    device.copyIn(bytes, copy.pointer()).await();
  }

  @Override
  public void hash(
      long offset, long bytes, int blockSize, HashAlgorithm algorithm, long[] digests) {
    device.hash(copy.pointer() + offset, bytes, blockSize, algorithm, digests, 0);
  }

  @Override
  public byte[] gather(long offset, long bytes, int blockSize, int[] chosen) {
    long room = (long) chosen.length * blockSize;
    try (Device.Buffer target = device.allocate(room);
        Arena arena = Arena.ofConfined()) {
      device.gather(copy.pointer() + offset, bytes, blockSize, chosen, 0, chosen.length, target);
      MemorySegment host = arena.allocate(room);
      device.copyOut(target.pointer(), host).await();
      return host.toArray(ValueLayout.JAVA_BYTE);
    }
  }

  @Override
  public void close() {
    copy.close();
  }
}
