// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reads one record. The checksum of the bytes has been verified, but whoever made the file may have
 * made the checksum too: every read stays inside the record, and whatever is impossible is refused.
 */
final class RecordReader {
  private final MemorySegment bytes;
  private final String file;
  private final long offset;
  private long position;

  RecordReader(MemorySegment bytes, String file, long offset) {
    this.bytes = bytes;
    this.file = file;
    this.offset = offset;
  }

  String file() {
    return file;
  }

  long remaining() {
    return bytes.byteSize() - position;
  }

  int getByte() throws CorruptContainerException {
    need(1);
    return bytes.get(ValueLayout.JAVA_BYTE, position++) & 0xFF;
  }

  int getShort() throws CorruptContainerException {
    return getByte() | getByte() << 8;
  }

  int getInt() throws CorruptContainerException {
    need(4);
    int value = bytes.get(ContainerFormat.INT, position);
    position += 4;
    return value;
  }

  /** A count of things of which each takes at least {@code bytesEach} bytes of this record. */
  int getCount(int bytesEach) throws CorruptContainerException {
    int count = getInt();
    if (count < 0 || (long) count * bytesEach > remaining()) {
      throw corrupt("a count of " + Integer.toUnsignedString(count) + " does not fit the record");
    }
    return count;
  }

  long getLong() throws CorruptContainerException {
    need(8);
    long value = bytes.get(ContainerFormat.LONG, position);
    position += 8;
    return value;
  }

  String getText() throws CorruptContainerException {
    int length = getCount(1);
    byte[] utf8 = new byte[length];
    MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, position, utf8, 0, length);
    position += length;
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    } catch (CharacterCodingException e) {
      throw corrupt("a name is not UTF-8");
    }
  }

  void expectTag(int tag, String what) throws CorruptContainerException {
    int found = getInt();
    if (found != tag) {
      throw corrupt("expected %s (tag %08x), found tag %08x".formatted(what, tag, found));
    }
  }

  void expectEnd() throws CorruptContainerException {
    if (remaining() != 0) {
      throw corrupt(remaining() + " bytes too many in a record");
    }
  }

  CorruptContainerException corrupt(String what) {
    return new CorruptContainerException(file, offset + position, what);
  }

  private void need(long count) throws CorruptContainerException {
    if (count > remaining()) {
      throw corrupt("a record of " + bytes.byteSize() + " bytes ends too early");
    }
  }
}
