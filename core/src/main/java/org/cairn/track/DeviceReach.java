// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import java.lang.foreign.MemorySegment;
import org.cairn.device.DeviceException;
import org.cairn.device.Devices;
import org.cairn.supply.UnseenWrites;

/**
 * Memory that a device reaches by itself, because the program or a library of its has registered it
 * there: what the device writes no page table sees, so it is tracked only where the program says
 * when that happens.
 */
final class DeviceReach {
  private DeviceReach() {}

  /** Why memory is not to be tracked; empty if no device reaches it, or the program marks it. */
  static String why(MemorySegment memory) {
    if (UnseenWrites.isMarked(memory)) {
      return "";
    }
    try {
      return Devices.reaching(memory)
          .map(
              device ->
                  device.name()
                      + " reaches it by itself, and no page table sees what it writes; call"
                      + " Checkpointer.mark after such writes, and it is tracked")
          .orElse("");
    } catch (DeviceException e) {
      return "whether a device reaches it is not known: " + e.getMessage();
    }
  }
}
