// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.numeric;

import java.util.function.DoubleUnaryOperator;

/** Where a function of one variable is least. */
public final class Minimum {
  private static final double GOLDEN = (Math.sqrt(5) - 1) / 2;

  private Minimum() {}

  /**
   * The place of the least value between two positive ends, for a function that falls and then
   * rises; by golden sections of the logarithm, because times span many decades. Values that are
   * not numbers count as infinite.
   */
  public static double onLogScale(DoubleUnaryOperator function, double from, double to) {
    double low = Math.log(from);
    double high = Math.log(to);
    double left = high - GOLDEN * (high - low);
    double right = low + GOLDEN * (high - low);
    double atLeft = value(function, left);
    double atRight = value(function, right);
    // Beyond this, differences of the values drown in rounding.
    while (high - low > 1e-9) {
      if (atLeft <= atRight) {
        high = right;
        right = left;
        atRight = atLeft;
        left = high - GOLDEN * (high - low);
        atLeft = value(function, left);
      } else {
        low = left;
        left = right;
        atLeft = atRight;
        right = low + GOLDEN * (high - low);
        atRight = value(function, right);
      }
    }
    return Math.exp((low + high) / 2);
  }

  private static double value(DoubleUnaryOperator function, double logarithm) {
    double value = function.applyAsDouble(Math.exp(logarithm));
    return Double.isNaN(value) ? Double.POSITIVE_INFINITY : value;
  }
}
