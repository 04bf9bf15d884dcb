// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.multilevel;

import java.util.List;

/**
 * What may happen in a stretch of time that any failure ends (Moody et al. 2010): with probability
 * {@link #success} nothing; with {@link #failure} a failure of a level; and if there is one, it
 * comes after {@link #timeToFailure} on average.
 *
 * @param length seconds
 * @param success probability that no failure comes, p₀
 * @param failure for each level, the probability that a failure of it comes first, p_i
 * @param timeToFailure mean seconds until it, given that one comes; the same for all levels, t_i
 */
public record Segment(double length, double success, double[] failure, double timeToFailure) {

  /** The stretch of so many seconds. */
  public static Segment of(double length, List<Level> levels) {
    double[] rates = levels.stream().mapToDouble(Level::rate).toArray();
    return of(length, rates);
  }

  /** The same, from rates alone. */
  public static Segment of(double length, double... rates) {
    double total = 0;
    for (double rate : rates) {
      total += rate;
    }
    double x = total * length;
    double[] failure = new double[rates.length];
    for (int i = 0; i < rates.length; i++) {
      failure[i] = total == 0 ? 0 : -rates[i] / total * Math.expm1(-x);
    }
    return new Segment(length, Math.exp(-x), failure, length * meanShare(x));
  }

  /** {@code 1/x − 1/(e^x − 1)}: where in the stretch the failure comes, as a part of it. */
  private static double meanShare(double x) {
    return x < 1e-4 ? 0.5 - x / 12 : 1 / x - 1 / Math.expm1(x);
  }

  /** Mean seconds spent, whatever happens. */
  public double time() {
    return success * length + (1 - success) * timeToFailure;
  }
}
