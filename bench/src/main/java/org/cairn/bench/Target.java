// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One line of the result: a ratio, and the bound it must keep.
 *
 * @param file the file it was measured on: fresh, aged, or none
 * @param name what was measured
 * @param definition how the ratio is defined
 * @param measured what was measured, with its unit
 * @param baseline what it is compared with, with its unit
 * @param ratio the median of the ratios of all repetitions
 * @param spread half the distance between the quartiles of those ratios
 * @param best the best of what was measured / the best of the baseline: on a machine with other
 *     work it says more about Cairn than the median does
 * @param bound what the ratio may be, or null if this line is for information
 */
record Target(
    String file,
    String name,
    String definition,
    String measured,
    String baseline,
    double ratio,
    double spread,
    double best,
    @Nullable Bound bound) {

  /** What a ratio may be. */
  record Bound(double limit, boolean atLeast) {
    static Bound atMost(double limit) {
      return new Bound(limit, false);
    }

    static Bound atLeast(double limit) {
      return new Bound(limit, true);
    }

    boolean keeps(double ratio) {
      return atLeast ? ratio >= limit : ratio <= limit;
    }

    @Override
    public String toString() {
      return (atLeast ? "≥ " : "≤ ") + number(limit);
    }
  }

  /** Whether the bound is kept; always, if there is none. */
  boolean passed() {
    return bound == null || bound.keeps(ratio);
  }

  String verdict() {
    return bound == null ? "" : passed() ? "PASS" : "MISS";
  }

  /** Three digits that mean something, without an exponent. */
  static String number(double value) {
    double size = Math.abs(value);
    String format = size == 0 || size >= 0.1 ? "%.2f" : size >= 0.01 ? "%.3f" : "%.4f";
    return String.format(Locale.ROOT, format, value);
  }
}
