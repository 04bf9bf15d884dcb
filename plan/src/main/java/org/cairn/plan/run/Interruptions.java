// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.run;

import java.util.OptionalDouble;
import org.apache.commons.statistics.distribution.ChiSquaredDistribution;

/**
 * How often something happened in a time of watching, and what that says about the mean time
 * between.
 *
 * <p>If it happens at random at a constant rate, twice the time by the true mean has a chi-square
 * distribution, and the range is exact: a true mean outside of it would show such a count with a
 * probability of at most 1 − confidence. With none seen there is no upper end, and all doubt goes
 * to the lower one.
 *
 * @param count how often
 * @param seconds how long it was watched
 * @param confidence of the range, between 0 and 1
 */
public record Interruptions(int count, double seconds, double confidence) {
  /** Checks the values. */
  public Interruptions {
    if (count < 0 || !(seconds >= 0) || !(confidence > 0 && confidence < 1)) {
      throw new IllegalArgumentException(
          count + " interruptions in " + seconds + " s, confidence " + confidence);
    }
  }

  /** The mean time between, in seconds; unknown if nothing happened. */
  public OptionalDouble mean() {
    return count == 0 ? OptionalDouble.empty() : OptionalDouble.of(seconds / count);
  }

  /** Whether {@link #low} is all that can be said. */
  public boolean oneSided() {
    return count == 0;
  }

  /** The least mean time that agrees with what was seen, in seconds. */
  public double low() {
    double doubt = oneSided() ? 1 - confidence : (1 - confidence) / 2;
    return 2 * seconds / quantile(2.0 * count + 2, 1 - doubt);
  }

  /** The greatest, infinite if nothing happened. */
  public double high() {
    return oneSided()
        ? Double.POSITIVE_INFINITY
        : 2 * seconds / quantile(2.0 * count, (1 - confidence) / 2);
  }

  private static double quantile(double degrees, double probability) {
    return ChiSquaredDistribution.of(degrees).inverseCumulativeProbability(probability);
  }

  /** A sentence. */
  public String describe() {
    String percent = Math.round(100 * confidence) + " %";
    return oneSided()
        ? "no interruption in %.0f s: the mean time between is more than %.0f s with %s confidence"
            .formatted(seconds, low(), percent)
        : "%d in %.0f s: one in %.0f s on average, with %s confidence between %.0f and %.0f s"
            .formatted(count, seconds, seconds / count, percent, low(), high());
  }
}
