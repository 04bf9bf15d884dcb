// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import java.util.List;
import org.cairn.plan.Checks;

/**
 * What is simulated.
 *
 * @param work seconds that the job takes without checkpoints and failures
 * @param interval seconds of work from checkpoint to checkpoint
 * @param levels of checkpoints, the cheapest first; their shares sum up to 1
 * @param counts {@code counts[i]} is how many checkpoints of level i there are for each one of
 *     level i+1, which takes the place of the last of them: with counts {4} it is level 0, 0, 0, 1,
 *     0, 0, 0, 1. One fewer than levels
 * @param failures what strikes the machine
 * @param replicas of the processes
 * @param saveAtEnd whether a checkpoint follows the last piece of work too
 * @param giveUpAfter a trial that takes longer ends here, unfinished; may be infinite, but then a
 *     hopeless scenario runs for ever
 */
@SuppressWarnings("ArrayRecordComponent") // Two of them are never compared.
public record Scenario(
    double work,
    double interval,
    List<Level> levels,
    int[] counts,
    FailureModel failures,
    Replicas replicas,
    boolean saveAtEnd,
    double giveUpAfter) {
  private static final double TOLERANCE = 1e-9;

  /** Checks, and keeps copies. */
  public Scenario {
    Checks.positive(work, "the work");
    Checks.positive(interval, "the interval");
    if (!(giveUpAfter > 0)) {
      throw new IllegalArgumentException("the time to give up must be positive: " + giveUpAfter);
    }
    levels = List.copyOf(levels);
    counts = counts.clone();
    checkLevels(levels);
    checkCounts(levels.size(), counts);
    if (replicas.degree() > failures.sockets()) {
      throw new IllegalArgumentException(
          replicas.degree() + " replicas do not fit on " + failures.sockets() + " sockets");
    }
  }

  private static void checkLevels(List<Level> levels) {
    if (levels.isEmpty()) {
      throw new IllegalArgumentException("there must be one level of checkpoints or more: 0");
    }
    double sum = levels.stream().mapToDouble(Level::share).sum();
    if (!(Math.abs(sum - 1) <= TOLERANCE)) {
      throw new IllegalArgumentException("the shares of the levels must sum up to 1: " + sum);
    }
  }

  private static void checkCounts(int levels, int[] counts) {
    if (counts.length != levels - 1) {
      throw new IllegalArgumentException(
          levels + " levels need " + (levels - 1) + " counts: " + counts.length);
    }
    for (int count : counts) {
      Checks.some(count, "each count of checkpoints");
    }
  }

  /** The same job with checkpoints at other times. */
  public Scenario at(double otherInterval, int... otherCounts) {
    return new Scenario(
        work, otherInterval, levels, otherCounts, failures, replicas, saveAtEnd, giveUpAfter);
  }

  /**
   * How many pieces of work there are, the last of them possibly shorter. A remainder that rounding
   * made is none: 0.3 is three times 0.1.
   */
  long segments() {
    return Math.max(1, (long) Math.ceil(work / interval * (1 - 1e-12)));
  }
}
