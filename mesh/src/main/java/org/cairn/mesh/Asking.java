// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.time.Duration;
import org.cairn.Options;
import org.cairn.clock.Clock;
import org.cairn.comm.Communicator;

/**
 * Says when to ask whether a checkpoint is due: a place may come every few hundred nanoseconds, and
 * to ask costs as much. A lone rank looks at its clock first. Many have to ask alike, and do so
 * always; they seldom have to talk for it.
 */
final class Asking {
  private static final long MOST_NANOS = 1_000_000;

  /** The part of the time between checkpoints that one may be late by. */
  private static final int LATE = 64;

  private final boolean isAlone;
  private final Clock clock;
  private final long pause;
  private long next;

  Asking(Communicator ranks, Options options) {
    this.isAlone = ranks.size() == 1;
    this.clock = options.clock();
    Duration interval = options.interval().next(Duration.ofNanos(MOST_NANOS));
    // Not in nanoseconds as a whole, which a hundred years do not fit into.
    this.pause =
        interval.compareTo(Duration.ofNanos(MOST_NANOS * LATE)) >= 0
            ? MOST_NANOS
            : interval.toNanos() / LATE;
    this.next = clock.nanos();
  }

  boolean isTime() {
    if (!isAlone) {
      return true;
    }
    long now = clock.nanos();
    if (now - next < 0) {
      return false;
    }
    next = now + pause;
    return true;
  }
}
