// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.clock.Clock;
import org.cairn.comm.Communicator;
import org.cairn.comm.Message;
import org.cairn.comm.Request;
import org.cairn.supply.Supply;

/**
 * Tells whether all ranks are closing, without waiting for ever for one that is not: a rank whose
 * program failed closes alone, while the others are still computing.
 *
 * <p>A barrier by dissemination: in round {@code k} each rank tells the one {@code 2^k} after it,
 * and hears from the one {@code 2^k} before it. It takes log2(P) messages a rank.
 */
public final class Farewell {
  private static final long SHORTEST_NAP = 200_000;
  private static final long LONGEST_NAP = 20_000_000;

  /** The part of the time waited so far that a look may come late: many ranks may be looking. */
  private static final int PART = 16;

  private final Communicator comm;
  private final int tag;
  private final Clock clock;

  /** Sends that nobody may ever receive; their memory must outlive them. */
  private final List<Request> sent = new ArrayList<>();

  private final MemorySegment nothing = Supply.autoArena().allocate(8, 8);

  /**
   * Of these ranks.
   *
   * @param tag of messages that nobody else sends over this communicator
   */
  public Farewell(Communicator comm, int tag, Clock clock) {
    this.comm = comm;
    this.tag = tag;
    this.clock = clock;
  }

  /** Whether all ranks have come here, seen within the limit. */
  public boolean isUnanimous(Duration limit) {
    long start = clock.nanos();
    for (int distance = 1; distance < comm.size(); distance *= 2) {
      sent.add(comm.startSend(nothing, (comm.rank() + distance) % comm.size(), tag));
      if (!hears(Math.floorMod(comm.rank() - distance, comm.size()), start, limit)) {
        return false;
      }
    }
    return true;
  }

  private boolean hears(int from, long start, Duration limit) {
    while (true) {
      Optional<Message> message = comm.poll(from, tag);
      if (message.isPresent()) {
        comm.startReceive(Supply.autoArena().allocate(8, 8), from, tag).await();
        return true;
      }
      long waited = clock.nanos() - start;
      if (waited > limit.toNanos()) {
        return false;
      }
      Supply.nap(this, Math.clamp(waited / PART, SHORTEST_NAP, LONGEST_NAP));
    }
  }
}
