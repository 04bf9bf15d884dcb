// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

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

  static final int BYTES = 8 * 10;

  /** Keeps the time as the file does, so that a version equals itself after it was read back. */
  public VersionInfo {
    takenAt = takenAt.truncatedTo(ChronoUnit.MILLIS);
  }

  void write(RecordWriter out) {
    out.putLong(id.epoch());
    out.putLong(id.sequence());
    out.putInt(id.ranks());
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
        new VersionId(in.getLong(), in.getLong(), in.getInt()),
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
