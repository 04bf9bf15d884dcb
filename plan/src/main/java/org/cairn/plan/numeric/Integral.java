// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.numeric;

import java.util.function.DoubleUnaryOperator;

/**
 * Integrals of functions that may rise like a root at one end, such as survival of many sockets.
 */
public final class Integral {
  private static final double TOLERANCE = 1e-13;
  private static final int DEEPEST = 12;
  private static final double EDGE = 3.2;

  private Integral() {}

  /**
   * The integral from 0 to {@code end}, by double-exponential quadrature (Takahasi and Mori 1974):
   * after the substitution the ends weigh nothing, so that a singular derivative there does no
   * harm, and each halving of the step doubles the number of correct digits.
   */
  public static double fromZero(DoubleUnaryOperator function, double end) {
    double step = 1;
    double sum = ordinates(function, end, step, 0, step);
    double integral = sum * step;
    for (int level = 1; level <= DEEPEST; level++) {
      sum += ordinates(function, end, step, step / 2, step);
      step /= 2;
      double before = integral;
      integral = sum * step;
      if (level > 3 && Math.abs(integral - before) <= TOLERANCE * Math.abs(integral)) {
        break;
      }
    }
    return integral;
  }

  private static double ordinates(
      DoubleUnaryOperator function, double end, double step, double first, double distance) {
    double sum = first == 0 ? ordinate(function, end, 0) : 0;
    for (double u = first == 0 ? distance : first; u <= EDGE + step; u += distance) {
      sum += ordinate(function, end, u) + ordinate(function, end, -u);
    }
    return sum;
  }

  private static double ordinate(DoubleUnaryOperator function, double end, double u) {
    double q = Math.exp(-Math.PI * Math.sinh(u));
    double share = 1 / (1 + q); // (1 + tanh(π/2 sinh u)) / 2, exact towards 0
    double weight = Math.PI * Math.cosh(u) * q * share * share;
    if (weight == 0 || Double.isNaN(weight) || share == 0) {
      return 0;
    }
    return end * weight * function.applyAsDouble(end * share);
  }
}
