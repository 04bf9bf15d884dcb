// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.cairn.cli.plan.Sheet.Kind;
import org.cairn.cli.terminal.Terminal;
import org.cairn.plan.failure.EquivalentRate;
import org.cairn.plan.interval.Conditions;
import org.cairn.plan.interval.IntervalRule;
import org.cairn.plan.interval.WallTime;
import org.cairn.plan.replication.Machine;
import org.cairn.plan.simulate.CheckpointCost;
import org.cairn.plan.simulate.Level;
import org.cairn.plan.simulate.Replicas;
import org.cairn.plan.simulate.Scenario;
import org.cairn.plan.simulate.Simulation;

/**
 * The interval for sockets that do not fail at a constant rate. Closed forms are asked with
 * equivalent rates; which of their intervals is good, and what it costs, the simulator says.
 */
final class ChangingRate {
  private final MachineOptions machine;
  private final FailureOptions failures;
  private final TrialOptions trials;
  private final Terminal terminal;

  ChangingRate(
      MachineOptions machine, FailureOptions failures, TrialOptions trials, Terminal terminal) {
    this.machine = machine;
    this.failures = failures;
    this.trials = trials;
    this.terminal = terminal;
  }

  private record Candidate(String name, double interval, double expected, Simulation simulation) {
    double time() {
      return simulation.wallTime().mean();
    }
  }

  Answer answer() {
    List<Candidate> candidates = new ArrayList<>();
    intervals()
        .forEach(
            (name, conditions) -> {
              double best = IntervalRule.EXACT.interval(conditions);
              double expected = WallTime.ofSchedule(conditions, machine.work(), best).total();
              candidates.add(simulate(name, best, expected));
            });
    double middle = candidates.getFirst().interval();
    for (double factor : new double[] {0.25, 0.5, 2, 4}) {
      candidates.add(simulate(Words.count(factor) + " × the first", middle * factor, Double.NaN));
    }
    Candidate best =
        candidates.stream().min(Comparator.comparingDouble(Candidate::time)).orElseThrow();
    return write(candidates, best);
  }

  private Map<String, Conditions> intervals() {
    Conditions base = conditions();
    Map<String, Conditions> conditions = new LinkedHashMap<>();
    if (failures.isTrace()) {
      conditions.put("mean gap of the trace", base);
      return conditions;
    }
    if (!failures.isPerSocket()) {
      conditions.put("mean gap", base);
      return conditions;
    }
    for (EquivalentRate equivalent : EquivalentRate.values()) {
      double rate =
          equivalent.rate(
              failures.lifetime(machine.mtbf()), machine.sockets(), failures.age(), machine.work());
      conditions.put(
          equivalent.title(), new Conditions(base.checkpoint(), base.restart(), 1 / rate));
    }
    return conditions;
  }

  /** Where failures are recorded, nobody needs to say how often there is one. */
  private Conditions conditions() {
    if (!failures.isTrace()) {
      return machine.conditions();
    }
    Machine.Storage storage = machine.storage();
    double nodes = failures.trace().nodes();
    return new Conditions(
        storage.checkpoint(nodes), storage.restart(nodes), failures.trace().meanGap());
  }

  private Candidate simulate(String name, double interval, double expected) {
    Conditions base = conditions();
    Scenario scenario =
        new Scenario(
            machine.work(),
            interval,
            List.of(
                new Level(
                    "checkpoint", 1, new CheckpointCost.Fixed(base.checkpoint()), base.restart())),
            new int[0],
            failures.isTrace()
                ? failures.model(1, 1)
                : failures.model(machine.mtbf(), machine.sockets()),
            Replicas.NONE,
            true,
            trials.giveUpAfter(machine.work()));
    return new Candidate(name, interval, expected, trials.runFew(terminal, name, scenario));
  }

  private Answer write(List<Candidate> candidates, Candidate best) {
    Answer answer = new Answer("How often should the job checkpoint?");
    machine.describe(answer);
    trials.describe(answer);
    answer.given("failures", failures.describe()).given("intervalSeconds", best.interval());
    answer.say(
        "Checkpoint after every "
            + Words.time(best.interval())
            + " of computation. A run of "
            + Words.time(machine.work())
            + " of work then takes "
            + Words.time(best.time())
            + Words.plusMinus(best.simulation().wallTime().halfWidth())
            + " in the simulation: "
            + Words.percent(best.simulation().efficiency().mean())
            + " of the time is useful.");
    if (best.simulation().unfinished() > 0) {
      answer.say(
          best.simulation().unfinished()
              + " of "
              + best.simulation().trials()
              + " simulated runs were given up: the time is a lower bound.");
    }
    Candidate first = candidates.getFirst();
    double error = first.expected() / first.time() - 1;
    answer.say(
        "With "
            + failures.describe()
            + ", failures do not come at a constant rate, and closed forms do not hold: with the"
            + " rate of the "
            + first.name()
            + " they promise "
            + Words.time(first.expected())
            + " where the simulation of the same interval takes "
            + Words.time(first.time())
            + " ("
            + Words.percent(Math.abs(error))
            + (error < 0 ? " too little)." : " too much)."));
    Sheet sheet =
        new Sheet("Intervals")
            .column("rate from", Kind.TEXT)
            .column("interval", Kind.TIME)
            .column("closed form", Kind.TIME)
            .column("simulated", Kind.TIME)
            .column("plus minus", Kind.TIME)
            .column("efficiency", Kind.SHARE)
            .column("interrupts", Kind.COUNT)
            .column("given up", Kind.COUNT);
    for (Candidate candidate : candidates) {
      Simulation simulation = candidate.simulation();
      sheet.row(
          candidate.name(),
          candidate.interval(),
          candidate.expected(),
          candidate.time(),
          Sheet.known(simulation.wallTime().halfWidth()),
          simulation.efficiency().mean(),
          simulation.interrupts(),
          simulation.unfinished());
    }
    answer.sheet(sheet);
    answer.note(trials.note(best.simulation()));
    return answer;
  }
}
