// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import org.cairn.version.Lineage;
import org.cairn.version.VersionId;

/** A run that all ranks have entered: it gives its versions their names, and none twice. */
final class Run implements Standing {
  private final Lineage lineage;
  private final long epoch;
  private final int ranks;
  private long sequence;

  /**
   * A run.
   *
   * @param epoch what no version before it bears
   * @param sequence the largest number of any version that was seen
   */
  Run(Lineage lineage, long epoch, long sequence, int ranks) {
    this.lineage = lineage;
    this.epoch = epoch;
    this.sequence = sequence;
    this.ranks = ranks;
  }

  /** The run and what it comes from. */
  Lineage lineage() {
    return lineage;
  }

  @Override
  public long newestSequence() {
    return sequence;
  }

  /** The name of the next version; used up, whatever becomes of it. */
  VersionId nextVersion() {
    return new VersionId(lineage.job(), lineage.run().id(), epoch, ++sequence, ranks);
  }
}
