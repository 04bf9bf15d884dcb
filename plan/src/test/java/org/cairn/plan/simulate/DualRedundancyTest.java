// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.cairn.plan.interval.Conditions;
import org.cairn.plan.interval.IntervalRule;
import org.cairn.plan.interval.WallTime;
import org.cairn.plan.replication.FailureCount;
import org.cairn.plan.replication.Replication;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Figure 3.4 of Ferreira 2011: a job of 336 h whose processes all run twice, on sockets that fail
 * every five years, with checkpoints and restarts of 15 min. The time to an interrupt is not
 * exponential there, as Daly's model assumes, and yet the model is within 5 % of the simulation.
 */
class DualRedundancyTest {
  private static final double WORK = 336 * 3600;
  private static final double COST = 900;
  private static final double SOCKET = 5 * 365 * 86400.0;
  private static final double TOLERANCE = 0.05;
  private static final int TRIALS = 1000;

  @ParameterizedTest
  @ValueSource(ints = {1000, 5000, 20_000, 50_000, 100_000, 200_000})
  void dalyWithTheTimeToInterruptOfReplicas(int sockets) {
    assertModelHolds(FailureCount.EXACT, sockets);
  }

  /** By which Ferreira 2011 made the figure. */
  @ParameterizedTest
  @ValueSource(ints = {1000, 5000, 20_000, 50_000, 100_000, 200_000})
  void dalyWithTheBirthdayCount(int sockets) {
    assertModelHolds(FailureCount.AS_PRINTED, sockets);
  }

  private static void assertModelHolds(FailureCount count, int sockets) {
    Conditions conditions =
        new Conditions(COST, COST, count.mtti(Replication.PAIRS, sockets, SOCKET));
    double interval = IntervalRule.DALY.interval(conditions);
    double model = WallTime.ofSchedule(conditions, WORK, interval).total();
    Scenario scenario =
        new Scenario(
            WORK,
            interval,
            Scenarios.level(COST, COST),
            new int[0],
            Scenarios.exponential(SOCKET, sockets),
            new Replicas(2, 1, Mapping.FORWARD),
            true,
            Double.POSITIVE_INFINITY);
    Estimate simulated = Scenarios.run(scenario, TRIALS).wallTime();
    assertThat(simulated.halfWidth()).isLessThan(0.005 * model);
    assertThat(simulated.mean())
        .as("%s count, seed %d: %s", count.title(), Scenarios.SEED, simulated)
        .isCloseTo(model, within(TOLERANCE * model));
  }
}
