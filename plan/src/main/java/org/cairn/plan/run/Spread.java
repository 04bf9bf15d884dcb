// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.run;

import java.util.Arrays;
import java.util.Optional;
import java.util.stream.DoubleStream;

/**
 * How something is spread.
 *
 * @param count how many values
 * @param min the least
 * @param mean the mean
 * @param median the one in the middle, or the mean of the two there
 * @param max the greatest
 */
public record Spread(int count, double min, double mean, double median, double max) {

  /** Of these values, of which those that are not finite are left out; empty if none is left. */
  public static Optional<Spread> of(DoubleStream values) {
    double[] sorted = values.filter(Double::isFinite).sorted().toArray();
    int count = sorted.length;
    if (count == 0) {
      return Optional.empty();
    }
    double median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    double mean = Arrays.stream(sorted).sum() / count;
    return Optional.of(new Spread(count, sorted[0], mean, median, sorted[count - 1]));
  }
}
