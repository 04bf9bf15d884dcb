// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.multilevel;

import java.util.List;

/**
 * The exact expected time of a pattern of checkpoints, exponential failures.
 *
 * <p>A failure of level {@code i} throws the job back to the newest checkpoint of level {@code i}
 * or higher, after a recovery of that level; the checkpoint before the pattern is of all levels.
 * Failures strike work, checkpoints and recoveries. During a recovery of level {@code j} a failure
 * of level {@code i ≤ j} begins it anew, a higher one begins a recovery of its own level.
 *
 * <p>Let {@code D_k} be the expected time from checkpoint {@code k} of the pattern to checkpoint
 * {@code k + 1}, come what may. A failure of level {@code i} in between sends the job back to
 * checkpoint {@code b_i(k) ≤ k}, from where it needs {@code D_b + … + D_k} to be through. So each
 * {@code D_k} follows from those before it, and the whole pattern takes one pass over its
 * checkpoints with a sum of times kept per level: linear, where a Markov chain of all states would
 * be solved as a matrix.
 */
public final class PatternModel {
  private final List<Level> levels;
  private final Segment[] recoveries;

  /** For these levels, the cheapest first. */
  public PatternModel(List<Level> levels) {
    if (levels.isEmpty()) {
      throw new IllegalArgumentException("there are no levels; a pattern needs at least one");
    }
    this.levels = List.copyOf(levels);
    recoveries = new Segment[levels.size()];
    for (int i = 0; i < recoveries.length; i++) {
      recoveries[i] = Segment.of(levels.get(i).restart(), levels);
    }
  }

  /** Expected seconds for a pattern. Infinite where failures are too frequent for any number. */
  public double expectedTime(Pattern pattern) {
    if (pattern.levels() != levels.size()) {
      throw new IllegalArgumentException(
          "a pattern of " + pattern.levels() + " levels for " + levels.size());
    }
    Segment[] segments = new Segment[levels.size()];
    for (int i = 0; i < segments.length; i++) {
      segments[i] = Segment.of(pattern.interval() + levels.get(i).cost(), levels);
    }
    int length = pattern.length();
    // Seconds of D since the newest checkpoint of each level or higher.
    double[] since = new double[levels.size()];
    double total = 0;
    for (int k = 0; k < length; k++) {
      int level = pattern.level(k);
      double passage = passage(segments[level], since);
      total += passage;
      for (int i = 0; i < since.length; i++) {
        since[i] = i <= level ? 0 : since[i] + passage;
      }
    }
    return total;
  }

  /** Expected seconds for each second of work. */
  public double slowdown(Pattern pattern) {
    return expectedTime(pattern) / pattern.work();
  }

  /**
   * {@code D}: the time of one try, and for each failure the recovery and the way back, {@code
   * since} the checkpoint it ends at; the same segment is then tried again.
   */
  private double passage(Segment segment, double[] since) {
    double[] again = againAfter(since);
    double time = segment.time();
    for (int i = 0; i < again.length; i++) {
      time += segment.failure()[i] * again[i];
    }
    return time / segment.success();
  }

  /**
   * For a failure of each level: expected seconds from it until the job is where the segment began,
   * through a recovery that may escalate, so the highest level is known first.
   */
  private double[] againAfter(double[] since) {
    double[] again = new double[levels.size()];
    for (int i = again.length - 1; i >= 0; i--) {
      Segment recovery = recoveries[i];
      double time = recovery.time() + recovery.success() * since[i];
      double leaves = recovery.success();
      for (int j = i + 1; j < again.length; j++) {
        time += recovery.failure()[j] * again[j];
        leaves += recovery.failure()[j];
      }
      again[i] = time / leaves;
    }
    return again;
  }
}
