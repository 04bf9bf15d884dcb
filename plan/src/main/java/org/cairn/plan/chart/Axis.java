// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.util.OptionalDouble;

/**
 * One axis of a {@link Chart}.
 *
 * @param label what is measured
 * @param unit in what; empty if it is a plain number. An axis in "%" shows 0 to 100 unless told
 *     otherwise
 * @param logarithmic whether equal distances are equal ratios
 * @param min where the axis begins; if absent, the data decide
 * @param max where the axis ends; if absent, the data decide
 */
public record Axis(
    String label, String unit, boolean logarithmic, OptionalDouble min, OptionalDouble max) {
  /** Checks that the axis can be drawn at all. */
  public Axis {
    check(label, logarithmic, min);
    check(label, logarithmic, max);
    if (min.isPresent() && max.isPresent() && min.getAsDouble() >= max.getAsDouble()) {
      throw new IllegalArgumentException(
          "Axis "
              + label
              + " begins at "
              + min.getAsDouble()
              + ", which is not below its end, "
              + max.getAsDouble());
    }
  }

  /** An equally spaced axis that fits the data. */
  public static Axis linear(String label, String unit) {
    return new Axis(label, unit, false, OptionalDouble.empty(), OptionalDouble.empty());
  }

  /** A logarithmic axis that fits the data. */
  public static Axis log(String label, String unit) {
    return new Axis(label, unit, true, OptionalDouble.empty(), OptionalDouble.empty());
  }

  /** The same axis from {@code from} to {@code to}. */
  public Axis between(double from, double to) {
    return new Axis(label, unit, logarithmic, OptionalDouble.of(from), OptionalDouble.of(to));
  }

  /** The label as it is drawn; it says so where the axis does not begin at 0. */
  String caption(Scale scale) {
    String caption = unit.isEmpty() ? label : label + " (" + unit + ")";
    if (logarithmic) {
      return caption + ", logarithmic";
    }
    return scale.min() > 0 ? caption + ", axis begins at " + Numbers.short4(scale.min()) : caption;
  }

  /** Whether it shows 0 to 100 whatever the data. */
  boolean isPercent() {
    return unit.equals("%") && !logarithmic;
  }

  /** Whether the axis has a place for the value. */
  boolean shows(double value) {
    return Double.isFinite(value) && !(logarithmic && value <= 0);
  }

  private static void check(String label, boolean logarithmic, OptionalDouble bound) {
    if (bound.isEmpty()) {
      return;
    }
    double value = bound.getAsDouble();
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("Axis " + label + " has " + value + " as an end");
    }
    if (logarithmic && value <= 0) {
      throw new IllegalArgumentException(
          "Axis " + label + " is logarithmic; its ends must be above 0, and one is " + value);
    }
  }
}
