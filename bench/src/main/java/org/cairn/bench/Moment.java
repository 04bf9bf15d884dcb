// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.cairn.bench.Target.Bound;
import org.jspecify.annotations.Nullable;

/**
 * One line of the result: a ratio of medians, with the interval that holds it nineteen times of
 * twenty, and how busy others kept the machine meanwhile.
 *
 * @param name what was measured
 * @param measured the median of it
 * @param baseline the median of what it is compared with
 * @param ratio the one by the other
 * @param low where the interval of 95 % begins
 * @param high where it ends
 * @param others how many cores others had; not a number where nobody knows
 * @param bound what the ratio may be, or null if this line is for information
 */
record Moment(
    String name,
    double measured,
    double baseline,
    double ratio,
    double low,
    double high,
    double others,
    @Nullable Bound bound) {
  private static final int DRAWS = 2_000;

  /** Times, against times of the same run; the interval by drawing from them again and again. */
  static Moment of(
      String name, Series measured, Series baseline, double others, @Nullable Bound bound) {
    SplittableRandom random = new SplittableRandom(95);
    double[] ratios = new double[DRAWS];
    for (int i = 0; i < DRAWS; i++) {
      ratios[i] = drawn(measured, random).median() / drawn(baseline, random).median();
    }
    Series drawn = new Series(ratios);
    double ratio = measured.median() / baseline.median();
    return new Moment(
        name,
        measured.median(),
        baseline.median(),
        ratio,
        Math.min(ratio, drawn.quantile(0.025)),
        Math.max(ratio, drawn.quantile(0.975)),
        others,
        bound);
  }

  private static Series drawn(Series series, SplittableRandom random) {
    double[] values = series.values();
    return new Series(
        Arrays.stream(values).map(_ -> values[random.nextInt(values.length)]).toArray());
  }

  /** Whether others had too much of the machine for this to mean anything. */
  boolean isVoid() {
    return bound != null && others > OtherWork.MOST;
  }

  /** Whether the bound is kept, which what is void does not; always, if there is none. */
  boolean passed() {
    return bound == null || (!isVoid() && bound.keeps(ratio));
  }

  String verdict() {
    return bound == null ? "" : isVoid() ? "VOID" : passed() ? "PASS" : "MISS";
  }
}
