// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.time.Duration;
import java.util.function.LongSupplier;
import org.cairn.clock.Clock;
import org.cairn.job.Job;

/**
 * Knows when the next checkpoint is due: how long the program has computed since the last one, and
 * what one may be expected to cost. Ranks agree on the answer.
 *
 * <p>What a checkpoint has cost is told by the thread that writes; all else is asked by the
 * program.
 */
final class Due {
  /** What the first checkpoint may be expected to cost: the pace of an ordinary disk. */
  private static final double ASSUMED_BYTES_PER_SECOND = 500e6;

  private static final double COST_WEIGHT = 0.3;

  private final Job job;
  private final Interval interval;
  private final Clock clock;
  private long computingSince;

  /** Set by the writer, read by the program; not a number as long as there was none. */
  private volatile double costSeconds = Double.NaN;

  Due(Job job, Interval interval, Clock clock) {
    this.job = job;
    this.interval = interval;
    this.clock = clock;
    this.computingSince = clock.nanos();
  }

  /** The time between checkpoints begins now, on all ranks. */
  void startComputing() {
    computingSince = clock.nanos();
    job.resetTrigger();
  }

  /** A checkpoint has let the program wait so long; the newer it is the more it counts. */
  void waited(Duration time) {
    double cost = time.toNanos() * 1e-9;
    double before = costSeconds;
    costSeconds = Double.isNaN(before) ? cost : before + COST_WEIGHT * (cost - before);
  }

  /**
   * Whether a checkpoint is due; the same on all ranks.
   *
   * @param protectedBytes asked before the first checkpoint only
   */
  boolean isDue(LongSupplier protectedBytes) {
    Duration computing = Duration.ofNanos(clock.nanos() - computingSince);
    return job.isDue(computing, expectedCost(protectedBytes), interval::next);
  }

  private Duration expectedCost(LongSupplier protectedBytes) {
    double seconds = costSeconds;
    if (Double.isNaN(seconds)) {
      seconds = protectedBytes.getAsLong() / ASSUMED_BYTES_PER_SECOND;
    }
    return Duration.ofNanos((long) (seconds * 1e9));
  }
}
