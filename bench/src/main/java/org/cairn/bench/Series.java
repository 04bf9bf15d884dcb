// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.util.Arrays;
import java.util.function.DoubleBinaryOperator;

/**
 * Repetitions of one measurement. Medians and quartiles rather than means: a machine that is busy
 * for a moment spoils one repetition, not the result.
 */
record Series(double[] values) {
  Series {
    if (values.length == 0) {
      throw new IllegalArgumentException("a series without a measurement");
    }
    values = values.clone();
  }

  static Series of(double... values) {
    return new Series(values);
  }

  double median() {
    return quantile(0.5);
  }

  double least() {
    return quantile(0);
  }

  /** Half the distance between the quartiles: what is behind the ± in tables. */
  double spread() {
    return (quantile(0.75) - quantile(0.25)) / 2;
  }

  /** Between the values next to it, linear. */
  double quantile(double share) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    double place = share * (sorted.length - 1);
    int below = (int) place;
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  }

  /** Adds repetition by repetition, for baselines that consist of several parts. */
  Series plus(Series other) {
    return with(other, Double::sum);
  }

  /** Divides repetition by repetition: both were measured at about the same time. */
  Series over(Series baseline) {
    return with(baseline, (mine, base) -> mine / base);
  }

  /** The same, where a difference came out below what can be. */
  Series atLeast(double least) {
    return new Series(Arrays.stream(values).map(value -> Math.max(least, value)).toArray());
  }

  Series times(double factor) {
    return new Series(Arrays.stream(values).map(value -> value * factor).toArray());
  }

  private Series with(Series other, DoubleBinaryOperator operator) {
    if (values.length != other.values.length) {
      throw new IllegalArgumentException(
          values.length + " repetitions against " + other.values.length);
    }
    double[] result = new double[values.length];
    for (int i = 0; i < result.length; i++) {
      result[i] = operator.applyAsDouble(values[i], other.values[i]);
    }
    return new Series(result);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Series series && Arrays.equals(values, series.values);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values);
  }

  @Override
  public String toString() {
    return Arrays.toString(values);
  }
}
