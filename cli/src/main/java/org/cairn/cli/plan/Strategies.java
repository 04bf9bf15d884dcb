// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.util.List;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Words;
import org.cairn.plan.failure.Trace;
import org.cairn.plan.interval.Conditions;
import org.cairn.plan.interval.IntervalRule;
import org.cairn.plan.interval.WallTime;
import org.cairn.plan.multilevel.BestPattern;
import org.cairn.plan.multilevel.Pattern;
import org.cairn.plan.multilevel.PatternModel;
import org.cairn.plan.replication.FailureCount;
import org.cairn.plan.replication.Machine;
import org.cairn.plan.replication.Replication;
import org.cairn.plan.replication.SoftwareOverhead;
import org.cairn.plan.simulate.CheckpointCost;
import org.cairn.plan.simulate.FailureModel;
import org.cairn.plan.simulate.Level;
import org.cairn.plan.simulate.Mapping;
import org.cairn.plan.simulate.Replicas;
import org.cairn.plan.simulate.Scenario;

/**
 * Ways to protect the job on the machine of the options. All commands make theirs here, so that a
 * machine, a law and a strategy have one schedule and one cost whoever asks.
 */
final class Strategies {
  private final MachineOptions machine;
  private final FailureOptions failures;
  private final TrialOptions trials;

  Strategies(MachineOptions machine, FailureOptions failures, TrialOptions trials) {
    this.machine = machine;
    this.failures = failures;
    this.trials = trials;
  }

  /** Of the machine that was recorded, or of the one described. */
  long sockets() {
    return failures.isTrace() ? failures.trace().nodes() : machine.sockets();
  }

  /** Where failures are recorded, nobody needs to say how often there is one. */
  double socketMtbf() {
    if (!failures.isTrace()) {
      return machine.mtbf();
    }
    Trace trace = failures.trace();
    return trace.meanGap() * trace.nodes();
  }

  Machine machine() {
    return new Machine(sockets(), socketMtbf(), machine.storage());
  }

  /** What plain checkpoints meet, at the mean rate of failures. */
  Conditions conditions() {
    Machine.Storage storage = machine.storage();
    double processes = Replication.NONE.processes(sockets());
    return new Conditions(
        storage.checkpoint(processes), storage.restart(processes), socketMtbf() / sockets());
  }

  /** The plainest way, which the others are compared with. */
  Strategy full(long sockets) {
    Machine.Storage storage = machine.storage();
    return oneLevel(
        "full checkpoints",
        sockets,
        new CheckpointCost.Fixed(storage.checkpoint(sockets)),
        storage.restart(sockets),
        Replicas.NONE,
        SoftwareOverhead.NONE);
  }

  /** Replicas that write each process once. */
  Strategy replicated(long sockets, Replication replication, SoftwareOverhead overhead) {
    Machine.Storage storage = machine.storage();
    double processes = replication.processes(sockets);
    return oneLevel(
        replication.degree()
            + " replicas"
            + (replication.share() == 1 ? "" : " of " + Words.percent(replication.share())),
        sockets,
        new CheckpointCost.Fixed(storage.checkpoint(processes)),
        storage.restart(processes),
        new Replicas(replication.degree(), replication.share(), Mapping.FORWARD),
        overhead);
  }

  /** Checkpoints of one kind, with or without replicas. */
  Strategy oneLevel(
      String name,
      long sockets,
      CheckpointCost cost,
      double restart,
      Replicas replicas,
      SoftwareOverhead software) {
    Replication replication = new Replication(replicas.degree(), replicas.share());
    double mtti = FailureCount.EXACT.mtti(replication, sockets, socketMtbf());
    Conditions conditions = new Conditions(CostOptions.mean(cost), restart, mtti);
    double overhead = software.fraction(sockets, replication);
    double work = machine.work() * (1 + overhead);
    return new Strategy(
        name,
        scenario(
            new Pattern(IntervalRule.EXACT.interval(conditions)),
            work,
            List.of(new Level(name, 1, cost, restart)),
            failures.model(socketMtbf(), sockets),
            replicas),
        schedule -> WallTime.ofSchedule(conditions, work, schedule.interval()).total(),
        failures.isExponential() && !replication.isReplicated(),
        replication.socketsPerProcess() * (1 + overhead));
  }

  /** Checkpoints of several levels; the rates of their failures make up the machine's. */
  Strategy levels(
      String name,
      List<org.cairn.plan.multilevel.Level> levels,
      FailureModel model,
      Replicas replicas) {
    double rate = levels.stream().mapToDouble(org.cairn.plan.multilevel.Level::rate).sum();
    double work = machine.work();
    PatternModel closed = new PatternModel(levels);
    List<Level> simulated =
        levels.stream()
            .map(
                l ->
                    new Level(
                        l.name(), l.rate() / rate, new CheckpointCost.Fixed(l.cost()), l.restart()))
            .toList();
    return new Strategy(
        name,
        scenario(BestPattern.of(levels).pattern(), work, simulated, model, replicas),
        schedule -> work * closed.slowdown(new Pattern(schedule.interval(), schedule.counts())),
        failures.isExponential() && replicas.degree() == 1,
        new Replication(replicas.degree(), replicas.share()).socketsPerProcess());
  }

  private Scenario scenario(
      Pattern pattern, double work, List<Level> levels, FailureModel model, Replicas replicas) {
    return new Scenario(
        work,
        pattern.interval(),
        levels,
        pattern.counts(),
        model,
        replicas,
        true,
        trials.giveUpAfter(work));
  }

  /** What was asked about, for machines. */
  void describe(Answer answer) {
    if (!failures.isTrace()) {
      machine.describe(answer);
    } else {
      answer
          .given("sockets", sockets())
          .given("workSeconds", machine.work())
          .given("socketMtbfSeconds", socketMtbf())
          .given("machineMtbfSeconds", socketMtbf() / sockets());
    }
    answer.given("failures", failures.describe());
  }
}
