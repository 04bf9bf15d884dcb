// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.replication;

import org.cairn.plan.Checks;
import org.cairn.plan.interval.Conditions;
import org.cairn.plan.interval.IntervalRule;
import org.cairn.plan.interval.WallTime;

/**
 * What part of a machine does useful work, with and without replication: the measure by which
 * Ferreira 2011 compares them (section 6.2). A job of {@code work} seconds on all sockets of the
 * machine checkpoints at the best interval; replicas count as loss, and so does the software that
 * keeps them consistent.
 *
 * @param replication who is replicated
 * @param overhead what consistency costs
 * @param count how failures are counted
 * @param rule how the interval is chosen
 */
public record Utilisation(
    Replication replication, SoftwareOverhead overhead, FailureCount count, IntervalRule rule) {

  /** Checkpoints alone, at the exact optimum. */
  public static final Utilisation PLAIN =
      new Utilisation(
          Replication.NONE, SoftwareOverhead.NONE, FailureCount.EXACT, IntervalRule.EXACT);

  /** Replication of this kind, counted exactly, at the exact optimum. */
  public static Utilisation of(Replication replication, SoftwareOverhead overhead) {
    return new Utilisation(replication, overhead, FailureCount.EXACT, IntervalRule.EXACT);
  }

  /** What to expect of one machine. */
  public record Result(
      double mtti, double checkpoint, double interval, WallTime wallTime, double efficiency) {}

  /** Evaluates a job of so many seconds of work on a machine. */
  public Result evaluate(Machine machine, double work) {
    Checks.positive(work, "the time of the work");
    Conditions conditions = conditions(machine);
    double stretched = work * (1 + overhead.fraction(machine.sockets(), replication));
    double interval = rule.interval(conditions);
    WallTime time = WallTime.expected(conditions, stretched, interval);
    double efficiency = work / time.total() / replication.socketsPerProcess();
    return new Result(conditions.mtti(), conditions.checkpoint(), interval, time, efficiency);
  }

  /** What the checkpoints of such a job meet. */
  public Conditions conditions(Machine machine) {
    double processes = replication.processes(machine.sockets());
    return new Conditions(
        machine.storage().checkpoint(processes),
        machine.storage().restart(processes),
        count.mtti(replication, machine.sockets(), machine.socketMtbf()));
  }

  /** The useful part alone. */
  public double efficiency(Machine machine, double work) {
    return evaluate(machine, work).efficiency();
  }
}
