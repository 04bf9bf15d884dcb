// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.interval;

import org.cairn.plan.Checks;

/**
 * What decides how often to checkpoint.
 *
 * @param checkpoint seconds that a checkpoint takes, δ
 * @param restart seconds that a restart takes, R
 * @param mtti mean seconds between interrupts of the job, M; without replication every failure of
 *     the machine is one
 */
public record Conditions(double checkpoint, double restart, double mtti) {
  /** Refuses what is not a time. */
  public Conditions {
    Checks.positive(checkpoint, "the time of a checkpoint");
    Checks.notNegative(restart, "the time of a restart");
    Checks.positive(mtti, "the mean time between interrupts");
  }

  /** The same machine with a checkpoint that takes another time. */
  public Conditions withCheckpoint(double seconds) {
    return new Conditions(seconds, restart, mtti);
  }

  /**
   * Whether a restart takes longer than the machine lasts on average. The formulas still have a
   * value there, but a job gets through its restarts only by luck.
   */
  public boolean isHopeless() {
    return restart > mtti;
  }
}
