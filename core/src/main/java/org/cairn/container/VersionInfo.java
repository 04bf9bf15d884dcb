// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.cairn.record.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.version.VersionId;

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
 * @param digestLow the root digest: equal states of equal history have equal root digests
 * @param digestHigh its upper half
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
    long digestHigh) {

  static final int BYTES = VersionId.BYTES + 4 + 8 * 7;

  /** Keeps the time as the file does, so that a version equals itself after it was read back. */
  public VersionInfo {
    takenAt = takenAt.truncatedTo(ChronoUnit.MILLIS);
  }

  void write(RecordWriter out) {
    id.write(out);
    out.putInt(tiers);
    out.putLong(takenAt.toEpochMilli());
    out.putLong(protectedBytes);
    out.putLong(blocks);
    out.putLong(dirtyBlocks);
    out.putLong(bytesWritten);
    out.putLong(digestLow);
    out.putLong(digestHigh);
  }

  static VersionInfo read(RecordReader in) throws CorruptContainerException {
    return new VersionInfo(
        VersionId.read(in),
        in.getInt(),
        Instant.ofEpochMilli(in.getLong()),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong(),
        in.getLong());
  }
}
