// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.time.Duration;

/** How long to compute between two checkpoints. */
public sealed interface Interval {

  /**
   * The time to compute before the next checkpoint.
   *
   * @param cost what the last checkpoints cost the program, on average
   */
  Duration next(Duration cost);

  /** Always the same time. */
  record Fixed(Duration time) implements Interval {
    /** Refuses what is not positive. */
    public Fixed {
      requirePositive(time, "interval");
    }

    @Override
    public Duration next(Duration cost) {
      return time;
    }
  }

  /**
   * Daly's higher-order optimum for a mean time between failures (Daly 2006, equation 37): {@code
   * √(2δM) (1 + ⅓ √(δ/2M) + ⅑ δ/2M) − δ} for {@code δ < 2M}, otherwise {@code M}.
   */
  record Daly(Duration meanTimeBetweenFailures) implements Interval {
    /** Refuses what is not positive. */
    public Daly {
      requirePositive(meanTimeBetweenFailures, "MTBF");
    }

    @Override
    public Duration next(Duration cost) {
      return seconds(optimum(cost.toNanos() * 1e-9, meanTimeBetweenFailures.toNanos() * 1e-9));
    }

    /** The optimum in the unit of its arguments. */
    public static double optimum(double cost, double mtbf) {
      if (cost >= 2 * mtbf) {
        return mtbf;
      }
      double ratio = cost / (2 * mtbf);
      return Math.sqrt(2 * cost * mtbf) * (1 + Math.sqrt(ratio) / 3 + ratio / 9) - cost;
    }

    private static Duration seconds(double value) {
      return Duration.ofNanos((long) Math.min(value * 1e9, Long.MAX_VALUE));
    }
  }

  private static void requirePositive(Duration time, String what) {
    if (time.isNegative() || time.isZero()) {
      throw new IllegalArgumentException(what + " of " + time + "; it must be positive");
    }
  }
}
