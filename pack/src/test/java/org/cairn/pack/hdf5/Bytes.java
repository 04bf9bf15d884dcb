// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.cairn.pack.locate.ByteSource;

/** A file in memory. */
record Bytes(byte[] bytes) implements ByteSource {
  static Bytes of(Path file) throws IOException {
    return new Bytes(Files.readAllBytes(file));
  }

  @Override
  public long size() {
    return bytes.length;
  }

  @Override
  public void read(long offset, MemorySegment target) {
    MemorySegment.copy(
        MemorySegment.ofArray(bytes),
        ValueLayout.JAVA_BYTE,
        offset,
        target,
        ValueLayout.JAVA_BYTE,
        0,
        target.byteSize());
  }

  /** How often some bytes are in it; of four letters, how many structures of a kind there are. */
  int count(String letters) {
    int count = 0;
    for (int i = indexOf(letters, 0); i >= 0; i = indexOf(letters, i + 1)) {
      count++;
    }
    return count;
  }

  /** Where some bytes are, or −1. */
  int indexOf(String letters, int from) {
    for (int i = from; i <= bytes.length - letters.length(); i++) {
      if (hasAt(letters, i)) {
        return i;
      }
    }
    return -1;
  }

  /** Where some bytes are for the last time. */
  int lastIndexOf(String letters) {
    int at = bytes.length - letters.length();
    while (!hasAt(letters, at)) {
      at--;
    }
    return at;
  }

  private boolean hasAt(String letters, int at) {
    for (int i = 0; i < letters.length(); i++) {
      if (bytes[at + i] != (byte) letters.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
