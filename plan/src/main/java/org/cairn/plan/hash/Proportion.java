// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import org.apache.commons.statistics.distribution.BetaDistribution;

/**
 * How often something happened, and between which rates the true one lies with a confidence of 95 %
 * (Clopper and Pearson): the interval covers it at least as often as it claims, for rates of any
 * size and for none at all.
 *
 * @param hits how often it happened
 * @param trials how often it could have
 */
public record Proportion(long hits, long trials) {
  /** What is left over at either end of the interval. */
  private static final double TAIL = 0.025;

  /** Refuses more hits than trials. */
  public Proportion {
    if (hits < 0 || hits > trials) {
      throw new IllegalArgumentException(hits + " hits in " + trials + " trials");
    }
  }

  /** The rate that was seen; NaN if nothing was tried. */
  public double rate() {
    return (double) hits / trials;
  }

  /** The least rate that is likely. */
  public double low() {
    if (hits == 0) {
      return 0;
    }
    return hits == trials
        ? Math.pow(TAIL, 1.0 / trials)
        : BetaDistribution.of(hits, trials - hits + 1.0).inverseCumulativeProbability(TAIL);
  }

  /** The greatest rate that is likely; 1 if nothing was tried. */
  public double high() {
    if (hits == trials) {
      return 1;
    }
    return hits == 0
        ? -Math.expm1(Math.log(TAIL) / trials)
        : BetaDistribution.of(hits + 1.0, trials - hits).inverseSurvivalProbability(TAIL);
  }

  /** Whether a rate is one of those that are likely. */
  public boolean covers(double rate) {
    return low() <= rate && rate <= high();
  }

  /** How far the ends of the interval are from the rate, relative to it; infinite without hits. */
  double relativeWidth() {
    return hits == 0 ? Double.POSITIVE_INFINITY : (high() - low()) / 2 / rate();
  }
}
