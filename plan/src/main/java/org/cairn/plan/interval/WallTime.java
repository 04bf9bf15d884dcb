// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.interval;

import org.cairn.plan.Checks;

/**
 * What a run costs, and where the time goes. Failures are exponential, may strike checkpoints and
 * restarts, and throw the run back to the last complete checkpoint (Daly 2006; equation 2.1 of
 * Ferreira 2011):
 *
 * <pre>T_w = M e^(R/M) (e^((τ+δ)/M) − 1) T_s / τ</pre>
 *
 * <p>The split of what is lost is exact, too. A segment of length {@code L = τ + δ} fails {@code f
 * = e^(L/M) − 1} times on average before it succeeds once; it spends {@code f M} in all, of which
 * {@code L} is the successful pass, so that {@code f M − L} is computed in vain; each failure costs
 * a restart, which with its own failures takes {@code M (e^(R/M) − 1)}. The three parts and the
 * work add up to the formula above.
 *
 * @param work seconds of useful computation, T_s
 * @param checkpoint seconds spent in checkpoints that were completed
 * @param rework seconds computed or written in vain, because a failure came first
 * @param restart seconds spent in restarts, failed ones included
 * @param interrupts mean number of interrupts, those during restarts included
 */
public record WallTime(
    double work, double checkpoint, double rework, double restart, double interrupts) {

  /**
   * The expectation for a long run: {@code work / interval} segments, which need not be a whole
   * number. A run that is shorter than the interval is one segment: nobody computes for longer than
   * the work before the last checkpoint.
   */
  public static WallTime expected(Conditions conditions, double work, double interval) {
    Checks.positive(work, "the time of the work");
    Checks.positive(interval, "the interval");
    double length = Math.min(work, interval);
    return segments(conditions, work / length, length);
  }

  /**
   * The expectation for a run that checkpoints after every interval and at its end: whole segments,
   * and a last one with what remains. This is what a simulation of the run agrees with.
   */
  public static WallTime ofSchedule(Conditions conditions, double work, double interval) {
    Checks.positive(work, "the time of the work");
    Checks.positive(interval, "the interval");
    double whole = Math.floor(work / interval * (1 + 1e-12));
    double rest = work - whole * interval;
    WallTime first = segments(conditions, whole, interval);
    return rest <= interval * 1e-9 ? first : first.plus(segments(conditions, 1, rest));
  }

  private static WallTime segments(Conditions conditions, double count, double interval) {
    double mtti = conditions.mtti();
    double length = interval + conditions.checkpoint();
    double failures = Math.expm1(length / mtti);
    double recoveries = Math.exp(conditions.restart() / mtti);
    return new WallTime(
        count * interval,
        count * conditions.checkpoint(),
        count * lost(length, mtti),
        count * failures * mtti * (recoveries - 1),
        count * failures * recoveries);
  }

  /** {@code M (e^(L/M) − 1) − L}, which for short segments is close to {@code L²/2M}. */
  private static double lost(double length, double mtti) {
    double x = length / mtti;
    return x < 1e-4 ? mtti * x * x * (0.5 + x / 6) : mtti * Math.expm1(x) - length;
  }

  private WallTime plus(WallTime other) {
    return new WallTime(
        work + other.work,
        checkpoint + other.checkpoint,
        rework + other.rework,
        restart + other.restart,
        interrupts + other.interrupts);
  }

  /** T_w. Infinite where the machine fails too often for any number. */
  public double total() {
    return work + checkpoint + rework + restart;
  }

  /** What part of the time is useful. */
  public double efficiency() {
    return work / total();
  }

  /** All that is not useful, in seconds. */
  public double waste() {
    return checkpoint + rework + restart;
  }
}
