// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.util.OptionalDouble;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Question;
import org.cairn.cli.answer.Sheet;
import org.cairn.cli.answer.Sheet.Kind;
import org.cairn.cli.answer.Units;
import org.cairn.cli.answer.Words;
import org.cairn.cli.terminal.Terminal;
import org.cairn.plan.figure.IntervalFigures;
import org.cairn.plan.interval.Conditions;
import org.cairn.plan.interval.IntervalRule;
import org.cairn.plan.interval.WallTime;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn plan wall-time}. */
@Command(
    name = "wall-time",
    description = {"What a run will cost, and where the time goes.", ""},
    footer = {
      "",
      "Pictures (--plot): efficiency (with --sockets), cost; with other failures than exponential"
          + " ones cost",
      "",
      "Examples:",
      "  cairn plan wall-time --mtbf 5y --sockets 20000 --checkpoint 5min",
      "  cairn plan wall-time --mtbf 24h --checkpoint 5min --interval 1h --work 30d"
    })
final class WallTimeCommand extends Question {
  /** Seconds of a checkpoint that is not taken; the formulas divide by it. */
  private static final double NEVER_SAVED = 1e-9;

  @Mixin private final MachineOptions machine = new MachineOptions();
  @Mixin private final FailureOptions failures = new FailureOptions();
  @Mixin private final TrialOptions trials = new TrialOptions();

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      converter = Units.Time.class,
      description = "Time of computation between two checkpoints; the best unless given.")
  private @Nullable Double interval;

  @Option(
      names = "--anyway",
      description = "Answer even where a restart takes longer than the machine lasts on average.")
  private boolean anyway;

  WallTimeCommand(Terminal terminal) {
    super(terminal);
  }

  /** Where the time of a run goes. */
  static String sentence(WallTime time) {
    double total = time.total();
    if (Double.isInfinite(total)) {
      return "A run of "
          + Words.time(time.work())
          + " of work would practically never end: the machine fails too often.";
    }
    return "A run of "
        + Words.time(time.work())
        + " of work then takes "
        + Words.time(total)
        + " on average, with "
        + Words.count(Math.round(time.interrupts() * 100) / 100.0)
        + " interrupts: "
        + Words.percent(time.efficiency())
        + " of the time is useful, "
        + Words.percent(time.checkpoint() / total)
        + " goes to checkpoints, "
        + Words.percent(time.rework() / total)
        + " to work done twice, "
        + Words.percent(time.restart() / total)
        + " to restarts.";
  }

  @Override
  public Answer answer() {
    failures.check(machine.hasMtbf(), machine.hasSockets());
    if (!failures.isExponential()) {
      return new ChangingRate(machine, failures, trials, terminal(), anyway).wallTime(interval);
    }
    Conditions conditions = Hopeless.refuse(machine.conditions(), anyway);
    double work = machine.work();
    double best = IntervalRule.EXACT.interval(conditions);
    double chosen = interval == null ? best : MachineOptions.positive(interval, "--interval");
    WallTime time = WallTime.expected(conditions, work, chosen);
    Answer answer = new Answer("What will the run cost?");
    machine.describe(answer);
    answer.given("intervalSeconds", chosen).given("efficiencyShare", time.efficiency());
    answer.say(
        chosen < work
            ? "With a checkpoint after every " + Words.time(chosen) + " of computation:"
            : "With one checkpoint, at the end of the job:");
    answer.say(sentence(time));
    double least = WallTime.expected(conditions, work, best).total();
    if (interval != null && time.total() > least * 1.001) {
      answer.say(
          "The best interval, " + Words.time(best) + ", would take " + Words.time(least) + ".");
    }
    Sheet sheet =
        new Sheet("Wall time")
            .column("case", Kind.TEXT)
            .column("interval", Kind.TIME)
            .column("wall time", Kind.TIME)
            .column("efficiency", Kind.SHARE)
            .column("checkpoints", Kind.TIME)
            .column("rework", Kind.TIME)
            .column("restarts", Kind.TIME)
            .column("interrupts", Kind.COUNT);
    row(sheet, interval == null ? "best" : "chosen", conditions, work, chosen);
    row(sheet, "half of it", conditions, work, chosen / 2);
    row(sheet, "twice as long", conditions, work, chosen * 2);
    if (interval != null) {
      row(sheet, "best", conditions, work, best);
    }
    Conditions unsaved = new Conditions(NEVER_SAVED, conditions.restart(), conditions.mtti());
    row(sheet, "no checkpoints", unsaved, work, work);
    answer.sheet(sheet);
    answer.note(
        "Model: failures at a constant rate, in checkpoints and restarts too (Daly 2006). Rework is"
            + " all that was computed or written in vain before a failure.");
    if (interval != null) {
      answer.chart("cost", () -> IntervalFigures.cost(conditions, work, OptionalDouble.of(chosen)));
      chartOfSizes(answer, machine, conditions);
    } else {
      chartOfSizes(answer, machine, conditions);
      answer.chart("cost", () -> IntervalFigures.cost(conditions, work, OptionalDouble.empty()));
    }
    return answer;
  }

  /** Machines of other sizes say nothing where the size of this one is not known. */
  static void chartOfSizes(Answer answer, MachineOptions machine, Conditions conditions) {
    if (machine.sockets() > 1) {
      answer.chart(
          "efficiency",
          () ->
              IntervalFigures.efficiency(
                  conditions.checkpoint(),
                  conditions.restart(),
                  machine.mtbf(),
                  machine.work(),
                  machine.sockets()));
    }
  }

  private static void row(
      Sheet sheet, String name, Conditions conditions, double work, double interval) {
    WallTime time = WallTime.expected(conditions, work, interval);
    sheet.row(
        name,
        interval,
        time.total(),
        time.efficiency(),
        conditions.checkpoint() == NEVER_SAVED ? 0.0 : time.checkpoint(),
        time.rework(),
        time.restart(),
        time.interrupts());
  }
}
