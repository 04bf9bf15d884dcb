// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.util.Optional;
import org.cairn.Label;
import org.cairn.TierKind;
import org.cairn.comm.Reduction;
import org.cairn.division.Description;
import org.cairn.tier.AgreedFailureException;
import org.cairn.tier.TierListener;
import org.cairn.tier.TierTypes;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/** How all ranks agree on the next checkpoint, by one number if nothing is unusual. */
final class Tickets {
  private static final long FAILED = 1L << 62;
  private static final long UNTOLD = 1L << 61;
  private static final long LABELLED = 1L << 60;
  private static final long DIVIDED = 1L << 59;

  private final Ranks ranks;
  private final JobTiers tiers;
  private final TierListener listener;
  private final DivisionAgreement divisions;

  Tickets(Ranks ranks, JobTiers tiers, TierListener listener) {
    this.divisions = new DivisionAgreement(ranks.comm());
    this.ranks = ranks;
    this.tiers = tiers;
    this.listener = listener;
  }

  /**
   * Agrees on what becomes of a version; collective.
   *
   * @param failure why this rank cannot begin; null if it can
   * @param untold whether its program was not told yet that the checkpoint before failed
   * @param label what this rank says of it; only what the first rank says counts
   * @param description what this rank says of datasets that it has together with others
   * @return empty if there is such a rank, and its program has to be told first
   * @throws AgreedFailureException if any rank cannot begin, or descriptions do not go together
   */
  Optional<Ticket> agree(
      VersionId version,
      @Nullable Throwable failure,
      boolean untold,
      Label label,
      Description description)
      throws AgreedFailureException {
    int due = tiers.due(version);
    boolean labelled = ranks.rank() == 0 && !label.isNone();
    long mine = tiers.busy(due) | (failure == null ? 0 : FAILED) | (untold ? UNTOLD : 0);
    mine |= (labelled ? LABELLED : 0) | (divisions.isNew(description) ? DIVIDED : 0);
    long all = ranks.comm().allReduce(mine, Reduction.BITWISE_OR);
    if ((all & UNTOLD) != 0) {
      return Optional.empty();
    }
    if ((all & FAILED) != 0) {
      ranks.agree(failure);
    }
    if ((all & DIVIDED) != 0) {
      divisions.reach(description);
    }
    Label agreed = (all & LABELLED) == 0 ? Label.none() : LabelAgreement.reach(ranks.comm(), label);
    if (agreed.kept()) {
      // What is kept for ever goes to every tier, if need be behind what is under way there.
      return Optional.of(new Ticket(version, tiers.all(), agreed));
    }
    for (TierKind kind : TierTypes.kindsOf((int) all & due)) {
      listener.skipped(kind, version);
    }
    return Optional.of(new Ticket(version, due & ~(int) all, agreed));
  }
}
