// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;

/** Bytes of a container are not what was written. The message names the file and the place. */
public class CorruptContainerException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String file;
  private final long offset;

  /**
   * Reports damage.
   *
   * @param file where the container lies
   * @param offset the first byte of what is damaged, or -1 if no place can be named
   * @param what what was expected and what was found
   */
  public CorruptContainerException(String file, long offset, String what) {
    super(what + " (" + file + (offset < 0 ? "" : ", offset " + offset) + ")");
    this.file = file;
    this.offset = offset;
  }

  /** Where the container lies. */
  public String file() {
    return file;
  }

  /** The first damaged byte, or -1. */
  public long offset() {
    return offset;
  }
}
