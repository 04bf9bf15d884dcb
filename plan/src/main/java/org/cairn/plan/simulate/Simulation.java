// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import java.util.Arrays;
import java.util.function.ToDoubleFunction;

/**
 * How the trials went. The four states sum up to the mean wall time.
 *
 * @param wallTime seconds from start to end; unfinished trials enter with the time at which they
 *     were given up, and so it is a lower bound if there are any
 * @param efficiencyHalfWidth the efficiency is within ± this, with a confidence of 95 %
 * @param work mean seconds of doing what had not been done before
 * @param checkpoint mean seconds of writing checkpoints, interrupted ones included
 * @param recover mean seconds of recovering, interrupted recoveries included
 * @param rework mean seconds of doing again what was lost
 * @param failures mean number, of sockets in use
 * @param interrupts mean number; without replicas every failure is one
 * @param unfinished trials that were given up
 * @param trials all of them
 * @param seed the one they came from
 */
public record Simulation(
    Estimate wallTime,
    double efficiencyHalfWidth,
    double work,
    double checkpoint,
    double recover,
    double rework,
    double failures,
    double interrupts,
    int unfinished,
    int trials,
    long seed) {
  /**
   * What part of the time is useful: the work of all trials over the time of all trials, as in the
   * closed forms. Of unfinished trials it is what they had done by then.
   */
  public double efficiency() {
    return work / wallTime.mean();
  }

  /** Seconds for each second of work; infinite where nothing was done at all. */
  public double slowdown() {
    return wallTime.mean() / work;
  }

  /** Seconds from interrupt to interrupt; infinite if there was none. */
  public double meanTimeToInterrupt() {
    return interrupts == 0 ? Double.POSITIVE_INFINITY : wallTime.mean() / interrupts;
  }

  /** Sums in the order of the trials, so that no thread's haste shows in the last digit. */
  static Simulation of(Outcome[] outcomes, long seed) {
    return new Simulation(
        Estimate.of(all(outcomes, Outcome::wall)),
        halfWidthOfEfficiency(outcomes),
        mean(outcomes, Outcome::work),
        mean(outcomes, Outcome::checkpoint),
        mean(outcomes, Outcome::recover),
        mean(outcomes, Outcome::rework),
        mean(outcomes, Outcome::failures),
        mean(outcomes, Outcome::interrupts),
        (int) Arrays.stream(outcomes).filter(outcome -> !outcome.finished()).count(),
        outcomes.length,
        seed);
  }

  /** Of a ratio of means: from how far each trial is off the line through all of them. */
  private static double halfWidthOfEfficiency(Outcome[] outcomes) {
    double wall = mean(outcomes, Outcome::wall);
    double efficiency = mean(outcomes, Outcome::work) / wall;
    return Estimate.of(all(outcomes, o -> (o.work() - efficiency * o.wall()) / wall)).halfWidth();
  }

  private static double[] all(Outcome[] outcomes, ToDoubleFunction<Outcome> what) {
    return Arrays.stream(outcomes).mapToDouble(what).toArray();
  }

  private static double mean(Outcome[] outcomes, ToDoubleFunction<Outcome> what) {
    return Arrays.stream(outcomes).mapToDouble(what).sum() / outcomes.length;
  }
}
