// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.interval;

import org.cairn.Interval;
import org.cairn.plan.numeric.LambertW;

/**
 * Rules for the time to compute between two checkpoints, from the oldest to the exact one. They
 * minimise the same expected wall time ({@link WallTime}) with growing accuracy; they differ where
 * a checkpoint takes a good part of the time between interrupts.
 */
public enum IntervalRule {
  /** Young 1974: {@code √(2δM)}; only the first term, and the restart plays no role in it. */
  YOUNG("Young", "√(2δM)") {
    @Override
    double seconds(double checkpoint, double restart, double mtti) {
      return Math.sqrt(2 * checkpoint * mtti);
    }
  },

  /** The optimum of Daly's simplified cost function: {@code √(2δ(M+R))}. */
  DALY_FIRST("Daly, first order", "√(2δ(M+R))") {
    @Override
    double seconds(double checkpoint, double restart, double mtti) {
      return Math.sqrt(2 * checkpoint * (mtti + restart));
    }
  },

  /** Daly 2006, equation 37; equation 2.2 of Ferreira 2011. */
  DALY("Daly, higher order", "√(2δM) (1 + ⅓√(δ/2M) + ⅑ δ/2M) − δ") {
    @Override
    double seconds(double checkpoint, double restart, double mtti) {
      return Interval.Daly.optimum(checkpoint, mtti);
    }
  },

  /**
   * The root of the derivative of the expected wall time: {@code M (1 + W₀(−e^(−1−δ/M)))}. It does
   * not depend on the restart, which multiplies all intervals alike.
   */
  EXACT("exact", "M (1 + W₀(−e^(−1−δ/M)))") {
    @Override
    double seconds(double checkpoint, double restart, double mtti) {
      return mtti * LambertW.onePlusAtBranch(checkpoint / mtti);
    }
  };

  private final String title;
  private final String formula;

  IntervalRule(String title, String formula) {
    this.title = title;
    this.formula = formula;
  }

  abstract double seconds(double checkpoint, double restart, double mtti);

  /** Seconds to compute between two checkpoints. */
  public final double interval(Conditions conditions) {
    return seconds(conditions.checkpoint(), conditions.restart(), conditions.mtti());
  }

  /** What people call it. */
  public String title() {
    return title;
  }

  /** How it is written. */
  public String formula() {
    return formula;
  }
}
