// SPDX-License-Identifier: Apache-2.0
package org.cairn.device;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;

/** The devices that there are, of all kinds that are on the class path. */
public final class Devices {
  private static final List<DeviceProvider> PROVIDERS = load();

  private Devices() {}

  private static List<DeviceProvider> load() {
    List<DeviceProvider> all = new ArrayList<>();
    ServiceLoader.load(DeviceProvider.class, Devices.class.getClassLoader()).forEach(all::add);
    return List.copyOf(all);
  }

  /** The kinds of devices that are on the class path, whether there are such or not. */
  public static List<DeviceProvider> providers() {
    return PROVIDERS;
  }

  /** All devices of this machine. */
  public static List<Device> all() {
    return PROVIDERS.stream().flatMap(provider -> provider.devices().stream()).toList();
  }

  /** Why there is no device, in one sentence; empty if there are some. */
  public static Optional<String> absence() {
    if (PROVIDERS.isEmpty()) {
      return Optional.of("no kind of device is on the class path; add cairn-gpu to it");
    }
    List<String> reasons =
        PROVIDERS.stream().flatMap(provider -> provider.absence().stream()).toList();
    return reasons.size() < PROVIDERS.size()
        ? Optional.empty()
        : Optional.of(String.join("; ", reasons));
  }

  /** The device that reaches memory of the host by itself; empty if none does. */
  public static Optional<Device> registered(MemorySegment host) {
    return PROVIDERS.stream().flatMap(provider -> provider.registered(host).stream()).findFirst();
  }

  /** A device that reaches some of this memory of the host by itself; empty if none does. */
  public static Optional<Device> reaching(MemorySegment host) {
    return PROVIDERS.stream().flatMap(provider -> provider.reaching(host).stream()).findFirst();
  }

  /**
   * The device that memory of a program belongs to.
   *
   * @throws DeviceException if it belongs to none, or is not so much
   */
  public static Device of(long pointer, long bytes) {
    for (DeviceProvider provider : PROVIDERS) {
      Optional<Device> device = provider.deviceOf(pointer);
      if (device.isPresent()) {
        device.get().check(pointer, bytes);
        return device.get();
      }
    }
    throw new DeviceException(
        absence()
            .orElse(
                "0x%x is no memory of a device; pass the address that the device's allocator gave, and allocate it before"
                    .formatted(pointer)));
  }
}
