// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.numeric;

/** Lambert's function, where the optimal checkpoint interval needs it. */
public final class LambertW {
  private static final int STEPS = 60;

  /** Here the root is so close to 1 that its distance has but one term. */
  private static final double FAR = 30;

  private LambertW() {}

  /**
   * {@code 1 + W₀(−e^(−1−d))} for {@code d ≥ 0}. Close to the branch point the textbook form loses
   * half of its digits to the rounding of its argument, and that is where every sensible interval
   * lies. So this solves {@code x + ln(1 − x) = −d}, the same equation with {@code x = 1 + W}, by
   * Newton's method on a side where it cannot overshoot.
   */
  public static double onePlusAtBranch(double d) {
    if (!(d >= 0)) {
      throw new IllegalArgumentException("Lambert's W is asked for d = " + d + "; it must be >= 0");
    }
    if (d == 0) {
      return 0;
    }
    if (d > FAR) {
      return -Math.expm1(-1 - d);
    }
    // A lower bound: −(x + ln(1 − x)) >= x² / 2, and from d = 1 on the root is close to 1.
    double x = d < 1 ? Math.min(Math.sqrt(2 * d), 0.9) : -Math.expm1(-1 - d);
    for (int i = 0; i < STEPS; i++) {
      double next = x - (excess(x) + d) * (1 - x) / -x;
      if (!(next > 0)) {
        next = x / 2;
      } else if (next >= 1) {
        next = (1 + x) / 2;
      }
      if (Math.abs(next - x) <= 1e-16 * x) {
        return next;
      }
      x = next;
    }
    return x;
  }

  /** {@code x + ln(1 − x)}, without the cancellation for small {@code x}. */
  private static double excess(double x) {
    if (x > 0.05) {
      return x + Math.log1p(-x);
    }
    double sum = 0;
    double power = x;
    for (int k = 2; k < 20; k++) {
      power *= x;
      sum -= power / k;
    }
    return sum;
  }
}
