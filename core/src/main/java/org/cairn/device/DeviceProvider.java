// SPDX-License-Identifier: Apache-2.0
package org.cairn.device;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/** Knows a kind of devices; found by {@code ServiceLoader}. */
public interface DeviceProvider {
  /** The kind, for people: {@code CUDA}. */
  String name();

  /** Why there is no device, in one sentence that names the remedy; empty if there are some. */
  Optional<String> absence();

  /** The devices of this machine, for measurements; none if they are absent. */
  List<Device> devices();

  /**
   * The device that memory at this address belongs to, with the context in which the program has
   * allocated it; empty if it is none of such a device.
   */
  Optional<Device> deviceOf(long pointer);

  /**
   * The device that reaches this memory of the host by itself, because the program has registered
   * it; empty if there is none.
   */
  default Optional<Device> registered(MemorySegment host) {
    return Optional.empty();
  }

  /**
   * A device that reaches some of this memory of the host by itself, and may write to it past the
   * page tables; empty if there is none, as far as can be told. Asked at every checkpoint: a driver
   * that nobody in this process uses is not started for it.
   */
  default Optional<Device> reaching(MemorySegment host) {
    return registered(host);
  }
}
