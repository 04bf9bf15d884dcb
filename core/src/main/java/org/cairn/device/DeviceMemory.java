// SPDX-License-Identifier: Apache-2.0
package org.cairn.device;

import java.util.OptionalLong;

/**
 * Memory of a program on a device.
 *
 * @param stream what is waited for before it is read; without one, all that the context does
 */
public record DeviceMemory(Device device, long pointer, long bytes, OptionalLong stream) {
  /**
   * Makes sure that it is still there, and that nothing is on its way to it.
   *
   * @throws DeviceException if it is not there any more, or what was on its way failed
   */
  public void settle() {
    device.check(pointer, bytes);
    if (stream.isPresent()) {
      device.await(stream.getAsLong());
    } else {
      device.await();
    }
  }
}
