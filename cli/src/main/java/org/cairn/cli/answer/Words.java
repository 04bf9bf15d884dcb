// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.answer;

import java.util.Locale;
import org.cairn.cli.terminal.Quantities;

/** Numbers as an answer says them: three or four digits that mean something, and a unit. */
public final class Words {
  private static final String ENDLESS = "∞";
  private static final double DAY = 86400;
  private static final double YEAR = 365 * DAY;

  private Words() {}

  /** A time of any length: {@code 12.3 s}, {@code 1 h 57 min}, {@code 21.4 d}, {@code 5.00 y}. */
  public static String time(double seconds) {
    if (Double.isInfinite(seconds) || seconds > 1e6 * YEAR) {
      return "practically for ever";
    }
    if (seconds > 0 && seconds < 1e-6) {
      return threeDigits(seconds * 1e9) + " ns";
    }
    if (seconds < 3600) {
      return Quantities.seconds(seconds);
    }
    if (seconds < 100 * 3600) {
      long minutes = Math.round(seconds / 60);
      return minutes / 60 + " h " + minutes % 60 + " min";
    }
    if (seconds < 1000 * 3600) {
      return threeDigits(seconds / 3600) + " h";
    }
    return seconds < 2 * YEAR
        ? threeDigits(seconds / DAY) + " d"
        : threeDigits(seconds / YEAR) + " y";
  }

  /** What follows a mean: {@code ± 12.3 s}, or nothing where one trial alone tells no range. */
  public static String plusMinus(double halfWidth) {
    return Double.isInfinite(halfWidth) ? "" : " ± " + time(halfWidth);
  }

  /** A part: {@code 91.3 %}. */
  public static String percent(double share) {
    if (Double.isInfinite(share)) {
      return ENDLESS + " %";
    }
    double percent = share * 100;
    if (percent != 0 && Math.abs(percent) < 0.01) {
      return "< 0.01 %";
    }
    return String.format(Locale.ROOT, Math.abs(percent) < 1 ? "%.2f %%" : "%.1f %%", percent);
  }

  /** A number of things, with a fraction only where it matters. */
  public static String count(double value) {
    if (Double.isInfinite(value)) {
      return ENDLESS;
    }
    if (value > 0 && value < 0.0005) {
      return "< 0.001";
    }
    if (Math.abs(value) >= 1e15) {
      return String.format(Locale.ROOT, "%.3g", value);
    }
    return Math.abs(value) >= 100 || value == Math.rint(value)
        ? String.format(Locale.ROOT, "%,d", Math.round(value))
        : String.format(Locale.ROOT, "%.3f", value).replaceFirst("\\.?0+$", "");
  }

  /** Any number, with six digits behind the point where it is not large. */
  public static String number(double value) {
    if (Double.isInfinite(value)) {
      return ENDLESS;
    }
    double size = Math.abs(value);
    if (size != 0 && (size < 1e-3 || size >= 1e9)) {
      return String.format(Locale.ROOT, "%.6g", value);
    }
    return String.format(Locale.ROOT, "%,.6f", value);
  }

  /** How often something happens: {@code 8.03e-3}, {@code 0}, {@code 1}. */
  public static String chance(double value) {
    if (value == 0 || value == 1) {
      return value == 0 ? "0" : "1";
    }
    return value >= 0.0995
        ? String.format(Locale.ROOT, "%.3f", value)
        : String.format(Locale.ROOT, "%.2e", value).replaceFirst("e([+-])0+(?=\\d)", "e$1");
  }

  /** Bytes a second, in powers of 1000, as storage is sold. */
  public static String rate(double bytesPerSecond) {
    String[] units = {"B/s", "KB/s", "MB/s", "GB/s", "TB/s", "PB/s"};
    double value = bytesPerSecond;
    int unit = 0;
    while (value >= 999.5 && unit < units.length - 1) {
      value /= 1000;
      unit++;
    }
    return threeDigits(value) + " " + units[unit];
  }

  private static String threeDigits(double value) {
    double size = Math.abs(value);
    int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    return String.format(Locale.ROOT, "%,." + decimals + "f", value);
  }
}
