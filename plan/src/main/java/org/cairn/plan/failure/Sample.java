// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import java.util.Arrays;

/**
 * Positive gaps, in the form that fits need: logarithms around their mean, in units of their
 * deviation. In that form neither the unit of the gaps nor a huge shape lets a power overflow.
 */
final class Sample {
  private final double[] sorted;
  private final int zeros;
  private final double meanLog;
  private final double deviation;
  private final double[] standard;

  Sample(double[] gaps) {
    check(gaps);
    sorted = Arrays.stream(gaps).filter(gap -> gap > 0).sorted().toArray();
    zeros = gaps.length - sorted.length;
    double[] logs = Arrays.stream(sorted).map(Math::log).toArray();
    meanLog = mean(logs);
    double[] centred = Arrays.stream(logs).map(log -> log - meanLog).toArray();
    deviation = Math.sqrt(mean(Arrays.stream(centred).map(log -> log * log).toArray()));
    if (sorted.length < 2 || sorted[0] == sorted[sorted.length - 1] || deviation < 1e-9) {
      throw new IllegalArgumentException(
          "a fit needs two different positive gaps at least; of %d gaps %d are positive%s"
              .formatted(gaps.length, sorted.length, sorted.length < 2 ? "" : ", and all alike"));
    }
    standard = Arrays.stream(centred).map(log -> log / deviation).toArray();
  }

  private static void check(double[] gaps) {
    for (double gap : gaps) {
      if (!(gap >= 0) || Double.isInfinite(gap)) {
        throw new IllegalArgumentException("a gap between failures of " + gap);
      }
    }
  }

  double[] sorted() {
    return sorted;
  }

  int zeros() {
    return zeros;
  }

  double meanLog() {
    return meanLog;
  }

  /** The deviation of the logarithms, with n below the sum as the likelihood wants it. */
  double deviation() {
    return deviation;
  }

  /** The logarithms less their mean, by their deviation. */
  double[] standard() {
    return standard;
  }

  /** The mean of the gaps, scaled so that no sum overflows. */
  double mean() {
    double last = sorted[sorted.length - 1];
    return last * mean(Arrays.stream(sorted).map(gap -> gap / last).toArray());
  }

  static double mean(double[] values) {
    return Arrays.stream(values).sum() / values.length;
  }
}
