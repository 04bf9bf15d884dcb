// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.util.OptionalDouble;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Question;
import org.cairn.cli.answer.Sheet;
import org.cairn.cli.answer.Sheet.Kind;
import org.cairn.cli.answer.Words;
import org.cairn.cli.terminal.Terminal;
import org.cairn.plan.figure.IntervalFigures;
import org.cairn.plan.interval.Conditions;
import org.cairn.plan.interval.IntervalRule;
import org.cairn.plan.interval.WallTime;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn plan interval}. */
@Command(
    name = "interval",
    description = {"How often to checkpoint.", ""},
    footer = {
      "",
      "Pictures (--plot): cost; with --sockets and failures at a constant rate also efficiency",
      "",
      "Examples:",
      "  cairn plan interval --mtbf 24h --checkpoint 5min --restart 10min --work 500h",
      "  cairn plan interval --mtbf 5y --sockets 10000 --memory 16GB --bandwidth 1TB/s",
      "  cairn plan interval --mtbf 4y --sockets 20000 --checkpoint 5min --failures weibull:0.7",
      "  cairn plan interval --mtbf 24h --checkpoint 5min --svg cost.svg"
    })
final class IntervalCommand extends Question {
  @Mixin private final MachineOptions machine = new MachineOptions();
  @Mixin private final FailureOptions failures = new FailureOptions();
  @Mixin private final TrialOptions trials = new TrialOptions();

  @Option(
      names = "--anyway",
      description = "Answer even where a restart takes longer than the machine lasts on average.")
  private boolean anyway;

  IntervalCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  public Answer answer() {
    failures.check(machine.hasMtbf(), machine.hasSockets());
    if (!failures.isExponential()) {
      return new ChangingRate(machine, failures, trials, terminal(), anyway).interval();
    }
    Conditions conditions = Hopeless.refuse(machine.conditions(), anyway);
    double work = machine.work();
    double best = IntervalRule.EXACT.interval(conditions);
    WallTime time = WallTime.expected(conditions, work, best);
    Answer answer = new Answer("How often should the job checkpoint?");
    machine.describe(answer);
    answer.given("intervalSeconds", best).given("efficiencyShare", time.efficiency());
    if (best >= work) {
      answer.say(
          "The job is shorter than the best interval ("
              + Words.time(best)
              + "): one checkpoint at its end is enough.");
    } else {
      answer.say("Checkpoint after every " + Words.time(best) + " of computation.");
    }
    answer.say(WallTimeCommand.sentence(time));
    double young = IntervalRule.YOUNG.interval(conditions);
    double loss = WallTime.expected(conditions, work, young).total() / time.total() - 1;
    if (best < work && Double.isFinite(loss)) {
      answer.say(
          (loss < 0.05
                  ? "Missing the best interval costs little: "
                  : "It pays to know the best interval: ")
              + "Young's simple rule, "
              + Words.time(young)
              + ", takes "
              + Words.percent(loss)
              + " longer.");
    }
    answer.sheet(rules(conditions, work));
    answer.note(
        "Model: failures at a constant rate, in checkpoints and restarts too (Daly 2006); the exact"
            + " rule is the minimum of the expected wall time, by Lambert's W. An interval is the"
            + " time of computation between two checkpoints, without the checkpoint itself.");
    answer.chart("cost", () -> IntervalFigures.cost(conditions, work, OptionalDouble.empty()));
    WallTimeCommand.chartOfSizes(answer, machine, conditions);
    return answer;
  }

  private static Sheet rules(Conditions conditions, double work) {
    Sheet sheet =
        new Sheet("Rules")
            .column("rule", Kind.TEXT)
            .column("formula", Kind.TEXT)
            .column("interval", Kind.TIME)
            .columnForPeople("in minutes", Kind.NUMBER)
            .column("wall time", Kind.TIME)
            .columnForPeople("wall time in minutes", Kind.NUMBER)
            .column("efficiency", Kind.SHARE);
    for (IntervalRule rule : IntervalRule.values()) {
      double interval = rule.interval(conditions);
      WallTime time = WallTime.expected(conditions, work, interval);
      sheet.row(
          rule.title(),
          rule.formula(),
          interval,
          interval / 60,
          time.total(),
          time.total() / 60,
          time.efficiency());
    }
    return sheet;
  }
}
