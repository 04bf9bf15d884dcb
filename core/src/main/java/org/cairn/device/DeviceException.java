// SPDX-License-Identifier: Apache-2.0
package org.cairn.device;

/**
 * That a device could not do what it was asked for: lost, out of memory, or asked about memory that
 * is none of its own. The message names the driver's error and what helps.
 */
public final class DeviceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What went wrong, and what helps. */
  public DeviceException(String message) {
    super(message);
  }

  /** The same, with what it was caused by. */
  public DeviceException(String message, Throwable cause) {
    super(message, cause);
  }
}
