// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.segment;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.cairn.hash.Xxh3;
import org.cairn.version.VersionId;

/** Builds one record of a segment or manifest on the heap. */
final class RecordOutput {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  RecordOutput u8(int value) {
    bytes.write(value);
    return this;
  }

  RecordOutput u32(int value) {
    for (int shift = 0; shift < 32; shift += 8) {
      bytes.write(value >>> shift);
    }
    return this;
  }

  RecordOutput u64(long value) {
    return u32((int) value).u32((int) (value >>> 32));
  }

  RecordOutput varint(long value) {
    long rest = value;
    while (rest >>> 7 != 0) {
      bytes.write((int) rest | 0x80);
      rest >>>= 7;
    }
    bytes.write((int) rest);
    return this;
  }

  RecordOutput version(VersionId id) {
    u64(id.job().high()).u64(id.job().low()).u64(id.run().bits());
    return u64(id.epoch()).u64(id.sequence()).u32(id.ranks());
  }

  RecordOutput raw(byte[] value) {
    bytes.writeBytes(value);
    return this;
  }

  RecordOutput text(String value) {
    return u32(value.length()).raw(value.getBytes(StandardCharsets.US_ASCII));
  }

  /** The checksum of everything before it. */
  RecordOutput checksum() {
    long[] digest = digest(MemorySegment.ofArray(bytes.toByteArray()));
    return u64(digest[0]).u64(digest[1]);
  }

  static long[] digest(MemorySegment covered) {
    long[] digest = new long[2];
    Xxh3.digest(covered, 0, covered.byteSize(), digest, 0);
    return digest;
  }

  int size() {
    return bytes.size();
  }

  MemorySegment toMemory() {
    return MemorySegment.ofArray(bytes.toByteArray());
  }
}
