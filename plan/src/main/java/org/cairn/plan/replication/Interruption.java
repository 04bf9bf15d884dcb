// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.replication;

import java.util.function.DoubleUnaryOperator;
import org.cairn.plan.Checks;
import org.cairn.plan.numeric.Integral;

/**
 * When a job with replicas is interrupted: as soon as one process has lost all of its replicas.
 *
 * <p>With cumulative hazard {@code H(t)} of a socket, a process of {@code r} replicas lives with
 * probability {@code 1 − (1 − e^−H)^r}, and the job while all of them do; the integral of that is
 * the mean time to interrupt, for any distribution and any mixture of replicated and single
 * processes. For exponential failures it has a simple consequence: failures strike all sockets at a
 * constant rate, dead processes too, so that their mean number up to the interrupt is the mean time
 * multiplied by that rate (Wald).
 */
public final class Interruption {
  /** Where this little survives, nothing more is to be integrated. */
  private static final double NEGLIGIBLE = -45;

  private static final double EXPANDED = 500;

  private Interruption() {}

  /**
   * The mean number of failures to interruption of {@code b} pairs: {@code 1 + 4^b / C(2b, b)}.
   * Failures may strike processes that are dead already, and change nothing then; that is what
   * makes it larger than the birthday count of {@code b} bins.
   */
  public static double failuresOfPairs(double pairs) {
    if (!(pairs > 0)) {
      throw new IllegalArgumentException(
          "the number of pairs is " + pairs + "; there must be at least 1");
    }
    return 1 + inverseCentralBinomial(pairs);
  }

  /**
   * {@code 4^b / C(2b, b) = √π Γ(b + 1) / Γ(b + 1/2)}, which is defined between whole numbers too.
   * From its expansion for large {@code b}, and down from there by {@code f(b) = f(b+1) (b+1/2) /
   * (b+1)}: quotients of gamma functions from a library are five digits worse.
   */
  private static double inverseCentralBinomial(double b) {
    double factor = 1;
    double n = b;
    for (; n < EXPANDED; n++) {
      factor *= (n + 0.5) / (n + 1);
    }
    double series = 1 + (1 + (1 - (5 + 21 / (4 * 8 * n)) / (8 * n)) / (16 * n)) / (8 * n);
    return factor * Math.sqrt(Math.PI * n) * series;
  }

  /** The mean number of failures to interruption of any mixture, exponential failures. */
  public static double failures(int degree, double replicated, double single) {
    if (degree == 1) {
      return 1;
    }
    if (degree == 2 && single == 0) {
      return failuresOfPairs(replicated);
    }
    double sockets = degree * replicated + single;
    return sockets * meanTime(time -> time, degree, replicated, single);
  }

  /**
   * The mean time to interrupt.
   *
   * @param hazard the cumulative hazard of a socket, {@code −ln} of its survival
   * @param degree replicas of each replicated process
   * @param replicated processes with that many replicas
   * @param single processes with one
   */
  public static double meanTime(
      DoubleUnaryOperator hazard, int degree, double replicated, double single) {
    Checks.some(degree, "the number of replicas");
    if (!(replicated + single > 0)) {
      throw new IllegalArgumentException("there are no processes");
    }
    DoubleUnaryOperator survival =
        time -> Math.exp(logSurvival(hazard.applyAsDouble(time), degree, replicated, single));
    return Integral.fromZero(survival, end(hazard, degree, replicated, single));
  }

  private static double logSurvival(double hazard, int degree, double replicated, double single) {
    double all = Math.pow(-Math.expm1(-hazard), degree);
    double lives = all < 0.5 ? Math.log1p(-all) : logOfOneMinusPower(hazard, degree);
    return (replicated == 0 ? 0 : replicated * lives) - single * hazard;
  }

  /** {@code ln(1 − (1 − q)^r)} for small {@code q = e^−H}, without 1 − 1 = 0. */
  private static double logOfOneMinusPower(double hazard, int degree) {
    return Math.log(-Math.expm1(degree * Math.log1p(-Math.exp(-hazard))));
  }

  private static double end(
      DoubleUnaryOperator hazard, int degree, double replicated, double single) {
    DoubleUnaryOperator log =
        time -> logSurvival(hazard.applyAsDouble(time), degree, replicated, single);
    double end = 1;
    while (log.applyAsDouble(end) > NEGLIGIBLE && end < 1e300) {
      end *= 2;
    }
    while (log.applyAsDouble(end / 2) < NEGLIGIBLE && end > 1e-300) {
      end /= 2;
    }
    return end;
  }
}
