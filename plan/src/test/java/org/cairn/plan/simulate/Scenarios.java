// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.cairn.plan.failure.Lifetime;

/** Scenarios of tests, and how they are run. */
final class Scenarios {
  /** Of every test that does not say another one. */
  static final long SEED = 20261115;

  private Scenarios() {}

  static List<Level> level(double cost, double restart) {
    return List.of(new Level("disk", 1, new CheckpointCost.Fixed(cost), restart));
  }

  static FailureModel exponential(double mean, int sockets) {
    return new FailureModel.PerSocket(Lifetime.exponential(mean), sockets);
  }

  /** One level, no replicas, a checkpoint at the end, never given up. */
  static Scenario plain(
      double work, double interval, double cost, double restart, FailureModel failures) {
    return new Scenario(
        work,
        interval,
        level(cost, restart),
        new int[0],
        failures,
        Replicas.NONE,
        true,
        Double.POSITIVE_INFINITY);
  }

  static Scenario replicated(
      double work, double interval, FailureModel failures, Replicas replicas) {
    return new Scenario(
        work,
        interval,
        level(0, 0),
        new int[0],
        failures,
        replicas,
        true,
        Double.POSITIVE_INFINITY);
  }

  static Simulation run(Scenario scenario, int trials) {
    return Simulator.run(scenario, trials, SEED, 2, done -> {});
  }

  /**
   * The expectation is where the simulation says, at a confidence of 99.9 %, and the simulation is
   * precise. (At the 95 % of {@link Estimate#halfWidth}, one in twenty correct checks would fail.)
   */
  static void assertAgrees(Estimate estimate, double expected, double precision) {
    assertThat(estimate.halfWidth()).isLessThan(precision * expected);
    assertThat(Math.abs(estimate.mean() - expected))
        .as("seed %d: %s, expected %s", SEED, estimate, expected)
        .isLessThan(3.29 / 1.96 * estimate.halfWidth());
  }
}
