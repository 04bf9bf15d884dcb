// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

/** Bytes at a place of a file make no sense there; whatever needs them is left out. */
final class MalformedException extends Exception {
  private static final long serialVersionUID = 1;

  private final long offset;

  MalformedException(long offset, String message) {
    // A damaged file may cause millions of them.
    super(message, null, false, false);
    this.offset = offset;
  }

  /** Where in the file. */
  long offset() {
    return offset;
  }
}
