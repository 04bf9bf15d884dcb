// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.hash;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.cairn.device.Device;
import org.cairn.device.Devices;
import org.cairn.plan.hash.DevicePlace;
import org.cairn.plan.hash.Place;

/**
 * Devices that hash, each with its own memory and with copies of the program's.
 *
 * @param places two for each device; none without one
 * @param remark what there is, or why there is none, in a sentence
 */
record DevicePlaces(List<DevicePlace> places, String remark) implements AutoCloseable {
  /** What is not asked for. */
  static final DevicePlaces NONE = new DevicePlaces(List.of(), "");

  /** Finds them, and lets each hash some memory, off the heap. */
  static DevicePlaces find(MemorySegment memory) {
    Optional<String> absence = Devices.absence();
    if (absence.isPresent()) {
      return new DevicePlaces(List.of(), "No device was measured: " + absence.get() + ".");
    }
    Place.of("native memory", memory); // filled with numbers
    List<DevicePlace> places = new ArrayList<>();
    for (Device device : Devices.all()) {
      places.add(DevicePlace.resident(device, memory));
      places.add(DevicePlace.copied(device, memory));
    }
    String names = Devices.all().stream().map(Device::name).collect(Collectors.joining(", "));
    return new DevicePlaces(places, "Measured beside the processor: " + names + ".");
  }

  @Override
  public void close() {
    places.forEach(DevicePlace::close);
  }
}
