// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.run;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.cairn.checkpoint.CostModel;
import org.cairn.plan.Checks;
import org.cairn.plan.differential.Comparison;
import org.cairn.plan.interval.Conditions;
import org.cairn.plan.interval.IntervalRule;
import org.cairn.plan.interval.WallTime;
import org.cairn.plan.multilevel.BestPattern;
import org.cairn.plan.multilevel.Level;

/**
 * What a run's own events say about how it should go on.
 *
 * @param history what happened
 * @param mtti mean seconds between interrupts that the advice is for
 * @param conditions what checkpoints and restarts cost this run
 */
public record Advice(RunHistory history, double mtti, Conditions conditions) {

  /**
   * The advice for a run.
   *
   * @param mtti mean seconds between interrupts, if the caller knows better than the log of one run
   * @throws IllegalArgumentException if the run took no checkpoint, so that their cost is not known
   */
  public static Advice of(RunHistory history, OptionalDouble mtti) {
    Spread waited =
        history
            .waited()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "the run took no checkpoint, so what one costs is not known; let it run"
                            + " until the first"));
    double between = Checks.positive(mtti.orElseGet(() -> observed(history)), "the mean time");
    double cost = Math.max(waited.mean(), 1e-6);
    double restart = history.restarts().map(Spread::mean).orElse(cost);
    return new Advice(history, between, new Conditions(cost, restart, between));
  }

  private static double observed(RunHistory history) {
    Interruptions seen = history.interruptions();
    double time = seen.mean().orElseGet(seen::low);
    if (!(time > 0)) {
      throw new IllegalArgumentException(
          "the log covers no time yet, so how often the run is interrupted is not known; say it");
    }
    return time;
  }

  /** Seconds of computation between checkpoints that would be best. */
  public double bestInterval() {
    return IntervalRule.EXACT.interval(conditions);
  }

  /** Seconds of computation between checkpoints that the run used, on average. */
  public OptionalDouble usedInterval() {
    Optional<Spread> computation = history.computation();
    return computation.isPresent() && computation.get().mean() > 0
        ? OptionalDouble.of(computation.get().mean())
        : OptionalDouble.empty();
  }

  /** What so much work costs at an interval. */
  public WallTime wallTime(double work, double interval) {
    return WallTime.expected(conditions, work, interval);
  }

  /** Hashing against writing, where both were measured. */
  public Optional<Comparison> differential() {
    OptionalDouble hash = history.hashRate();
    OptionalDouble write = history.writeRate();
    return hash.isPresent()
            && write.isPresent()
            && hash.getAsDouble() > 0
            && write.getAsDouble() > 0
        ? Optional.of(
            new Comparison(hash.getAsDouble(), write.getAsDouble(), CostModel.PASSES_HERE))
        : Optional.empty();
  }

  /**
   * How often a further tier should be used, if the program waited for it.
   *
   * @param tier a tier that the run used
   * @param severe what part of the interrupts needs that tier, because a node is lost with its disk
   */
  public Optional<BestPattern> withTier(TierUse tier, double severe) {
    Checks.share(severe, "the part of severe failures");
    return tier.seconds()
        .filter(seconds -> seconds.mean() > 0)
        .map(
            seconds ->
                BestPattern.of(
                    List.of(
                        new Level(
                            "local",
                            (1 - severe) / mtti,
                            conditions.checkpoint(),
                            conditions.restart()),
                        new Level(
                            tier.tier(),
                            severe / mtti,
                            conditions.checkpoint() + seconds.mean(),
                            conditions.restart() + seconds.mean()))));
  }
}
