// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import org.cairn.pack.locate.MalformedException;

/**
 * A message of an object header.
 *
 * @param start where its body begins
 * @param end where it ends
 */
record Message(int type, int flags, long start, long end) {
  static final int DATASPACE = 0x01;
  static final int LINK_INFO = 0x02;
  static final int DATATYPE = 0x03;
  static final int OLD_FILL = 0x04;
  static final int FILL = 0x05;
  static final int LINK = 0x06;
  static final int EXTERNAL_FILES = 0x07;
  static final int LAYOUT = 0x08;
  static final int FILTERS = 0x0B;
  static final int SHARED_TABLE = 0x0F;
  static final int CONTINUATION = 0x10;
  static final int SYMBOL_TABLE = 0x11;

  private static final int SHARED = 0x02;

  /** Whether the body only says where the message is. */
  boolean isShared() {
    return (flags & SHARED) != 0;
  }

  /** What is in the header. */
  Cursor body(Metadata file) throws MalformedException {
    return file.within(start, end);
  }
}
