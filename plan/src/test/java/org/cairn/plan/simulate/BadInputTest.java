// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;
import static org.cairn.plan.simulate.Scenarios.exponential;
import static org.cairn.plan.simulate.Scenarios.level;

import java.util.List;
import org.cairn.plan.failure.Failure;
import org.cairn.plan.failure.Lifetime;
import org.cairn.plan.failure.Trace;
import org.junit.jupiter.api.Test;

/** Refusals, each with a sentence and the value; and estimates of tiny samples. */
class BadInputTest {
  private static final FailureModel MODEL = exponential(100, 4);
  private static final double NEVER = Double.POSITIVE_INFINITY;

  private static void refused(String message, Runnable making) {
    assertThatIllegalArgumentException().isThrownBy(making::run).withMessage(message);
  }

  private static Scenario scenario(double work, double interval, double giveUp) {
    return new Scenario(
        work, interval, level(1, 1), new int[0], MODEL, Replicas.NONE, true, giveUp);
  }

  private static Scenario scenario(List<Level> levels, int... counts) {
    return new Scenario(10, 1, levels, counts, MODEL, Replicas.NONE, true, NEVER);
  }

  @Test
  void times() {
    refused("the work is NaN; it must be more than 0", () -> scenario(Double.NaN, 1, NEVER));
    refused("the work is 0.0; it must be more than 0", () -> scenario(0, 1, NEVER));
    refused("the interval is -1.0; it must be more than 0", () -> scenario(1, -1, NEVER));
    refused("the interval is Infinity; it must be finite", () -> scenario(1, NEVER, NEVER));
    refused("the time to give up must be positive: NaN", () -> scenario(1, 1, Double.NaN));
    refused("the restart of level disk is -2.0; it must not be negative", () -> level(1, -2));
    refused("the cost of a checkpoint is -1.0; it must not be negative", () -> level(-1, 2));
  }

  @Test
  void levels() {
    CheckpointCost cost = new CheckpointCost.Fixed(1);
    Level half = new Level("node", 0.5, cost, 1);
    refused("there must be one level of checkpoints or more: 0", () -> scenario(List.of()));
    refused("the shares of the levels must sum up to 1: 0.5", () -> scenario(List.of(half)));
    refused("2 levels need 1 counts: 0", () -> scenario(List.of(half, half)));
    refused("2 levels need 1 counts: 2", () -> scenario(List.of(half, half), 1, 1));
    refused(
        "each count of checkpoints is 0; there must be at least 1",
        () -> scenario(List.of(half, half), 0));
    refused(
        "the share of failures of level x is NaN; it must be between 0 and 1",
        () -> new Level("x", Double.NaN, cost, 1));
  }

  @Test
  void costs() {
    refused(
        "costs of checkpoints are drawn from a list, but it is empty",
        () -> new CheckpointCost.Drawn(new double[0]));
    refused(
        "one of the costs of checkpoints is -3.0; it must not be negative",
        () -> new CheckpointCost.Drawn(new double[] {1, -3}));
    refused(
        "each of the dirty fractions is 1.5; it must be between 0 and 1",
        () -> new CheckpointCost.Differential(1, 1, new double[] {1.5}));
  }

  @Test
  void machines() {
    Lifetime wear = Lifetime.weibull(3, 1);
    Trace moment = new Trace("blink", 2, List.of(new Failure(0, 0), new Failure(0, 1)));
    refused("the number of sockets is 0; there must be at least 1", () -> exponential(1, 0));
    refused(
        "the number of sockets is -5; there must be at least 1",
        () -> new FailureModel.WholeSystem(wear, -5));
    refused(
        "the age of the sockets is -1.0; it must not be negative",
        () -> new FailureModel.PerSocket(wear, 1, -1));
    refused(
        "no socket lives for 1.0E200 s when its lifetime is Weibull with shape 3 and mean 1 s",
        () -> new FailureModel.PerSocket(wear, 1, 1e200));
    refused(
        "blink cannot be repeated: from its first to its last failure there are 0.0 s",
        () -> new FailureModel.Replay(moment));
  }

  @Test
  void replicas() {
    refused(
        "the degree of replication is 0; there must be at least 1",
        () -> new Replicas(0, 1, Mapping.FORWARD));
    refused(
        "the share of replicated processes is 1.1; it must be between 0 and 1",
        () -> new Replicas(2, 1.1, Mapping.FORWARD));
    Replicas five = new Replicas(5, 1, Mapping.FORWARD);
    refused(
        "5 replicas do not fit on 4 sockets",
        () -> new Scenario(1, 1, level(1, 1), new int[0], MODEL, five, true, NEVER));
  }

  @Test
  void runs() {
    Scenario scenario = scenario(1, 1, NEVER);
    refused(
        "the number of trials is 0; there must be at least 1",
        () -> Simulator.run(scenario, 0, 1, 1, done -> {}));
    refused(
        "the number of threads is 0; there must be at least 1",
        () -> Simulator.run(scenario, 1, 1, 0, done -> {}));
  }

  /** Student's t of 4 degrees of freedom is 2.776445 at 97.5 %. */
  @Test
  void estimates() {
    Estimate estimate = Estimate.of(new double[] {5, 1, 4, 2, 3});
    assertThat(estimate.mean()).isEqualTo(3);
    assertThat(estimate.deviation()).isCloseTo(Math.sqrt(2.5), within(1e-12));
    assertThat(estimate.halfWidth()).isCloseTo(2.776445 * Math.sqrt(0.5), within(1e-6));
    assertThat(estimate.median()).isEqualTo(3);
    assertThat(estimate.p05()).isCloseTo(1.2, within(1e-12));
    assertThat(estimate.p95()).isCloseTo(4.8, within(1e-12));
    assertThat(Estimate.of(new double[] {7})).isEqualTo(new Estimate(7, NEVER, 0, 7, 7, 7));
    refused(
        "the size of a sample is 0; there must be at least 1", () -> Estimate.of(new double[0]));
  }
}
