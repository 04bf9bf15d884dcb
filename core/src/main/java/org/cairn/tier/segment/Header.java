// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.segment;

import java.io.IOException;
import java.time.Instant;
import org.cairn.record.CorruptContainerException;
import org.cairn.record.UnsupportedFormatException;
import org.cairn.store.StoreFile;
import org.cairn.version.VersionId;

/** The first 64 bytes of a segment or manifest; see {@link SegmentFormat}. */
record Header(VersionId version, int group, Instant createdAt) {

  RecordOutput write(RecordOutput out, long magic) {
    return out.u64(magic)
        .u32(SegmentFormat.BYTE_ORDER_MARK)
        .u32(SegmentFormat.VERSION)
        .version(version)
        .u32(group)
        .u64(createdAt.toEpochMilli())
        .checksum();
  }

  /**
   * Reads the header of a file.
   *
   * @param what for messages: "segment" or "manifest"
   * @throws UnsupportedFormatException if it is foreign, or of another format version
   */
  static Header read(StoreFile file, String location, long magic, String what) throws IOException {
    if (file.size() == 0) {
      throw new CorruptContainerException(location, 0, "expected a " + what + ", found nothing");
    }
    RecordInput in = RecordInput.read(file, location, 0, SegmentFormat.HEADER_BYTES);
    long foundMagic = in.u64();
    int byteOrder = in.u32();
    int formatVersion = in.u32();
    if (foundMagic != magic) {
      throw new UnsupportedFormatException(
          "%s is not a Cairn %s: expected %016x at offset 0, found %016x"
              .formatted(location, what, Long.reverseBytes(magic), Long.reverseBytes(foundMagic)));
    }
    boolean intact = in.isIntact();
    if (byteOrder == Integer.reverseBytes(SegmentFormat.BYTE_ORDER_MARK)) {
      throw new UnsupportedFormatException(
          location + " was written with the opposite byte order", true);
    }
    if (intact && formatVersion != SegmentFormat.VERSION) {
      throw new UnsupportedFormatException(
          "%s has %s format version %s; this release reads version %d: use a newer release"
              .formatted(
                  location, what, Integer.toUnsignedString(formatVersion), SegmentFormat.VERSION),
          true);
    }
    in.verified("header of a " + what);
    VersionId version = in.version();
    int group = in.notNegative("group");
    return new Header(version, group, Instant.ofEpochMilli(in.notNegative64("time")));
  }
}
