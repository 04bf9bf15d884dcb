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
 * checkpoint {@code b_i(k) ≤ k}, from where it needs {@code D_b + … + D_k} to be through. So {@code
 * D_k} is a linear function of the sums of {@code D} since the newest checkpoint of each level, and
 * so are the sums after it: a segment is a small matrix ({@link Progress}), and the pattern, which
 * repeats repetitions, a product of powers of matrices. It takes a time that grows with the
 * logarithm of the counts, where a Markov chain of all states would be solved as one large matrix.
 */
public final class PatternModel {
  private final List<Level> levels;

  /** For a failure of each level: seconds until the job is where its segment began. */
  private final Affine[] again;

  /** {@code constant + Σ slopes[i] · since[i]}. */
  private record Affine(double constant, double[] slopes) {}

  /** For these levels, the cheapest first. */
  public PatternModel(List<Level> levels) {
    if (levels.isEmpty()) {
      throw new IllegalArgumentException("there are no levels; a pattern needs at least one");
    }
    this.levels = List.copyOf(levels);
    again = againAfter(this.levels);
  }

  /** Expected seconds for a pattern. Infinite where failures are too frequent for any number. */
  public double expectedTime(Pattern pattern) {
    if (pattern.levels() != levels.size()) {
      throw new IllegalArgumentException(
          "a pattern of " + pattern.levels() + " levels for " + levels.size());
    }
    Progress[] blocks = new Progress[levels.size()];
    for (int level = 0; level < blocks.length; level++) {
      Affine passage = passage(Segment.of(pattern.interval() + levels.get(level).cost(), levels));
      blocks[level] = Progress.ofSegment(passage.constant(), passage.slopes(), level);
    }
    // blocks[m] is all up to a checkpoint of level m in which that of the level below is repeated.
    for (int level = 1; level < blocks.length; level++) {
      Progress repeated = blocks[level - 1].power(pattern.counts()[level - 1] - 1);
      for (int end = level; end < blocks.length; end++) {
        blocks[end] = repeated.then(blocks[end]);
      }
    }
    return blocks[blocks.length - 1].totalFromStart();
  }

  /** Expected seconds for each second of work. */
  public double slowdown(Pattern pattern) {
    return expectedTime(pattern) / pattern.work();
  }

  /**
   * {@code D}: the time of one try, and for each failure the recovery and the way back, {@code
   * since} the checkpoint it ends at; the same segment is then tried again.
   */
  private Affine passage(Segment segment) {
    double constant = segment.time();
    double[] slopes = new double[levels.size()];
    for (int i = 0; i < slopes.length; i++) {
      constant += segment.failure()[i] * again[i].constant();
      addScaled(slopes, segment.failure()[i], again[i].slopes());
    }
    return divided(constant, slopes, segment.success());
  }

  /** A recovery may escalate, so that of the highest level is known first. */
  private static Affine[] againAfter(List<Level> levels) {
    Affine[] again = new Affine[levels.size()];
    for (int i = again.length - 1; i >= 0; i--) {
      Segment recovery = Segment.of(levels.get(i).restart(), levels);
      double constant = recovery.time();
      double[] slopes = new double[again.length];
      slopes[i] = recovery.success();
      double leaves = recovery.success();
      for (int j = i + 1; j < again.length; j++) {
        constant += recovery.failure()[j] * again[j].constant();
        addScaled(slopes, recovery.failure()[j], again[j].slopes());
        leaves += recovery.failure()[j];
      }
      again[i] = divided(constant, slopes, leaves);
    }
    return again;
  }

  private static void addScaled(double[] sum, double factor, double[] terms) {
    for (int i = 0; i < sum.length; i++) {
      sum[i] += factor * terms[i];
    }
  }

  private static Affine divided(double constant, double[] slopes, double divisor) {
    double[] divided = new double[slopes.length];
    addScaled(divided, 1 / divisor, slopes);
    return new Affine(constant / divisor, divided);
  }
}
