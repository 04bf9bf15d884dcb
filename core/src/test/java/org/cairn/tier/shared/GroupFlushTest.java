// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.ForwardingCommunicator;
import org.cairn.comm.Ranks;
import org.cairn.comm.Request;
import org.cairn.store.MemoryStore;
import org.cairn.tier.Deltas;
import org.cairn.version.VersionId;
import org.junit.jupiter.api.Test;

/** All members of a group are at work at the same time. */
class GroupFlushTest {
  private static final int RANKS = 4;

  /** Only for a failure: whoever is on time does not wait. */
  private static final long PATIENCE_SECONDS = 60;

  private final SharedJob job = new SharedJob(new MemoryStore(), RANKS, SharedJob.job(1, RANKS));
  private final CountDownLatch begun = new CountDownLatch(RANKS - 1);

  /** A member whose first blocks leave only when those of all others can: or never. */
  private final class Waiting extends ForwardingCommunicator {
    Waiting(Communicator inner) {
      super(inner);
    }

    @Override
    public Request startSend(MemorySegment data, int to, int tag) {
      if (tag == GroupFlush.BYTES && rank() > 0) {
        begun.countDown();
        awaitAll();
      }
      return inner().startSend(data, to, tag);
    }

    private void awaitAll() {
      try {
        if (!begun.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
          throw new CommunicationException("others have not begun: " + begun.getCount());
        }
      } catch (InterruptedException e) {
        throw new CommunicationException("interrupted", e);
      }
    }

    @Override
    public Communicator duplicate() {
      return new Waiting(inner().duplicate());
    }

    @Override
    public Communicator split(int color, int key) {
      return new Waiting(inner().split(color, key));
    }
  }

  @Test
  void membersReadAndSendBesideEachOther() throws IOException {
    job.tiers = job.tiers.sharedGroup(RANKS).leaseRest(Duration.ofHours(1));
    for (int i = 0; i < 3; i++) {
      VersionId id = job.checkpoint();
      Ranks.run(
          RANKS,
          rank -> "node" + rank,
          comm -> {
            try (SharedTier tier = job.open(new Waiting(comm))) {
              tier.protect(id, Deltas.UNKNOWN);
              comm.barrier();
              tier.nowStable(id);
            }
          });
      job.verify(id);
    }
    assertThat(begun.getCount()).isZero();
  }
}
