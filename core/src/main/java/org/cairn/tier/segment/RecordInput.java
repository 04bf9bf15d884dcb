// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.segment;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.cairn.record.CorruptContainerException;
import org.cairn.store.StoreFile;
import org.cairn.store.StoreNames;
import org.cairn.version.JobId;
import org.cairn.version.RunId;
import org.cairn.version.VersionId;

/**
 * Reads one record of a segment or manifest. Whoever made the file may have made the checksum too:
 * every read stays inside the record, and whatever is impossible is refused.
 */
final class RecordInput {
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final MemorySegment bytes;
  private final String file;
  private final long offset;
  private long position;

  private RecordInput(MemorySegment bytes, String file, long offset) {
    this.bytes = bytes;
    this.file = file;
    this.offset = offset;
  }

  /** A record that somebody sent. */
  static RecordInput of(byte[] message, String origin) {
    return new RecordInput(MemorySegment.ofArray(message), origin, 0);
  }

  /** A range of a file, which has to be there in full. */
  static RecordInput read(StoreFile file, String location, long offset, long length)
      throws IOException {
    if (offset < 0 || length < 0 || length > file.size() - offset) {
      throw new CorruptContainerException(
          location,
          Math.max(0, offset),
          "expected %d bytes here, found a file of %d bytes".formatted(length, file.size()));
    }
    if (length > Integer.MAX_VALUE - 8) {
      throw new CorruptContainerException(
          location, offset, "a record of %d bytes".formatted(length));
    }
    MemorySegment bytes = MemorySegment.ofArray(new byte[(int) length]);
    long count = file.read(offset, bytes);
    if (count < length) {
      throw new CorruptContainerException(
          location, offset, "expected %d bytes here, found %d".formatted(length, count));
    }
    return new RecordInput(bytes, location, offset);
  }

  /** Whether the last 16 bytes are the checksum of those before them. */
  boolean isIntact() {
    long covered = bytes.byteSize() - SegmentFormat.CHECKSUM_BYTES;
    if (covered < 0) {
      return false;
    }
    long[] digest = RecordOutput.digest(bytes.asSlice(0, covered));
    return digest[0] == bytes.get(LONG, covered) && digest[1] == bytes.get(LONG, covered + 8);
  }

  /** Refuses a record whose last 16 bytes are not its checksum; the rest is then to be read. */
  RecordInput verified(String what) throws CorruptContainerException {
    if (!isIntact()) {
      long covered = Math.max(0, bytes.byteSize() - SegmentFormat.CHECKSUM_BYTES);
      throw corrupt(
          "%s of %d bytes: expected checksum %s, found bytes with %s"
              .formatted(
                  what,
                  bytes.byteSize(),
                  bytes.byteSize() < 16 ? "(none)" : hex(bytes.get(LONG, covered)),
                  hex(RecordOutput.digest(bytes.asSlice(0, covered))[0])));
    }
    return this;
  }

  private static String hex(long value) {
    return "%016x…".formatted(value);
  }

  String file() {
    return file;
  }

  long position() {
    return position;
  }

  /** What is left, without the checksum. */
  long remaining() {
    return bytes.byteSize() - SegmentFormat.CHECKSUM_BYTES - position;
  }

  int u8() throws CorruptContainerException {
    need(1);
    return bytes.get(ValueLayout.JAVA_BYTE, position++) & 0xFF;
  }

  int u32() throws CorruptContainerException {
    need(4);
    position += 4;
    return bytes.get(INT, position - 4);
  }

  long u64() throws CorruptContainerException {
    need(8);
    position += 8;
    return bytes.get(LONG, position - 8);
  }

  /** A number of up to 63 bits. */
  long varint() throws CorruptContainerException {
    long value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      int next = u8();
      value |= (long) (next & 0x7F) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    throw corrupt("a number that does not end");
  }

  int varint32(String what) throws CorruptContainerException {
    long value = varint();
    if (value > Integer.MAX_VALUE) {
      throw corrupt("%s of %d".formatted(what, value));
    }
    return (int) value;
  }

  /** A count of things that take at least so many bytes each. */
  int count(int bytesEach) throws CorruptContainerException {
    int count = u32();
    if (count < 0 || (long) count * bytesEach > remaining()) {
      throw corrupt(
          "expected a count of at most %d, found %s"
              .formatted(remaining() / bytesEach, Integer.toUnsignedString(count)));
    }
    return count;
  }

  int notNegative(String what) throws CorruptContainerException {
    int value = u32();
    if (value < 0) {
      throw corrupt("%s %s".formatted(what, Integer.toUnsignedString(value)));
    }
    return value;
  }

  long notNegative64(String what) throws CorruptContainerException {
    long value = u64();
    if (value < 0) {
      throw corrupt("%s %s".formatted(what, Long.toUnsignedString(value)));
    }
    return value;
  }

  VersionId version() throws CorruptContainerException {
    return new VersionId(
        new JobId(u64(), u64()),
        new RunId(u64()),
        notNegative64("epoch"),
        notNegative64("sequence"),
        notNegative("ranks"));
  }

  byte[] raw(int length) throws CorruptContainerException {
    need(length);
    byte[] raw = bytes.asSlice(position, length).toArray(ValueLayout.JAVA_BYTE);
    position += length;
    return raw;
  }

  String name() throws CorruptContainerException {
    String name = new String(raw(count(1)), StandardCharsets.US_ASCII);
    if (!StoreNames.isValid(name)) {
      throw corrupt("expected the name of a file, found none");
    }
    return name;
  }

  void expectTag(int tag, String what) throws CorruptContainerException {
    int found = u32();
    if (found != tag) {
      throw corrupt("expected %s (tag %08x), found tag %08x".formatted(what, tag, found));
    }
  }

  void expectEnd() throws CorruptContainerException {
    if (remaining() != 0) {
      throw corrupt("expected the end of a record, found %d bytes more".formatted(remaining()));
    }
  }

  CorruptContainerException corrupt(String what) {
    return new CorruptContainerException(file, offset + position, what);
  }

  private void need(long count) throws CorruptContainerException {
    if (count > remaining()) {
      throw corrupt(
          "expected %d bytes more in a record of %d, found %d"
              .formatted(count, bytes.byteSize(), remaining()));
    }
  }
}
