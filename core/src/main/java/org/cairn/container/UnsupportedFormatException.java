// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;

/** The file is no container, or one that this release cannot read. Nothing was changed. */
public class UnsupportedFormatException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Reports a file that this release does not read, with the remedy in the message. */
  public UnsupportedFormatException(String message) {
    super(message);
  }
}
