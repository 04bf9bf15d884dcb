// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.List;
import org.cairn.CorruptContainerException;
import org.cairn.UnsupportedFormatException;
import org.cairn.record.ByteOrderMark;
import org.cairn.record.Digest;
import org.cairn.record.Feature;
import org.cairn.record.Fields;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.record.SealedRecord;
import org.cairn.store.StoreFile;
import org.cairn.supply.Supply;
import org.cairn.version.Lineage;
import org.cairn.version.VersionId;

/**
 * What a segment or manifest begins with: header and preamble, see {@link SegmentFormat}.
 *
 * @param bytes how many bytes both take
 * @param digest of both
 */
record Header(
    VersionId version,
    int token,
    int group,
    Instant createdAt,
    Lineage lineage,
    long bytes,
    Digest digest) {
  private static final int LINEAGE = 1;
  private static final int FEATURES = 2;

  private static final int MAGIC_ORDER_AND_FORMAT = 16;

  /**
   * The header alone, of which all has its place.
   *
   * @param preamble how many bytes follow that belong to it
   */
  record Fixed(VersionId version, int token, int group, int preamble, Instant createdAt) {
    /** Reads it from a file, whatever follows there. */
    static Fixed read(StoreFile file, String location) throws IOException {
      return read(
          SealedRecord.read(file, location, 0, SegmentFormat.HEADER_BYTES).verified("header"));
    }

    private static Fixed read(RecordReader in) throws IOException {
      in.getRecord(MAGIC_ORDER_AND_FORMAT);
      VersionId version = VersionId.read(in);
      int token = in.getInt();
      int group = in.getNumber("group");
      int length = in.getNumber("length of a preamble");
      Instant createdAt = Instant.ofEpochMilli(in.getLongNumber("time"));
      if (length > SegmentFormat.MAX_PREAMBLE_BYTES) {
        throw in.corrupt("a preamble of " + length + " bytes");
      }
      return new Fixed(version, token, group, length, createdAt);
    }

    /** How many bytes header and preamble have. */
    long bytes() {
      return SegmentFormat.HEADER_BYTES + (long) preamble;
    }
  }

  /** Puts the beginning of a file into a record that is empty so far. */
  static void write(
      RecordWriter out,
      long magic,
      VersionId version,
      int token,
      int group,
      Instant createdAt,
      Lineage lineage,
      List<Feature> features)
      throws IOException {
    byte[] preamble = preamble(lineage, features);
    if (preamble.length > SegmentFormat.MAX_PREAMBLE_BYTES) {
      throw new IOException(
          "the lineage of run %s takes %d bytes, of %d that a file can have of it"
              .formatted(lineage.brief(), preamble.length, SegmentFormat.MAX_PREAMBLE_BYTES));
    }
    out.putLong(magic).putInt(ByteOrderMark.NATIVE).putInt(SegmentFormat.VERSION);
    version.write(out);
    out.putInt(token).putInt(group).putInt(preamble.length).putLong(createdAt.toEpochMilli());
    out.seal().putBytes(preamble);
  }

  private static byte[] preamble(Lineage lineage, List<Feature> features) {
    RecordWriter out = RecordWriter.onHeap().putInt(SegmentFormat.PREAMBLE_TAG);
    long body = out.begin();
    long field = out.beginField(LINEAGE);
    lineage.write(out);
    out.end(field);
    field = out.beginField(FEATURES);
    Feature.write(features, out);
    return out.end(field).end(body).seal().toArray();
  }

  /**
   * Reads the beginning of a file.
   *
   * @param what for messages: "segment" or "manifest"
   * @throws UnsupportedFormatException if it is foreign, of another format version, or needs
   *     features that this release does not know
   */
  static Header read(StoreFile file, String location, long magic, String what) throws IOException {
    if (file.size() == 0) {
      throw new CorruptContainerException(location, 0, "expected a " + what + ", found nothing");
    }
    SealedRecord header = SealedRecord.read(file, location, 0, SegmentFormat.HEADER_BYTES);
    refuseOtherFormats(header, location, magic, what);
    Fixed fixed = Fixed.read(header.verified("header of a " + what));
    Lineage lineage = readPreamble(file, location, fixed.preamble);
    // A run may flush what an earlier one took: it descends from it.
    if (!lineage.includes(fixed.version)) {
      throw new CorruptContainerException(
          location,
          0,
          "a version of run %s with the lineage of run %s"
              .formatted(fixed.version.run(), lineage.brief()));
    }
    return new Header(
        fixed.version,
        fixed.token,
        fixed.group,
        fixed.createdAt,
        lineage,
        fixed.bytes(),
        digest(file, fixed.bytes()));
  }

  /** Whether a file ends before it tells whose it is. */
  static boolean isCut(StoreFile file, String location) throws IOException {
    if (file.size() < SegmentFormat.HEADER_BYTES) {
      return true;
    }
    return file.size() < Fixed.read(file, location).bytes();
  }

  private static Digest digest(StoreFile file, long bytes) throws IOException {
    byte[] beginning = Supply.bytes((int) bytes);
    file.read(0, MemorySegment.ofArray(beginning));
    return Digest.of(beginning);
  }

  private static void refuseOtherFormats(
      SealedRecord header, String location, long magic, String what) throws IOException {
    RecordReader in = header.unverified();
    long foundMagic = in.getLong();
    int byteOrder = in.getInt();
    int formatVersion = in.getInt();
    if (foundMagic != magic) {
      throw new UnsupportedFormatException(
          "%s is not a Cairn %s: expected %016x at offset 0, found %016x"
              .formatted(location, what, Long.reverseBytes(magic), Long.reverseBytes(foundMagic)));
    }
    if (ByteOrderMark.isOpposite(byteOrder)) {
      throw new UnsupportedFormatException(
          location
              + " was written with the opposite byte order; restart it on a machine of that kind",
          true);
    }
    // Whoever damaged the number did not mend the checksum; a later release made both.
    if (header.isIntact() && formatVersion != SegmentFormat.VERSION) {
      throw new UnsupportedFormatException(
          "%s has %s format version %s; this release reads version %d: use a newer release"
              .formatted(
                  location, what, Integer.toUnsignedString(formatVersion), SegmentFormat.VERSION),
          true);
    }
  }

  private static Lineage readPreamble(StoreFile file, String location, int length)
      throws IOException {
    RecordReader in =
        SealedRecord.read(
                file,
                location,
                SegmentFormat.HEADER_BYTES,
                length,
                SegmentFormat.PREAMBLE_IN_MEMORY)
            .verified("preamble");
    in.expectTag(SegmentFormat.PREAMBLE_TAG, "a preamble");
    Fields fields = Fields.read(in.getCountedRecord());
    in.expectEnd();
    // First: it names what is missing, where a field only has a number.
    List<Feature> features = Feature.read(fields.get(FEATURES, "list of features"));
    Feature.refuseToRead(features, SegmentFormat.KNOWN_FEATURES, location);
    fields.requireKnown("the preamble", LINEAGE, FEATURES);
    return Lineage.read(fields.get(LINEAGE, "lineage"));
  }
}
