// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** Numbers as they are written on an axis, the same under every locale. */
final class Numbers {
  private static final String SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

  private Numbers() {}

  /** A tick of a logarithmic axis: 10,000 if that is short enough for all of them, or 10⁴. */
  static String log(double value, int digit, int exponent, boolean plain) {
    if (plain) {
      return grouped(BigDecimal.valueOf(value), Math.max(0, -exponent));
    }
    return (digit == 1 ? "" : digit + "×") + "10" + superscript(exponent);
  }

  /** The {@code i}th step of a linear axis whose largest number is {@code largest}. */
  static String linear(long i, double step, double largest) {
    BigDecimal exact = BigDecimal.valueOf(step).multiply(BigDecimal.valueOf(i));
    int exponent = (int) Math.floor(Math.log10(step) + 1e-9);
    if (largest >= 1e8 || exponent < -5) {
      BigDecimal mantissa = exact.scaleByPowerOfTen(-exponent);
      return i == 0 ? "0" : grouped(mantissa, 0) + "×10" + superscript(exponent);
    }
    return grouped(exact, Math.max(0, -exponent));
  }

  /** A value with four digits at most, in full. */
  static String short4(double value) {
    if (value == 0) {
      return "0";
    }
    double size = Math.abs(value);
    if (size < 1e-3 || size >= 1e7) {
      return String.format(Locale.ROOT, "%.3g", value);
    }
    BigDecimal exact = new BigDecimal(value, new MathContext(4)).stripTrailingZeros();
    return grouped(exact, Math.max(0, exact.scale()));
  }

  private static String grouped(BigDecimal value, int decimals) {
    return String.format(
        Locale.ROOT, "%,." + decimals + "f", value.setScale(decimals, RoundingMode.HALF_EVEN));
  }

  private static String superscript(int exponent) {
    StringBuilder text = new StringBuilder(exponent < 0 ? "⁻" : "");
    for (char digit : Integer.toString(Math.abs(exponent)).toCharArray()) {
      text.append(SUPERSCRIPTS.charAt(digit - '0'));
    }
    return text.toString();
  }
}
