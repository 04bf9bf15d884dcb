// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;

/** The file is nothing of ours, or something that this release cannot read. Nothing was changed. */
public class UnsupportedFormatException extends IOException {
  private static final long serialVersionUID = 1L;

  private final boolean ours;

  /** Reports a file that is not Cairn's, with the remedy in the message. */
  public UnsupportedFormatException(String message) {
    this(message, false);
  }

  /**
   * Reports a file that this release does not read.
   *
   * @param ours whether it surely is Cairn's, of another format version, byte order or with
   *     features that this release does not know: somebody else can read it, so it must stay
   */
  public UnsupportedFormatException(String message, boolean ours) {
    super(message);
    this.ours = ours;
  }

  /** Whether another release, or another machine, can read it. */
  public boolean isOurs() {
    return ours;
  }
}
