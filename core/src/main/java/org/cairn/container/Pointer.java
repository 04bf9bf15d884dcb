// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import org.cairn.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/** A place in the file and the checksum of the bytes there. */
record Pointer(long offset, long length, long checksumLow, long checksumHigh) {
  static final int BYTES = 32;

  boolean isNone() {
    return length == 0;
  }

  long end() {
    return offset + length;
  }

  void write(RecordWriter out) {
    out.putLong(offset);
    out.putLong(length);
    out.putLong(checksumLow);
    out.putLong(checksumHigh);
  }

  static Pointer read(RecordReader in) throws CorruptContainerException {
    return new Pointer(in.getLong(), in.getLong(), in.getLong(), in.getLong());
  }
}
