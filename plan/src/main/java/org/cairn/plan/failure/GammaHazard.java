// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import org.apache.commons.numbers.gamma.LogGamma;
import org.apache.commons.numbers.gamma.RegularizedGamma;

/** The cumulative hazard of the gamma distribution of scale 1, and its inverse. */
final class GammaHazard {
  /** Below, the upper regularized gamma function is about to underflow. */
  private static final double FAINT = 1e-280;

  private static final int STEPS = 200;

  private GammaHazard() {}

  /** −ln Q(shape, x); through P where Q is near 1, as a continued fraction where Q is near 0. */
  static double at(double shape, double x) {
    double p = RegularizedGamma.P.value(shape, x);
    if (p < 0.5) {
      return -Math.log1p(-p);
    }
    double q = RegularizedGamma.Q.value(shape, x);
    return q > FAINT ? -Math.log(q) : far(shape, x);
  }

  /** −ln Q(shape, x), x far above shape. */
  private static double far(double shape, double x) {
    return x - shape * Math.log(x) + LogGamma.value(shape) - Math.log(fraction(shape, x));
  }

  /**
   * Legendre's fraction 1/(x+1−a− 1(1−a)/(x+3−a− 2(2−a)/(x+5−a− …))), which is Γ(a,x) e^x x^−a, by
   * the method of Lentz.
   */
  private static double fraction(double shape, double x) {
    double b = x + 1 - shape;
    double c = Double.POSITIVE_INFINITY;
    double d = 1 / b;
    double value = d;
    for (int i = 1; i < STEPS; i++) {
      double a = -i * (i - shape);
      b += 2;
      d = 1 / (a * d + b);
      c = b + a / c;
      double factor = c * d;
      value *= factor;
      if (Math.abs(factor - 1) < 1e-16) {
        break;
      }
    }
    return value;
  }

  /**
   * The x with {@code at(shape, x) == h}.
   *
   * <p>Newton on ln H as a function of ln x, which is nearly straight at both ends (slope shape at
   * the lower, 1 at the upper end) and bends one way only, so that it converges from anywhere; the
   * bracket is for the steps that rounding or underflow spoil.
   */
  static double inverse(double shape, double h) {
    if (h == Double.POSITIVE_INFINITY) {
      return h;
    }
    double low = Double.NEGATIVE_INFINITY;
    double high = Double.POSITIVE_INFINITY;
    double u = start(shape, h);
    for (int step = 0; step < STEPS; step++) {
      double x = Math.exp(u);
      double hazard = at(shape, x);
      if (hazard < h) {
        low = u;
      } else {
        high = u;
      }
      double next = u - Math.log(hazard / h) * hazard / slope(shape, x, hazard);
      if (!(next >= low && next <= high)) {
        next = between(low, high);
      }
      if (Math.abs(next - u) <= 4 * Math.ulp(Math.max(1, Math.abs(u)))) {
        return Math.exp(next);
      }
      u = next;
    }
    return Math.exp(u);
  }

  /** dH / d ln x: x times density over survival. */
  private static double slope(double shape, double x, double hazard) {
    double log = shape * Math.log(x) - x - LogGamma.value(shape) + hazard;
    return Math.exp(log);
  }

  /** ln x from the first term of the series, which is exact for small h. */
  private static double start(double shape, double h) {
    double small = (Math.log(-Math.expm1(-h)) + LogGamma.value(shape + 1)) / shape;
    return h > shape + 1 ? Math.log(h) : small;
  }

  private static double between(double low, double high) {
    if (low == Double.NEGATIVE_INFINITY) {
      return high - 1;
    }
    return high == Double.POSITIVE_INFINITY ? low + 1 : (low + high) / 2;
  }
}
