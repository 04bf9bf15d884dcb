// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.util.ArrayList;
import java.util.List;
import org.cairn.plan.failure.Lifetime;
import org.cairn.plan.interval.Conditions;
import org.cairn.plan.interval.IntervalRule;
import org.cairn.plan.replication.FailureCount;
import org.cairn.plan.replication.Replication;
import org.cairn.plan.simulate.CheckpointCost;
import org.cairn.plan.simulate.FailureModel;
import org.cairn.plan.simulate.Level;
import org.cairn.plan.simulate.Mapping;
import org.cairn.plan.simulate.Replicas;
import org.cairn.plan.simulate.Scenario;

/**
 * What is simulated for a measurement: 168 h of work, checkpoints and restarts of 15 min.
 *
 * @param name what to call it
 * @param sockets how many
 * @param replicas of each process
 * @param lifetime of a socket
 * @param interval seconds of work from checkpoint to checkpoint
 * @param giveUp after so many times the work a trial ends
 */
record SimulatedCase(
    String name, int sockets, int replicas, Lifetime lifetime, double interval, double giveUp) {
  private static final double WORK = 168 * 3600;
  private static final double CHECKPOINT = 900;
  private static final double YEAR = 365 * 86400;
  private static final int SOCKETS = 200_000;
  private static final double SHAPE = 0.469;
  private static final double FAILURES_OF_THE_SWEEP = 100;
  private static final double NEVER = Double.POSITIVE_INFINITY;

  /** The machine of Ferreira 2011, with and without replicas. */
  static List<SimulatedCase> machines() {
    Lifetime exponential = Lifetime.exponential(5 * YEAR);
    Lifetime weibull = Lifetime.weibull(SHAPE, 4 * YEAR);
    return List.of(
        machine("exponential 5 y", 1, exponential, NEVER),
        machine("exponential 5 y", 2, exponential, NEVER),
        // Without replicas new sockets fail so often that the job does not get on.
        machine("Weibull 0.469 / 4 y, given up", 1, weibull, 10),
        machine("Weibull 0.469 / 4 y", 2, weibull, NEVER));
  }

  private static SimulatedCase machine(
      String name, int replicas, Lifetime lifetime, double giveUp) {
    double mtti = FailureCount.EXACT.mtti(Replication.full(replicas), SOCKETS, lifetime.mean());
    return new SimulatedCase(name, SOCKETS, replicas, lifetime, best(mtti), giveUp);
  }

  private static double best(double mtti) {
    return IntervalRule.EXACT.interval(new Conditions(CHECKPOINT, CHECKPOINT, mtti));
  }

  /** Machines of all sizes on which about as many sockets fail, because they live longer. */
  static List<SimulatedCase> sweep(int most) {
    List<SimulatedCase> sweep = new ArrayList<>();
    double interval = best(WORK / FAILURES_OF_THE_SWEEP);
    for (int sockets = 1000; sockets <= most; sockets *= 10) {
      double scale = WORK * Math.pow(sockets / FAILURES_OF_THE_SWEEP, 1 / SHAPE);
      sweep.add(
          new SimulatedCase(
              "as many failures", sockets, 1, new Lifetime.Weibull(SHAPE, scale), interval, NEVER));
    }
    return sweep;
  }

  Scenario scenario() {
    return new Scenario(
        WORK,
        interval,
        List.of(new Level("disk", 1, new CheckpointCost.Fixed(CHECKPOINT), CHECKPOINT)),
        new int[0],
        new FailureModel.PerSocket(lifetime, sockets),
        new Replicas(replicas, 1, Mapping.FORWARD),
        true,
        giveUp * WORK);
  }
}
