// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.cairn.Label;
import org.cairn.record.Field;
import org.cairn.record.Fields;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * What a container tells of one of its versions without reading its map.
 *
 * @param id its identity
 * @param tiers where it was decided to be kept, a bit each; 0 if the container is all
 * @param takenAt when the checkpoint was taken
 * @param protectedBytes the size of all datasets
 * @param blocks the number of all blocks
 * @param dirtyBlocks how many of them differ from the version before
 * @param bytesWritten what the checkpoint added to the file, maps included
 * @param digestLow the {@linkplain RootDigest root digest}: equal states have equal root digests
 * @param digestHigh its upper half
 * @param unknown fields that go wherever the version goes: its {@link #label}, and what later
 *     releases say of it
 */
public record VersionInfo(
    VersionId id,
    int tiers,
    Instant takenAt,
    long protectedBytes,
    long blocks,
    long dirtyBlocks,
    long bytesWritten,
    long digestLow,
    long digestHigh,
    List<Field> unknown) {

  private static final int ID = 1;
  private static final int DIGEST = 2;
  private static final int FIGURES = 3;
  private static final int TIERS = 4;

  /** Where the map of the version is: only in a root, means nothing elsewhere. */
  public static final int LAST_RECORD = 5;

  /** Where its catalog is, likewise. */
  public static final int CATALOG = 6;

  /** Keeps the time as the file does, so that a version equals itself after it was read back. */
  public VersionInfo {
    takenAt = takenAt.truncatedTo(ChronoUnit.MILLIS);
    unknown = List.copyOf(unknown);
  }

  /** What a person says of it. */
  public Label label() {
    return Label.of(unknown);
  }

  /** A version of this release. */
  public VersionInfo(
      VersionId id,
      int tiers,
      Instant takenAt,
      long protectedBytes,
      long blocks,
      long dirtyBlocks,
      long bytesWritten,
      long digestLow,
      long digestHigh) {
    this(
        id,
        tiers,
        takenAt,
        protectedBytes,
        blocks,
        dirtyBlocks,
        bytesWritten,
        digestLow,
        digestHigh,
        List.of());
  }

  /** Puts all fields but those of a root and those of later releases, which come last. */
  public void writeKnown(RecordWriter out) {
    long field = out.beginField(ID);
    id.write(out);
    out.end(field);
    out.putShort(DIGEST).putInt(16).putLong(digestLow).putLong(digestHigh);
    field = out.beginField(FIGURES);
    out.putLong(takenAt.toEpochMilli()).putLong(protectedBytes).putLong(blocks);
    out.putLong(dirtyBlocks).putLong(bytesWritten);
    out.end(field);
    out.putIntField(TIERS, tiers);
  }

  /** Puts the version as it travels, without its place in a container. */
  void write(RecordWriter out) {
    long start = out.begin();
    writeKnown(out);
    out.putFields(unknown).end(start);
  }

  /** Takes a version out of its fields, whether they are of a root or travel. */
  public static VersionInfo read(Fields fields) throws IOException {
    RecordReader id = fields.get(ID, "identity of a version");
    RecordReader digest = fields.get(DIGEST, "root digest");
    RecordReader figures = fields.get(FIGURES, "figures of a version");
    RecordReader tiers = fields.get(TIERS, "tiers of a version");
    VersionId version = VersionId.read(id);
    int kept = tiers.getInt();
    VersionInfo info =
        new VersionInfo(
            version,
            kept,
            Instant.ofEpochMilli(figures.getLong()),
            figures.getLongNumber("a size"),
            figures.getLongNumber("a number of blocks"),
            figures.getLongNumber("a number of dirty blocks"),
            figures.getLongNumber("a number of bytes written"),
            digest.getLong(),
            digest.getLong(),
            fields.unknown(ID, DIGEST, FIGURES, TIERS, LAST_RECORD, CATALOG));
    for (RecordReader field : List.of(id, digest, figures, tiers)) {
      field.expectEnd();
    }
    try {
      info.label();
    } catch (IllegalArgumentException e) {
      throw id.corrupt("version %s: %s".formatted(version, e.getMessage()));
    }
    return info;
  }
}
