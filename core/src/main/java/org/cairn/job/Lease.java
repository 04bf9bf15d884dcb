// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import org.cairn.tier.FileNames;
import org.cairn.version.JobId;

/** The right to write of a job where others could write too. */
final class Lease {
  private final ThisRank me;
  private final JobTiers tiers;

  Lease(ThisRank me, JobTiers tiers) {
    this.me = me;
    this.tiers = tiers;
  }

  /**
   * Takes it, and waits for it if another run may have it; collective.
   *
   * @return whether it had to wait
   */
  boolean take(JobId job) throws IOException {
    if (!tiers.needLease()) {
      return false; // nobody else writes there, and all ranks know that
    }
    boolean waited = false;
    Throwable failure = null;
    if (me.number() == 0) {
      try {
        String place = me.store().location(FileNames.jobLock(0, me.name()));
        waited = tiers.acquire(job, me.comm().domain(0), place);
      } catch (IOException | RuntimeException | Error e) {
        failure = e;
      }
    }
    me.ranks().agree(failure);
    return me.ranks().isAnywhere(waited);
  }
}
