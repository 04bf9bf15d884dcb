// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import java.util.Arrays;
import org.apache.commons.statistics.distribution.TDistribution;
import org.cairn.plan.Checks;

/**
 * What a sample says about a quantity.
 *
 * @param mean of the sample
 * @param halfWidth the expectation is within the mean ± this, with a confidence of 95 % (Student);
 *     infinite for a sample of one
 * @param deviation standard deviation; 0 for a sample of one
 * @param median half of the sample is below
 * @param p05 5 % of the sample are below
 * @param p95 95 % of the sample are below
 */
public record Estimate(
    double mean, double halfWidth, double deviation, double median, double p05, double p95) {
  /**
   * From a sample.
   *
   * @throws IllegalArgumentException if it is empty
   */
  public static Estimate of(double[] sample) {
    Checks.some(sample.length, "the size of a sample");
    double[] sorted = sample.clone();
    Arrays.sort(sorted);
    double mean = mean(sample);
    double deviation = deviation(sample, mean);
    return new Estimate(
        mean,
        halfWidth(deviation, sample.length),
        deviation,
        quantile(sorted, 0.5),
        quantile(sorted, 0.05),
        quantile(sorted, 0.95));
  }

  private static double mean(double[] sample) {
    double sum = 0;
    for (double value : sample) {
      sum += value;
    }
    return sum / sample.length;
  }

  private static double deviation(double[] sample, double mean) {
    double sum = 0;
    for (double value : sample) {
      sum += (value - mean) * (value - mean);
    }
    return sample.length == 1 ? 0 : Math.sqrt(sum / (sample.length - 1));
  }

  private static double halfWidth(double deviation, int size) {
    return size == 1
        ? Double.POSITIVE_INFINITY
        : TDistribution.of(size - 1).inverseSurvivalProbability(0.025)
            * deviation
            / Math.sqrt(size);
  }

  /** Linear between neighbours. */
  private static double quantile(double[] sorted, double p) {
    double at = p * (sorted.length - 1);
    int below = (int) at;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
  }
}
