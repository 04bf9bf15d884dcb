// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.List;
import org.cairn.comm.Reduction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How all ranks enter a run: it is durable on each of them which one it is, and then it begins. */
final class Entering {
  private static final Logger LOG = LoggerFactory.getLogger(Job.class);

  private final ThisRank me;
  private final OwnContainer own;
  private final JobTiers tiers;
  private final Lease lease;

  Entering(ThisRank me, OwnContainer own, JobTiers tiers, Lease lease) {
    this.me = me;
    this.own = own;
    this.tiers = tiers;
    this.lease = lease;
  }

  /**
   * Makes it durable on every rank which run this is, before it takes a version; collective. If it
   * throws, the job stands where it stood before.
   */
  Run enter(Start start, Standing before) throws IOException {
    long epoch;
    try {
      epoch = announce(start);
    } catch (IOException | RuntimeException | Error e) {
      if (!own.is(start.container())) {
        start.container().leave();
      }
      start.takingBack().run(e);
      throw e;
    }
    own.becomes(start.container());
    start.container().becomeOwn();
    me.home().enter(start.lineage(), start.container().name());
    long sequence = Math.max(before.newestSequence(), start.table().survey().newestSequence());
    return new Run(start.lineage(), epoch, sequence, me.size());
  }

  /** Gives the epoch that all ranks have entered. */
  private long announce(Start start) throws IOException {
    lease.take(start.lineage().job());
    long fresh =
        me.comm()
            .allReduce(
                Math.max(start.table().survey().freshEpoch(), start.container().get().epoch()),
                Reduction.MAX);
    Throwable failure = null;
    try {
      start.container().enter(start.lineage(), fresh);
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
    me.ranks().agree(failure);
    return fresh;
  }

  /**
   * The run is entered: what goes with its beginning; collective.
   *
   * @return what did not go well, the same on all ranks
   */
  List<String> afterwards(Start start) throws IOException {
    tiers.forget();
    lookAtOthers(start);
    tiers.stability().reset(start.stable());
    OldWorlds.watch(me, start, tiers);
    if (start.mends()) {
      tiers.damaged(start.table().damagedFiles(me.number()));
      List<String> problems = tiers.restoreRedundancy(start.stable().getLast());
      problems.forEach(problem -> LOG.warn("rank {}: {}", me.number(), problem));
      return problems;
    }
    return List.of();
  }

  private void lookAtOthers(Start start) {
    OtherLives others = new OtherLives(me.store(), start.lineage());
    if (!me.setup().pruneOthersAfter().isZero()) {
      others.prune(me.setup().pruneOthersAfter(), me.clock().now(), start.table().lives());
    }
    String beside = others.describe();
    if (!beside.isEmpty()) {
      LOG.warn("rank {}: {}", me.number(), beside);
    }
  }
}
