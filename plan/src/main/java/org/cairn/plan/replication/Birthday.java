// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.replication;

import org.apache.commons.numbers.gamma.Gamma;
import org.apache.commons.numbers.gamma.LogGamma;
import org.apache.commons.numbers.rootfinder.BrentSolver;
import org.cairn.plan.Checks;

/**
 * How many balls, thrown at random into {@code N} bins, it takes on average until one bin has two:
 * the birthday problem, by which Ferreira 2011 counts the failures that pairs of processes absorb.
 * It is the right count for failures that strike only processes still alive in their first copy;
 * see {@link FailureCount} for why it is not quite what a machine does.
 */
public final class Birthday {
  /** Beyond this many bins the expansion is better than a sum of so many rounded terms. */
  private static final double SUMMED = 1e10;

  private Birthday() {}

  /** Equation 3.1: {@code Q(N) = 1 + Σ N! / ((N−k)! N^k)}, summed. */
  public static double expected(double bins) {
    checkBins(bins);
    if (bins > SUMMED) {
      return ramanujan(bins);
    }
    double sum = 1;
    double term = 1;
    for (double k = 1; k <= bins && term > 1e-18 * sum; k++) {
      // Of N!/((N−k)! N^k) to the next k: one more ball that misses the k − 1 others.
      term *= (bins - k + 1) / bins;
      sum += term;
    }
    return sum;
  }

  /**
   * Ramanujan's expansion of the same: {@code √(πN/2) + 2/3 + √(π/2N)/12 − 4/(135N)}. Ferreira 2011
   * prints −1/3 as its second term (equations 3.2 and 3.3); that is the expansion of the sum alone,
   * without the leading 1 that its left side has.
   */
  public static double ramanujan(double bins) {
    checkBins(bins);
    return Math.sqrt(Math.PI * bins / 2)
        + 2.0 / 3
        + Math.sqrt(Math.PI / (2 * bins)) / 12
        - 4 / (135 * bins);
  }

  /** Equation 3.3 as Ferreira 2011 prints it, one too small; to reproduce its figures. */
  public static double ramanujanAsPrinted(double bins) {
    checkBins(bins);
    return Math.sqrt(Math.PI * bins / 2) - 1.0 / 3;
  }

  /**
   * Equation 3.7 for {@code r} balls in one bin: the {@code k} at which {@code C(k, r) / N^(r−1)},
   * the expected number of full bins, is 1. It is simple and knows any number of replicas, and it
   * is too large by {@link #indicatorOverestimate}.
   */
  public static double indicator(int replicas, double bins) {
    checkBins(bins);
    Checks.some(replicas - 1, "the number of additional replicas");
    double target = (replicas - 1) * Math.log(bins) + LogGamma.value(replicas + 1.0);
    double guess = Math.exp(target / replicas);
    // The product k (k−1) … (k−r+1) lies between (k−r+1)^r and k^r.
    return new BrentSolver(1e-14, 1e-14, 1e-14)
        .findRoot(k -> fallingLogarithm(k, replicas) - target, guess, guess + replicas);
  }

  private static double fallingLogarithm(double k, int factors) {
    double sum = 0;
    for (int i = 0; i < factors; i++) {
      sum += Math.log(Math.max(k - i, 1e-300));
    }
    return sum;
  }

  /**
   * By what factor the indicator method is too large for many bins: {@code 1/Γ(1 + 1/r)}, 1.128 for
   * pairs (Ferreira 2011 measures "nearly 14 %"). The time of the first full bin has a Weibull
   * distribution of shape {@code r} in the limit; the method takes its scale for its mean.
   */
  public static double indicatorOverestimate(int replicas) {
    return 1 / Gamma.value(1 + 1.0 / replicas);
  }

  private static void checkBins(double bins) {
    if (!(bins >= 1)) {
      throw new IllegalArgumentException(
          "the number of processes is " + bins + "; there must be at least 1");
    }
  }
}
