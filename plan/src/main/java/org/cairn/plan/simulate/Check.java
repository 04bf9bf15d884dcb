// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

/** Refusals of bad numbers, in sentences. Written so that NaN is refused too. */
final class Check {
  private Check() {}

  static void positive(String what, double value) {
    if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(what + " must be positive and finite: " + value);
    }
  }

  static void notNegative(String what, double value) {
    if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(what + " must be 0 or more, and finite: " + value);
    }
  }

  static void share(String what, double value) {
    if (!(value >= 0 && value <= 1)) {
      throw new IllegalArgumentException(what + " must be from 0 to 1: " + value);
    }
  }

  static void atLeastOne(String what, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(what + " must be 1 or more: " + value);
    }
  }

  static void samples(String what, double[] values) {
    if (values.length == 0) {
      throw new IllegalArgumentException(what + " are drawn from a list, but it is empty");
    }
    for (double value : values) {
      notNegative("each of the " + what, value);
    }
  }
}
