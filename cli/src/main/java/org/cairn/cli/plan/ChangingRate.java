// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
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
import org.cairn.plan.simulate.BestSchedule;
import org.cairn.plan.simulate.Simulation;
import org.jspecify.annotations.Nullable;

/**
 * The interval for sockets that do not fail at a constant rate. The simulator finds it; closed
 * forms are asked with equivalent rates, to show how far off they are.
 */
final class ChangingRate {
  private final MachineOptions machine;
  private final FailureOptions failures;
  private final TrialOptions trials;
  private final Terminal terminal;
  private final Strategies strategies;
  private final Planned best;

  /** Looks for the best interval of a machine that is not hopeless, unless somebody insists. */
  ChangingRate(
      MachineOptions machine,
      FailureOptions failures,
      TrialOptions trials,
      Terminal terminal,
      boolean anyway) {
    this.machine = machine;
    this.failures = failures;
    this.trials = trials;
    this.terminal = terminal;
    strategies = new Strategies(machine, failures, trials);
    Hopeless.refuse(strategies.conditions(), anyway);
    best = trials.plan(terminal, strategies.full(strategies.sockets()));
  }

  private record Candidate(String name, double interval, double expected, Simulation simulation) {
    double time() {
      return simulation.wallTime().mean();
    }
  }

  /** How often to checkpoint. */
  Answer interval() {
    Answer answer = new Answer("How often should the job checkpoint?");
    Candidate chosen = best();
    describe(answer, chosen);
    answer.say(
        best.interval() < machine.work()
            ? "Checkpoint after about every " + Words.time(best.interval()) + " of computation."
            : "One checkpoint at the end of the job is enough.");
    List<Candidate> candidates = new ArrayList<>(List.of(chosen));
    candidates.addAll(closedForms());
    for (Candidate look : looks()) {
      if (candidates.stream().noneMatch(known -> known.interval() == look.interval())) {
        candidates.add(look);
      }
    }
    write(answer, chosen, candidates, OptionalDouble.empty());
    return answer;
  }

  /** What a run costs at an interval, or at the best. */
  Answer wallTime(@Nullable Double interval) {
    Candidate chosen =
        interval == null
            ? best()
            : new Candidate(
                "chosen",
                MachineOptions.positive(interval, "--interval"),
                Double.NaN,
                trials.run(terminal, "chosen", best.scenario().at(interval)));
    List<Candidate> candidates = new ArrayList<>(List.of(chosen));
    candidates.add(simulate("half of it", chosen.interval() / 2, Double.NaN));
    candidates.add(simulate("twice as long", chosen.interval() * 2, Double.NaN));
    if (interval != null) {
      candidates.add(best());
    }
    candidates.addAll(closedForms());
    Answer answer = new Answer("What will the run cost?");
    describe(answer, chosen);
    answer.say(
        "With a checkpoint after every " + Words.time(chosen.interval()) + " of computation:");
    write(
        answer,
        chosen,
        candidates,
        interval == null ? OptionalDouble.empty() : OptionalDouble.of(interval));
    if (interval != null && chosen.time() > best().time() * 1.001) {
      answer.say(
          "The best interval, about "
              + Words.time(best.interval())
              + ", would take "
              + Words.time(best().time())
              + ".");
    }
    return answer;
  }

  private Candidate best() {
    return new Candidate("best", best.interval(), Double.NaN, best.simulation());
  }

  /** What the search looked at. */
  private List<Candidate> looks() {
    return best.tried().stream()
        .skip(1)
        .map(t -> new Candidate("tried", t.scenario().interval(), Double.NaN, t.simulation()))
        .toList();
  }

  /** What closed forms advise with each of the rates that could stand for this machine. */
  private List<Candidate> closedForms() {
    List<Candidate> candidates = new ArrayList<>();
    rates()
        .forEach(
            (name, conditions) -> {
              double interval = IntervalRule.EXACT.interval(conditions);
              double expected = WallTime.ofSchedule(conditions, machine.work(), interval).total();
              candidates.add(simulate(name, interval, expected));
            });
    return candidates;
  }

  private Map<String, Conditions> rates() {
    Conditions base = strategies.conditions();
    Map<String, Conditions> conditions = new LinkedHashMap<>();
    if (failures.isTrace() || !failures.isPerSocket()) {
      conditions.put("rate of the mean gap", base);
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

  private Candidate simulate(String name, double interval, double expected) {
    return new Candidate(
        name, interval, expected, trials.runFew(terminal, name, best.scenario().at(interval)));
  }

  private void describe(Answer answer, Candidate chosen) {
    strategies.describe(answer);
    trials.describe(answer, chosen.simulation());
    answer
        .given("intervalSeconds", chosen.interval())
        .given("efficiencyShare", chosen.simulation().efficiency())
        .given("resolutionFactor", BestSchedule.RESOLUTION);
  }

  private void write(
      Answer answer, Candidate chosen, List<Candidate> candidates, OptionalDouble own) {
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
            + Words.percent(simulation.efficiency())
            + " of the time is useful.");
    if (givenUp) {
      answer.say(
          simulation.unfinished()
              + " of "
              + simulation.trials()
              + " simulated runs were given up.");
    }
    candidates.stream()
        .filter(candidate -> Double.isFinite(candidate.expected()))
        .findFirst()
        .ifPresent(first -> closedFormOf(answer, first));
    answer.sheet(sheet(candidates));
    answer.note(TrialOptions.noteOnSearch(List.of(best)));
    answer.note(trials.note(simulation));
    failures.note(answer);
    answer.chart("cost", () -> chart(candidates, own));
  }

  /** How far off the closed form is, which is what the simulation is for. */
  private void closedFormOf(Answer answer, Candidate first) {
    double error = first.expected() / first.time() - 1;
    boolean holds =
        Math.abs(first.expected() - first.time()) <= first.simulation().wallTime().halfWidth();
    answer.say(
        "With "
            + failures.describe()
            + ", failures do not come at a constant rate. The closed form with the "
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
            .column("which", Kind.TEXT)
            .column("interval", Kind.TIME)
            .column("closed form", Kind.TIME)
            .column("simulated", Kind.TIME)
            .column("plus minus", Kind.TIME)
            .column("efficiency", Kind.SHARE)
            .column("interrupts", Kind.COUNT)
            .column("runs", Kind.COUNT)
            .column("given up", Kind.COUNT);
    for (Candidate candidate : candidates) {
      Simulation simulation = candidate.simulation();
      sheet.row(
          candidate.name(),
          candidate.interval(),
          candidate.expected(),
          candidate.time(),
          simulation.wallTime().halfWidth(),
          simulation.efficiency(),
          simulation.interrupts(),
          simulation.trials(),
          simulation.unfinished());
    }
    return sheet;
  }

  private Chart chart(List<Candidate> candidates, OptionalDouble own) {
    List<Candidate> sorted =
        candidates.stream().sorted(Comparator.comparingDouble(Candidate::interval)).toList();
    return IntervalFigures.simulatedCost(
        failures.describe(),
        sorted.stream().mapToDouble(Candidate::interval).toArray(),
        sorted.stream().map(Candidate::simulation).toList(),
        best.interval(),
        own);
  }
}
