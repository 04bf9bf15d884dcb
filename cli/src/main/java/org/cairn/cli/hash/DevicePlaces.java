// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.hash;

import java.util.List;
import org.cairn.plan.hash.Place;

/**
 * Devices that hash, each with its own memory and with copies of the program's.
 *
 * @param places two for each device; none without one
 * @param remark what there is, or why there is none, in a sentence
 */
record DevicePlaces(List<Place> places, String remark) {
  /** Finds them, and gives each so many bytes to hash. */
  static DevicePlaces find(long bytes) {
    return new DevicePlaces(
        List.of(), "No device was measured: this version of Cairn hashes on the processor alone.");
  }

  /** Adds them, and returns the remark. */
  String addTo(List<Place> all) {
    all.addAll(places);
    return remark;
  }
}
