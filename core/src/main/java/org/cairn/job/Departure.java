// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.cairn.TierKind;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.tier.TierWorker;
import org.cairn.version.VersionId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the newest version to all tiers before the job ends, if all ranks are closing; a rank
 * whose fellows do not come closes without.
 */
final class Departure {
  private static final Logger LOG = LoggerFactory.getLogger(Job.class);

  /** How often a program that closes says what it waits for. */
  private static final Duration PROGRESS = Duration.ofSeconds(5);

  /** The tag of farewells; nothing else is sent over their communicator. */
  private static final int FAREWELL = 1;

  private final ThisRank me;
  private final JobTiers tiers;
  private final Communicator farewell;
  private final Runnable abandon;
  private final Duration limit;
  private final long start;

  /**
   * It begins now.
   *
   * @param abandon called if this rank is to close alone
   */
  Departure(ThisRank me, JobTiers tiers, Communicator farewell, Runnable abandon, Duration limit) {
    this.me = me;
    this.tiers = tiers;
    this.farewell = farewell;
    this.abandon = abandon;
    this.limit = limit;
    this.start = me.clock().nanos();
  }

  /** All agreements of this rank are behind it. */
  void flushAll() {
    Optional<VersionId> newest = tiers.stability().newest(TierKind.LOCAL);
    boolean idle = tiers.awaitIdle(start, limit);
    List<TierWorker> behind = tiers.behind(newest);
    if (newest.isEmpty() || idle && behind.isEmpty()) {
      return;
    }
    try {
      if (!idle || !new Farewell(farewell, FAREWELL, me.clock()).isUnanimous(left())) {
        LOG.warn(
            "rank {} closes, but not all other ranks do; version {} stays where it is",
            me.number(),
            newest.get());
        abandon.run();
        return;
      }
      for (TierWorker worker : behind) {
        // How it ends its listener is told; that it has ended is awaited below, with a limit.
        var _ = worker.submit(newest.get());
      }
      behind.forEach(worker -> await(worker, newest.get()));
    } catch (CommunicationException e) {
      LOG.warn("version {} stays where it is: {}", newest.get(), e.toString());
      abandon.run();
    }
  }

  private Duration left() {
    return me.left(start, limit);
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private void await(TierWorker worker, VersionId version) {
    while (!worker.awaitIdle(shorter(left(), PROGRESS))) {
      if (left().isNegative()) {
        LOG.warn(
            "version {} did not reach the {} tier within {}",
            version,
            worker.tier().kind().label(),
            limit);
        abandon.run();
        return;
      }
      LOG.info(
          "closing: version {} is on its way to the {} tier for {} s",
          version,
          worker.tier().kind().label(),
          (me.clock().nanos() - start) / 1_000_000_000L);
    }
  }
}
