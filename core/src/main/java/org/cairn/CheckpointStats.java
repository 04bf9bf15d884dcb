// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.time.Duration;
import java.util.List;
import org.cairn.version.VersionId;

/**
 * What a checkpoint did and how long it took.
 *
 * @param version its identity
 * @param full whether everything was written, without comparing
 * @param decision why it was full or differential, in words
 * @param protectedBytes the size of all datasets
 * @param blocks the number of all blocks
 * @param dirtyBlocks blocks that had changed or were new
 * @param movedBlocks clean blocks that were written all the same
 * @param bytesWritten what went to the file, maps included
 * @param waited how long the program waited
 * @param untilDurable from the call until the version was durable
 * @param hashing time of hashing, averaged over the cores
 * @param copying time of copying and coding, averaged over the cores
 * @param writing time in write calls
 * @param forcing time from the last block written until durable
 * @param datasets what was seen of each dataset, in the order in which they were added: that in
 *     which they were protected, unless the checkpoint was completed step by step
 */
public record CheckpointStats(
    VersionId version,
    boolean full,
    String decision,
    long protectedBytes,
    long blocks,
    long dirtyBlocks,
    long movedBlocks,
    long bytesWritten,
    Duration waited,
    Duration untilDurable,
    Duration hashing,
    Duration copying,
    Duration writing,
    Duration forcing,
    List<DatasetStats> datasets) {

  /** All but the datasets, of which there may be many. */
  @Override
  public String toString() {
    return ("CheckpointStats[version=%s, full=%s, decision=%s, protectedBytes=%d, blocks=%d,"
            + " dirtyBlocks=%d, movedBlocks=%d, bytesWritten=%d, waited=%s, untilDurable=%s,"
            + " hashing=%s, copying=%s, writing=%s, forcing=%s]")
        .formatted(
            version,
            full,
            decision,
            protectedBytes,
            blocks,
            dirtyBlocks,
            movedBlocks,
            bytesWritten,
            waited,
            untilDurable,
            hashing,
            copying,
            writing,
            forcing);
  }

  /** The part of all blocks that had changed, 0 to 1. */
  public double dirtyFraction() {
    return blocks == 0 ? 0 : (double) dirtyBlocks / blocks;
  }
}
