// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Sheet;
import org.cairn.cli.answer.Sheet.Kind;
import org.cairn.cli.answer.Words;
import org.cairn.cli.terminal.Terminal;
import org.cairn.plan.chart.Chart;
import org.cairn.plan.failure.EquivalentRate;
import org.cairn.plan.figure.IntervalFigures;
import org.cairn.plan.interval.Conditions;
import org.cairn.plan.interval.IntervalRule;
import org.cairn.plan.interval.WallTime;
import org.cairn.plan.replication.Machine;
import org.cairn.plan.simulate.CheckpointCost;
import org.cairn.plan.simulate.Level;
import org.cairn.plan.simulate.Replicas;
import org.cairn.plan.simulate.Scenario;
import org.cairn.plan.simulate.Simulation;
import org.jspecify.annotations.Nullable;

/**
 * The interval for sockets that do not fail at a constant rate. Closed forms are asked with
 * equivalent rates; which of their intervals is good, and what it costs, the simulator says.
 */
final class ChangingRate {
  private static final double[] FACTORS = {0.125, 0.25, 0.5, 2, 4};

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

  /** How often to checkpoint, for a machine that is not hopeless unless somebody insists. */
  Answer interval(boolean anyway) {
    Hopeless.refuse(conditions(), anyway);
    List<Candidate> candidates = closedForms();
    double middle = candidates.getFirst().interval();
    for (double factor : FACTORS) {
      candidates.add(simulate(times(factor), middle * factor, Double.NaN));
    }
    // The same random numbers strike all candidates, so that neighbours can be compared.
    Candidate best = best(candidates);
    for (double factor : new double[] {Math.sqrt(0.5), Math.sqrt(2)}) {
      candidates.add(
          simulate(times(best.interval() * factor / middle), best.interval() * factor, Double.NaN));
    }
    best = best(candidates);
    Answer answer = new Answer("How often should the job checkpoint?");
    describe(answer, best);
    answer.say(
        best.interval() < machine.work()
            ? "Checkpoint after about every " + Words.time(best.interval()) + " of computation."
            : "One checkpoint at the end of the job is enough.");
    write(answer, best, candidates);
    return answer;
  }

  /** What a run costs at an interval, or at the best that closed forms know. */
  Answer wallTime(@Nullable Double interval, boolean anyway) {
    Hopeless.refuse(conditions(), anyway);
    List<Candidate> candidates = closedForms();
    Candidate chosen =
        interval == null
            ? best(candidates)
            : simulate("chosen", MachineOptions.positive(interval, "--interval"), Double.NaN);
    candidates.add(simulate("half of it", chosen.interval() / 2, Double.NaN));
    candidates.add(simulate("twice as long", chosen.interval() * 2, Double.NaN));
    if (interval != null) {
      candidates.add(chosen);
    }
    Answer answer = new Answer("What will the run cost?");
    describe(answer, chosen);
    answer.say(
        "With a checkpoint after every " + Words.time(chosen.interval()) + " of computation:");
    write(answer, chosen, candidates);
    return answer;
  }

  private static Candidate best(List<Candidate> candidates) {
    return candidates.stream().min(Comparator.comparingDouble(Candidate::time)).orElseThrow();
  }

  private static String times(double factor) {
    return String.format(Locale.ROOT, "%.3g × the first", factor);
  }

  /** What closed forms advise with each of the rates that could stand for this machine. */
  private List<Candidate> closedForms() {
    List<Candidate> candidates = new ArrayList<>();
    rates()
        .forEach(
            (name, conditions) -> {
              double best = IntervalRule.EXACT.interval(conditions);
              double expected = WallTime.ofSchedule(conditions, machine.work(), best).total();
              candidates.add(simulate(name, best, expected));
            });
    return candidates;
  }

  private Map<String, Conditions> rates() {
    Conditions base = conditions();
    Map<String, Conditions> conditions = new LinkedHashMap<>();
    if (failures.isTrace() || !failures.isPerSocket()) {
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
    failures.check(machine.hasMtbf(), machine.hasSockets());
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

  private void describe(Answer answer, Candidate chosen) {
    machine.describe(answer);
    trials.describe(answer, chosen.simulation());
    answer.given("failures", failures.describe()).given("intervalSeconds", chosen.interval());
  }

  private void write(Answer answer, Candidate chosen, List<Candidate> candidates) {
    Simulation simulation = chosen.simulation();
    boolean givenUp = simulation.unfinished() > 0;
    answer.say(
        "A run of "
            + Words.time(machine.work())
            + " of work then takes "
            + (givenUp ? "at least " : "")
            + Words.time(chosen.time())
            + (givenUp ? "" : Words.plusMinus(simulation.wallTime().halfWidth()))
            + " in the simulation: "
            + Words.percent(simulation.efficiency().mean())
            + " of the time is useful.");
    if (givenUp) {
      answer.say(
          simulation.unfinished()
              + " of "
              + simulation.trials()
              + " simulated runs were given up.");
    }
    closedFormOf(answer, candidates.getFirst());
    answer.sheet(sheet(candidates));
    answer.note(trials.note(simulation));
    answer.chart("cost", () -> chart(candidates, chosen));
  }

  /** How far off the closed form is, which is what the simulation is for. */
  private void closedFormOf(Answer answer, Candidate first) {
    double error = first.expected() / first.time() - 1;
    boolean holds =
        Math.abs(first.expected() - first.time()) <= first.simulation().wallTime().halfWidth();
    answer.say(
        "With "
            + failures.describe()
            + ", failures do not come at a constant rate. The closed form with the rate of the "
            + first.name()
            + " promises "
            + Words.time(first.expected())
            + " where the simulation of the same interval takes "
            + Words.time(first.time())
            + (holds
                ? ": here it holds all the same."
                : " ("
                    + Words.percent(Math.abs(error))
                    + (error < 0 ? " too little)." : " too much).")));
  }

  private static Sheet sheet(List<Candidate> candidates) {
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
          simulation.wallTime().halfWidth(),
          simulation.efficiency().mean(),
          simulation.interrupts(),
          simulation.unfinished());
    }
    return sheet;
  }

  private Chart chart(List<Candidate> candidates, Candidate chosen) {
    List<Candidate> sorted =
        candidates.stream().sorted(Comparator.comparingDouble(Candidate::interval)).toList();
    return IntervalFigures.simulatedCost(
        failures.describe(),
        sorted.stream().mapToDouble(Candidate::interval).toArray(),
        sorted.stream().map(Candidate::simulation).toList(),
        chosen.interval());
  }
}
