// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Question;
import org.cairn.cli.answer.Sheet;
import org.cairn.cli.answer.Sheet.Kind;
import org.cairn.cli.answer.Units;
import org.cairn.cli.answer.Words;
import org.cairn.cli.terminal.Terminal;
import org.cairn.plan.figure.MultilevelFigures;
import org.cairn.plan.multilevel.BestPattern;
import org.cairn.plan.multilevel.Level;
import org.cairn.plan.multilevel.Pattern;
import org.cairn.plan.multilevel.PatternModel;
import org.cairn.plan.multilevel.Segment;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn plan multilevel}. */
@Command(
    name = "multilevel",
    description = {
      "Which tiers pay, and how many cheap checkpoints to take for each expensive one.",
      "",
      "A level is what survives failures of a certain severity; its mtbf is that of the failures"
          + " that need this level, and no cheaper one. The cheapest comes first.",
      ""
    },
    footer = {
      "",
      "Pictures (--plot): counts",
      "",
      "Examples:",
      "  cairn plan multilevel --level local,cost=5s,restart=5s,mtbf=1d \\",
      "      --level partner,cost=20s,restart=30s,mtbf=10d \\",
      "      --level shared,cost=10min,restart=15min,mtbf=100d",
      "  cairn plan multilevel --level 1,cost=5s,restart=5s,mtbf=1000s \\",
      "      --level 2,cost=30s,restart=40s,mtbf=5000s --interval 100s --counts 4"
    })
final class MultilevelCommand extends Question {
  @Mixin private final PatternOptions plan = new PatternOptions();

  @Option(
      names = "--work",
      paramLabel = "TIME",
      converter = Units.Time.class,
      defaultValue = "168h",
      description = "How long the job computes; 168h unless given.")
  private double work;

  MultilevelCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  public Answer answer() {
    List<Level> parsed = plan.levels().stream().map(LevelOption::level).toList();
    MachineOptions.positive(work, "--work");
    Answer answer = new Answer("Which tiers pay, and how often should each be used?");
    answer.given("levels", parsed).given("workSeconds", work);
    List<BestPattern> found = BestPattern.ofSubsets(parsed);
    BestPattern best = found.getFirst();
    if (plan.isGiven()) {
      given(answer, parsed, best);
    }
    answer.say(sentence(best));
    BestPattern highest =
        found.stream().filter(p -> p.levels().size() == 1).findFirst().orElseThrow();
    if (best.levels().size() > 1) {
      answer.say(
          "With "
              + highest.levels().getFirst().name()
              + " alone it would be "
              + Words.percent(highest.efficiency())
              + ".");
    }
    List<String> unused = new ArrayList<>(parsed.stream().map(Level::name).toList());
    unused.removeAll(best.levels().stream().map(Level::name).toList());
    if (!unused.isEmpty()) {
      answer.say(
          "Not worth their cost: "
              + String.join(", ", unused)
              + "; their failures are left to the next level.");
    }
    answer.sheet(choices(found));
    if (plan.isGiven()) {
      answer.sheet(segments(parsed, plan.interval(best.pattern().interval())));
    }
    answer.note(
        "Model: exact expectation of the pattern, failures at constant rates in work, checkpoints"
            + " and recoveries. A failure returns to the newest checkpoint of its level or higher;"
            + " a failure during a recovery begins it anew, or one of its own level if that is"
            + " higher.");
    // Counts of somebody's own belong to all levels, of which the best choice may have fewer.
    BestPattern drawn = plan.hasCounts() ? whole(parsed, best) : best;
    if (drawn.levels().size() > 1) {
      answer.chart("counts", () -> MultilevelFigures.counts(drawn, plan.counts()));
    }
    return answer;
  }

  private static BestPattern whole(List<Level> parsed, BestPattern best) {
    return best.levels().size() == parsed.size() ? best : BestPattern.of(parsed);
  }

  private void given(Answer answer, List<Level> parsed, BestPattern best) {
    Pattern pattern = plan.pattern(whole(parsed, best).pattern());
    PatternModel model = new PatternModel(parsed);
    double time = model.expectedTime(pattern);
    answer.given("patternSeconds", time).given("patternWorkSeconds", pattern.work());
    answer.say(
        "The pattern you gave takes "
            + Words.number(time)
            + " s on average for "
            + Words.time(pattern.work())
            + " of work: "
            + Words.percent(pattern.work() / time)
            + " of the time is useful.");
  }

  /** What may happen before each kind of checkpoint is complete. */
  private static Sheet segments(List<Level> levels, double interval) {
    Sheet sheet =
        new Sheet("Segments of the pattern you gave", "segments")
            .column("up to", Kind.TEXT)
            .column("length", Kind.TIME)
            .column("no failure", Kind.NUMBER)
            .column("failures", Kind.TEXT)
            .column("time to failure", Kind.TIME);
    for (Level level : levels) {
      Segment segment = Segment.of(interval + level.cost(), levels);
      sheet.row(
          level.name(),
          segment.length(),
          segment.success(),
          new Sheet.Numbers(Arrays.stream(segment.failure()).boxed().toList(), " ", "%.7g"),
          segment.timeToFailure());
    }
    return sheet;
  }

  private String sentence(BestPattern best) {
    StringBuilder text = new StringBuilder("The best plan: a checkpoint after every ");
    text.append(Words.time(best.pattern().interval())).append(" of computation, to ");
    int[] each = best.pattern().counts();
    text.append(best.levels().getFirst().name());
    for (int i = 0; i < each.length; i++) {
      text.append(i == 0 ? ", but every " : ", and every ")
          .append(each[i] == 1 ? "one" : ordinal(each[i]))
          .append(i == 0 ? " of them to " : " of those to ")
          .append(best.levels().get(i + 1).name());
    }
    return text.append(". Then ")
        .append(Words.percent(best.efficiency()))
        .append(" of the time is useful, and ")
        .append(Words.time(work))
        .append(" of work take ")
        .append(Words.time(work * best.slowdown()))
        .append('.')
        .toString();
  }

  private static String ordinal(int number) {
    int last = number % 10;
    boolean teen = number / 10 % 10 == 1;
    return number
        + (teen || last > 3 || last == 0 ? "th" : last == 1 ? "st" : last == 2 ? "nd" : "rd");
  }

  private Sheet choices(List<BestPattern> found) {
    Sheet sheet =
        new Sheet("Choices of tiers", "choices")
            .column("tiers", Kind.TEXT)
            .column("counts", Kind.TEXT)
            .column("interval", Kind.TIME)
            .column("efficiency", Kind.SHARE)
            .column("wall time", Kind.TIME);
    for (BestPattern choice : found) {
      sheet.row(
          choice.levels().stream().map(Level::name).collect(Collectors.joining(" + ")),
          new Sheet.Numbers(Arrays.stream(choice.pattern().counts()).boxed().toList(), " : ", "%d"),
          choice.pattern().interval(),
          choice.efficiency(),
          work * choice.slowdown());
    }
    return sheet;
  }
}
