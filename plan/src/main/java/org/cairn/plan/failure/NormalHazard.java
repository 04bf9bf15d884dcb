// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import org.apache.commons.numbers.gamma.Erfc;
import org.apache.commons.numbers.gamma.Erfcx;
import org.apache.commons.numbers.gamma.InverseErfc;

/** The cumulative hazard of the standard normal distribution, and its inverse. */
final class NormalHazard {
  private static final double SQRT_2 = Math.sqrt(2);
  private static final double SQRT_2_OVER_PI = Math.sqrt(2 / Math.PI);
  private static final double LN_2 = Math.log(2);

  /** Beyond, 2e^(−h) comes near the smallest normal double. */
  private static final double FAR = 600;

  private NormalHazard() {}

  /** −ln Φ(−z). In the upper tail through erfcx, which does not underflow as erfc does. */
  static double at(double z) {
    return z < 0
        ? -Math.log1p(-Erfc.value(-z / SQRT_2) / 2)
        : LN_2 + z * z / 2 - Math.log(Erfcx.value(z / SQRT_2));
  }

  /** The z with {@code at(z) == h}. */
  static double inverse(double h) {
    if (h < LN_2) {
      return -SQRT_2 * InverseErfc.value(-2 * Math.expm1(-h));
    }
    return h < FAR ? SQRT_2 * InverseErfc.value(2 * Math.exp(-h)) : far(h);
  }

  /** Newton; the hazard is nearly z²/2 here, and so three steps are plenty. */
  private static double far(double h) {
    double z = Math.sqrt(2 * h);
    if (z == Double.POSITIVE_INFINITY) {
      return z;
    }
    for (int step = 0; step < 4; step++) {
      double rate = SQRT_2_OVER_PI / Erfcx.value(z / SQRT_2);
      z -= (at(z) - h) / rate;
    }
    return z;
  }
}
