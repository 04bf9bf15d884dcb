// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.cairn.plan.simulate.Scenarios.assertAgrees;
import static org.cairn.plan.simulate.Scenarios.exponential;
import static org.cairn.plan.simulate.Scenarios.plain;
import static org.cairn.plan.simulate.Scenarios.run;

import java.util.List;
import org.cairn.plan.failure.Lifetime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The simulator against expectations that are known exactly. */
class SimulatorModelTest {
  /** Work, interval, cost, restart, mean of a socket, sockets. */
  @ParameterizedTest
  @CsvSource({
    "10000, 100, 5, 10, 1000, 1",
    "10000, 300, 60, 120, 20000, 40",
    "10050, 100, 5, 0, 300, 1",
    "1000, 2000, 10, 50, 700, 1",
    "604800, 3600, 900, 900, 157680000, 10000"
  })
  void singleLevelIsDaly(double work, double tau, double delta, double r, double mean, int n) {
    double m = mean / n;
    double expected = 0;
    for (double done = 0; done < work; done += tau) {
      double segment = Math.min(tau, work - done) + delta;
      expected += m * Math.exp(r / m) * Math.expm1(segment / m);
    }
    Simulation simulation = run(plain(work, tau, delta, r, exponential(mean, n)), 3000);
    assertAgrees(simulation.wallTime(), expected, 0.05);
    assertThat(simulation.meanTimeToInterrupt()).isCloseTo(m, within(0.03 * m));
    assertThat(simulation.failures()).isEqualTo(simulation.interrupts());
  }

  /** Without a checkpoint at the end, the last segment has none. */
  @Test
  void noCheckpointAtTheEnd() {
    Scenario with = plain(1000, 500, 100, 20, exponential(900, 1));
    Scenario without =
        new Scenario(
            with.work(),
            with.interval(),
            with.levels(),
            with.counts(),
            with.failures(),
            with.replicas(),
            false,
            with.giveUpAfter());
    double m = 900;
    double first = m * Math.exp(20 / m) * Math.expm1(600 / m);
    double last = m * Math.exp(20 / m) * Math.expm1(500 / m);
    assertAgrees(run(without, 20000).wallTime(), first + last, 0.02);
  }

  /** The expectation of one pattern comes from the renewal equations, solved elsewhere. */
  @Test
  void twoLevelsArePatterns() {
    int patterns = 500;
    Simulation simulation = run(twoLevels(patterns * 400), 4000);
    assertAgrees(simulation.wallTime(), patterns * 500.249583, 0.0005);
  }

  private static Scenario twoLevels(double work) {
    List<Level> levels =
        List.of(
            new Level("node", 5.0 / 6, new CheckpointCost.Fixed(5), 5),
            new Level("disk", 1.0 / 6, new CheckpointCost.Fixed(30), 40));
    return new Scenario(
        work,
        100,
        levels,
        new int[] {4},
        exponential(1 / 1.2e-3, 1),
        Replicas.NONE,
        true,
        Double.POSITIVE_INFINITY);
  }

  /** Lifetimes of no memory in all forms: the general machinery gives what the shortcut gives. */
  @Test
  void exponentialInDisguise() {
    double m = 20000 / 40.0;
    double expected = 20 * m * Math.exp(30 / m) * Math.expm1(330 / m);
    for (Lifetime lifetime : List.of(Lifetime.weibull(1, 20000), Lifetime.gamma(1, 20000))) {
      for (double age : new double[] {0, 5e4}) {
        FailureModel failures = new FailureModel.PerSocket(lifetime, 40, age);
        assertAgrees(run(plain(6000, 300, 30, 30, failures), 1500).wallTime(), expected, 0.05);
      }
    }
    FailureModel whole = new FailureModel.WholeSystem(Lifetime.weibull(1, m), 40);
    assertAgrees(run(plain(6000, 300, 30, 30, whole), 1500).wallTime(), expected, 0.05);
  }

  @Test
  void drawnCostsMeanTheirMean() {
    double[] samples = {1, 2, 6};
    Simulation simulation = withCost(new CheckpointCost.Drawn(samples));
    assertThat(simulation.checkpoint() / 1000).isCloseTo(3, within(0.02));
  }

  @Test
  void differentialBeginsWithFull() {
    CheckpointCost cost = new CheckpointCost.Differential(40, 2, new double[] {0.25});
    Simulation simulation = withCost(cost);
    assertThat(simulation.checkpoint()).isCloseTo(40 + 999 * 12.0, within(1e-6));
  }

  /** A full checkpoint that is interrupted is repeated in full. */
  @Test
  void differentialStaysFullUntilOneIsComplete() {
    CheckpointCost cost = new CheckpointCost.Differential(40, 0, new double[] {0});
    Scenario scenario =
        new Scenario(
            2000,
            2,
            List.of(new Level("disk", 1, cost, 0)),
            new int[0],
            exponential(30, 1),
            Replicas.NONE,
            true,
            Double.POSITIVE_INFINITY);
    double expected = 30 * Math.expm1(42 / 30.0) + 999 * 30 * Math.expm1(2 / 30.0);
    assertAgrees(run(scenario, 4000).wallTime(), expected, 0.01);
  }

  private static Simulation withCost(CheckpointCost cost) {
    Scenario scenario =
        new Scenario(
            10000,
            10,
            List.of(new Level("disk", 1, cost, 0)),
            new int[0],
            exponential(1e30, 1),
            Replicas.NONE,
            true,
            Double.POSITIVE_INFINITY);
    return run(scenario, 100);
  }

  @Test
  void givesUp() {
    Scenario hopeless = plain(1000, 500, 1, 1, exponential(10, 1));
    Scenario bounded =
        new Scenario(
            hopeless.work(),
            hopeless.interval(),
            hopeless.levels(),
            hopeless.counts(),
            hopeless.failures(),
            hopeless.replicas(),
            true,
            7000);
    Simulation simulation = run(bounded, 50);
    assertThat(simulation.unfinished()).isEqualTo(50);
    assertThat(simulation.trials()).isEqualTo(50);
    assertThat(simulation.wallTime()).isEqualTo(new Estimate(7000, 0, 0, 7000, 7000, 7000));
    assertThat(simulation.efficiency()).isBetween(1e-3, 0.03);
  }
}
