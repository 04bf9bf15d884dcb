// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.util.ArrayList;
import java.util.List;

/**
 * Where the values of an axis lie, as a share of its length, and which of them are marked.
 *
 * @param min where the axis begins
 * @param max where it ends
 * @param logarithmic whether equal distances are equal ratios
 */
record Scale(double min, double max, boolean logarithmic) {
  /** A value that is marked on the axis; without a label it is a minor one. */
  record Tick(double value, String label) {
    boolean major() {
      return !label.isEmpty();
    }
  }

  /** Beyond this many decades a decade is so short that marks within it are a smear. */
  private static final int DECADES_WITH_MINOR_TICKS = 7;

  /** Up to this many decades 2 and 5 have labels too, if there is room. */
  private static final double DECADES_WITH_2_AND_5 = 2.8;

  /** Ticks at the very ends are kept in spite of rounding. */
  private static final double TOLERANCE = 1e-9;

  /** The scale of an axis that shows data from {@code low} to {@code high}. */
  static Scale of(Axis axis, double low, double high) {
    double from = axis.min().orElse(low);
    double to = axis.max().orElse(high);
    if (axis.isPercent()) {
      from = axis.min().orElse(Math.min(0, low));
      to = axis.max().orElse(Math.max(100, high));
    }
    if (from >= to) { // A single value, or data beyond the one end that was given.
      boolean fixedEnd = axis.max().isPresent() && axis.min().isEmpty();
      double base = fixedEnd ? to : from;
      double width = axis.logarithmic() ? 0 : (base == 0 ? 1 : Math.abs(base) / 2);
      from = fixedEnd || axis.min().isEmpty() ? lower(axis, base, width) : base;
      to = fixedEnd ? base : upper(axis, base, width);
    }
    return axis.logarithmic()
        ? new Scale(
            axis.min().isPresent() ? from : niceLog(from, from, to, false),
            axis.max().isPresent() ? to : niceLog(to, from, to, true),
            true)
        : new Scale(
            axis.min().isPresent() ? from : niceLinear(from, from, to, false),
            axis.max().isPresent() ? to : niceLinear(to, from, to, true),
            false);
  }

  private static double lower(Axis axis, double value, double width) {
    return axis.logarithmic() ? value / 3 : value - width;
  }

  private static double upper(Axis axis, double value, double width) {
    return axis.logarithmic() ? value * 3 : value + width;
  }

  /** The next 1, 2, 3 or 5 times a power of ten; over many decades, the next power of ten. */
  private static double niceLog(double value, double from, double to, boolean up) {
    int[] digits = Math.log10(to / from) > 3 ? new int[] {1, 10} : new int[] {1, 2, 3, 5, 10};
    int exponent = (int) Math.floor(Math.log10(value) + TOLERANCE);
    double best = up ? power(exponent + 1) : power(exponent);
    for (int digit : digits) {
      double candidate = digit * power(exponent);
      if (up && candidate >= value * (1 - TOLERANCE)) {
        return candidate;
      }
      if (!up && candidate <= value * (1 + TOLERANCE)) {
        best = candidate;
      }
    }
    return best;
  }

  private static double niceLinear(double value, double from, double to, boolean up) {
    double step = step(from, to, 8);
    double steps = value / step;
    return step * (up ? Math.ceil(steps - TOLERANCE) : Math.floor(steps + TOLERANCE));
  }

  /** The smallest 1, 2 or 5 times a power of ten that makes at most {@code most} steps. */
  private static double step(double from, double to, int most) {
    double raw = (to - from) / most;
    double decade = power((int) Math.floor(Math.log10(raw)));
    for (int digit : new int[] {1, 2, 5}) {
      if (digit * decade >= raw * (1 - TOLERANCE)) {
        return digit * decade;
      }
    }
    return 10 * decade;
  }

  /** Exact where {@code Math.pow} with a negative exponent is not. */
  private static double power(int exponent) {
    return Double.parseDouble("1e" + exponent);
  }

  /** 0 at the beginning of the axis, 1 at its end. */
  double position(double value) {
    if (logarithmic) {
      double begin = Math.log10(min);
      return (Math.log10(value) - begin) / (Math.log10(max) - begin);
    }
    return (value - min) / (max - min);
  }

  /** The value at a share of the length; the opposite of {@link #position}. */
  double value(double share) {
    return logarithmic ? min * Math.pow(max / min, share) : min + share * (max - min);
  }

  boolean contains(double value) {
    double position = position(value);
    return position >= -TOLERANCE && position <= 1 + TOLERANCE;
  }

  /**
   * The ticks of the axis.
   *
   * @param most how many labels there is room for
   */
  List<Tick> ticks(int most) {
    if (!logarithmic || Math.log10(max / min) < 0.7) {
      return linearTicks(most);
    }
    int first = (int) Math.floor(Math.log10(min) + TOLERANCE);
    int last = (int) Math.ceil(Math.log10(max) - TOLERANCE);
    int stride = Math.max(1, (int) Math.ceil((last - first) / (double) Math.max(1, most - 1)));
    boolean between =
        Math.log10(max / min) <= DECADES_WITH_2_AND_5 && most >= 3 * (last - first) + 1;
    boolean plain = min >= 0.9e-4 && max <= 1.1e6;
    List<Tick> ticks = new ArrayList<>();
    for (int exponent = first; exponent <= last; exponent++) {
      boolean labelled = Math.floorMod(exponent, stride) == 0;
      for (int digit = 1; digit <= 9; digit++) {
        double value = digit * power(exponent);
        boolean major = labelled && (digit == 1 || (between && (digit == 2 || digit == 5)));
        boolean minor = digit == 1 || last - first <= DECADES_WITH_MINOR_TICKS;
        if (contains(value) && (major || minor)) {
          ticks.add(new Tick(value, major ? Numbers.log(value, digit, exponent, plain) : ""));
        }
      }
    }
    return ticks;
  }

  private List<Tick> linearTicks(int most) {
    double step = step(min, max, Math.max(1, most - 1));
    List<Tick> ticks = new ArrayList<>();
    long first = (long) Math.ceil(min / step - TOLERANCE);
    long last = (long) Math.floor(max / step + TOLERANCE);
    for (long i = first; i <= last; i++) {
      ticks.add(new Tick(i * step, Numbers.linear(i, step, Math.max(Math.abs(min), max))));
    }
    return ticks;
  }
}
