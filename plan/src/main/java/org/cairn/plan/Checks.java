// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan;

/** Refuses values that no model has an answer for, in words. */
public final class Checks {
  private Checks() {}

  /** A time, size or rate that must be more than nothing. */
  public static double positive(double value, String what) {
    if (!(value > 0)) {
      throw new IllegalArgumentException(what + " is " + value + "; it must be more than 0");
    }
    return finite(value, what);
  }

  /** A time or size that may be nothing. */
  public static double notNegative(double value, String what) {
    if (!(value >= 0)) {
      throw new IllegalArgumentException(what + " is " + value + "; it must not be negative");
    }
    return finite(value, what);
  }

  private static double finite(double value, String what) {
    if (Double.isInfinite(value)) {
      throw new IllegalArgumentException(what + " is " + value + "; it must be finite");
    }
    return value;
  }

  /** A part of a whole. */
  public static double share(double value, String what) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(what + " is " + value + "; it must be between 0 and 1");
    }
    return value;
  }

  /** A number of things of which there must be some. */
  public static long some(long value, String what) {
    if (value < 1) {
      throw new IllegalArgumentException(what + " is " + value + "; there must be at least 1");
    }
    return value;
  }

  /** Values to draw from: some, and none of them negative. */
  public static void samples(double[] values, String what) {
    if (values.length == 0) {
      throw new IllegalArgumentException(what + " are drawn from a list, but it is empty");
    }
    for (double value : values) {
      notNegative(value, "one of the " + what);
    }
  }
}
