// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.time.Duration;

/**
 * How often all that lies on disk is read and verified while the program runs, and how much of a
 * core that may take. What is found to be bad is written to a new place by the next checkpoint.
 *
 * @param period a round takes about so long; zero if it is counted in checkpoints
 * @param checkpoints a round takes so many checkpoints; zero if it is counted in time
 * @param share the part of one core that it may take, more than 0 and at most 1
 */
public record Scrubbing(Duration period, int checkpoints, double share) {
  private static final double GENTLE = 0.02;

  /** Never: rot is found by a restart, or by {@code cairn scrub} and {@code cairn verify}. */
  public static final Scrubbing OFF = new Scrubbing(Duration.ZERO, 0, GENTLE);

  /** Refuses what cannot be done. */
  public Scrubbing {
    if (period.isNegative() || checkpoints < 0) {
      throw new IllegalArgumentException(
          "a round of %s or %d checkpoints; use more".formatted(period, checkpoints));
    }
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException(
          "%s of a core is not more than 0 and at most 1".formatted(share));
    }
  }

  /** Everything once in this time, with at most 2 % of a core. */
  public static Scrubbing every(Duration period) {
    if (period.isZero()) {
      throw new IllegalArgumentException("a round of no time; use more, or Scrubbing.OFF");
    }
    return new Scrubbing(period, 0, GENTLE);
  }

  /** Everything once in this many checkpoints, with at most 2 % of a core. */
  public static Scrubbing everyCheckpoints(int checkpoints) {
    if (checkpoints == 0) {
      throw new IllegalArgumentException("a round of no checkpoints; use more, or Scrubbing.OFF");
    }
    return new Scrubbing(Duration.ZERO, checkpoints, GENTLE);
  }

  /** The same with another part of a core; what is due then waits for its turn. */
  public Scrubbing atMost(double coreShare) {
    return new Scrubbing(period, checkpoints, coreShare);
  }

  /** Whether anything is to be done at all. */
  public boolean isOn() {
    return checkpoints > 0 || !period.isZero();
  }

  /** Which part of a round is due with a checkpoint, so long after the one before. */
  public double due(Duration sinceLast) {
    if (checkpoints > 0) {
      return 1.0 / checkpoints;
    }
    return period.isZero() ? 0 : (double) sinceLast.toNanos() / period.toNanos();
  }
}
