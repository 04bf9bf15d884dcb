// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.time.Duration;
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
    Duration forcing) {

  /** The part of all blocks that had changed, 0 to 1. */
  public double dirtyFraction() {
    return blocks == 0 ? 0 : (double) dirtyBlocks / blocks;
  }
}
