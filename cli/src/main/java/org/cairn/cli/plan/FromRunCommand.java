// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeSet;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Question;
import org.cairn.cli.answer.Sheet;
import org.cairn.cli.answer.Sheet.Kind;
import org.cairn.cli.answer.Units;
import org.cairn.cli.answer.Words;
import org.cairn.cli.terminal.Terminal;
import org.cairn.plan.differential.Comparison;
import org.cairn.plan.figure.DifferentialFigures;
import org.cairn.plan.figure.IntervalFigures;
import org.cairn.plan.interval.WallTime;
import org.cairn.plan.multilevel.BestPattern;
import org.cairn.plan.run.Advice;
import org.cairn.plan.run.Interruptions;
import org.cairn.plan.run.RunHistory;
import org.cairn.plan.run.Severities;
import org.cairn.plan.run.Spread;
import org.cairn.plan.run.TierUse;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn plan from-run}. */
@Command(
    name = "from-run",
    description = {
      "Advice for a run, from its own events: how often it was interrupted, what its checkpoints"
          + " cost, and what would be better.",
      ""
    },
    footer = {
      "",
      "Pictures (--plot): cost, gain",
      "",
      "Examples:",
      "  cairn plan from-run checkpoints",
      "  cairn plan from-run checkpoints --mtbf 5y --sockets 400     if you know the machine better",
      "  cairn plan from-run checkpoints --html advice.html"
    })
final class FromRunCommand extends Question {
  private static final double USUALLY_SEVERE = 0.1;

  @Parameters(
      paramLabel = "DIR",
      description = "The directory of the checkpoints, or an events.jsonl.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private Path directory;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "The job, where several left their logs; an empty name for one without.")
  private @Nullable String name;

  @Option(
      names = "--mtbf",
      paramLabel = "TIME",
      converter = Units.Time.class,
      description = "Mean time between failures of one socket, in place of what the log shows.")
  private @Nullable Double mtbf;

  @Option(
      names = "--sockets",
      paramLabel = "N",
      converter = Units.Count.class,
      defaultValue = "1",
      description = "With --mtbf: how many sockets there are; 1 unless given.")
  private long sockets;

  @Option(
      names = "--work",
      paramLabel = "TIME",
      converter = Units.Time.class,
      defaultValue = "168h",
      description = "How much there is still to compute; 168h unless given.")
  private double work;

  @Option(
      names = "--severe",
      paramLabel = "PART",
      converter = Units.Share.class,
      description =
          "What part of the failures takes a node with its disk. Unless given, what the restarts of"
              + " the run show; 10%% where there are none.")
  private @Nullable Double severe;

  FromRunCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  public Answer answer() {
    if (sockets < 1) {
      throw new IllegalArgumentException("--sockets is " + sockets + "; a job needs at least one");
    }
    MachineOptions.positive(work, "--work");
    if (severe != null) {
      MachineOptions.share(severe, "--severe");
    }
    OptionalDouble known =
        mtbf == null
            ? OptionalDouble.empty()
            : OptionalDouble.of(MachineOptions.positive(mtbf, "--mtbf") / sockets);
    RunHistory history =
        name == null ? RunHistory.read(directory) : RunHistory.read(directory, name);
    Advice advice = Advice.of(history, known);
    Answer answer = new Answer("How should this run go on?");
    answer
        .given("directory", directory.toString())
        .given("ranks", history.ranks())
        .given("mttiSeconds", advice.mtti())
        .given("checkpointSeconds", advice.conditions().checkpoint())
        .given("restartSeconds", advice.conditions().restart())
        .given("intervalSeconds", advice.bestInterval())
        .given("workSeconds", work);
    interrupted(answer, history, advice, known.isPresent());
    severities(answer, history);
    interval(answer, advice);
    differential(answer, advice);
    tiers(answer, advice);
    answer.sheet(seen(history));
    if (!history.tiers().isEmpty()) {
      answer.sheet(tierSheet(advice));
    }
    notes(answer, history);
    answer.chart(
        "cost", () -> IntervalFigures.cost(advice.conditions(), work, advice.usedInterval()));
    advice
        .differential()
        .ifPresent(
            comparison ->
                answer.chart("gain", () -> DifferentialFigures.gain(comparison, dirty(history))));
    return answer;
  }

  private static void interrupted(Answer answer, RunHistory history, Advice advice, boolean given) {
    Interruptions seen = history.interruptions();
    String watched = "In " + Words.time(seen.seconds()) + " of this run on " + ranks(history);
    if (seen.count() == 0) {
      answer.say(
          watched
              + " there was no interruption"
              + (given
                  ? "."
                  : ": the mean time between is probably more than "
                      + Words.time(seen.low())
                      + ", and the advice is for that."));
    } else {
      answer.say(
          watched
              + " it was interrupted "
              + (seen.count() == 1 ? "once" : seen.count() + " times")
              + ": every "
              + Words.time(seen.seconds() / seen.count())
              + " on average (90 % range "
              + Words.time(seen.low())
              + " to "
              + Words.time(seen.high())
              + ").");
    }
    if (given) {
      answer.say(
          "The advice is for the "
              + Words.time(advice.mtti())
              + " between interrupts that you gave.");
    }
  }

  private static void severities(Answer answer, RunHistory history) {
    Severities seen = history.severities();
    if (seen.restarts() == 0) {
      return;
    }
    answer.given("restarts", seen.restarts()).given("severeRestarts", seen.severe());
    if (seen.severe() > 0) {
      answer.say(
          seen.severe()
              + " of "
              + seen.restarts()
              + " restarts after interruptions needed more than each rank's own disk ("
              + String.join(", ", new TreeSet<>(seen.byTier().keySet()))
              + ").");
    } else if (history.ranks() > 1) {
      answer.say(
          "After "
              + (seen.restarts() == 1 ? "the one interruption" : "all of them")
              + " each rank found its state on its own disk.");
    }
  }

  private double severe(RunHistory history) {
    return severe == null ? history.severities().share(USUALLY_SEVERE) : severe;
  }

  private static String ranks(RunHistory history) {
    return history.ranks() == 1 ? "one rank" : history.ranks() + " ranks";
  }

  private void interval(Answer answer, Advice advice) {
    double best = advice.bestInterval();
    WallTime time = advice.wallTime(work, best);
    answer.say(
        "A checkpoint makes the program wait "
            + Words.time(advice.conditions().checkpoint())
            + ". Best is one after every "
            + Words.time(best)
            + " of computation: "
            + Words.percent(time.efficiency())
            + " of the time is then useful.");
    OptionalDouble used = advice.usedInterval();
    if (used.isPresent()) {
      double now = advice.wallTime(work, used.getAsDouble()).efficiency();
      boolean good = time.efficiency() - now < 0.005;
      answer.say(
          "The run took one after "
              + Words.time(used.getAsDouble())
              + " on average, "
              + (good
                  ? "which is as good (" + Words.percent(now) + ")."
                  : "which gives " + Words.percent(now) + "."));
    }
    answer.say(
        String.format(
            Locale.ROOT,
            "In code: Options.defaults().every(Duration.ofMillis(%d)), or"
                + " mtbf(Duration.ofMillis(%d)) to let Cairn follow the measured cost.",
            Math.max(1, Math.round(best * 1000)),
            Math.max(1, Math.round(advice.mtti() * 1000))));
  }

  private static void differential(Answer answer, Advice advice) {
    Optional<Spread> dirty = advice.history().dirtyFraction();
    Optional<Comparison> comparison = advice.differential();
    if (dirty.isEmpty() || comparison.isEmpty()) {
      return;
    }
    double part = dirty.get().median();
    double change = comparison.get().relativeChange(part);
    answer
        .given("dirtyShare", part)
        .given("thresholdShare", comparison.get().threshold())
        .given("differentialChangeShare", change);
    answer.say(
        "Half of the checkpoints found no more than "
            + Words.percent(part)
            + " of the blocks changed; differential checkpoints pay below "
            + Words.percent(comparison.get().threshold())
            + ", so "
            + (change < 0
                ? "they are worth it here (" + Words.percent(-change) + " less time)."
                : "full ones would be faster here (Strategy.FULL)."));
  }

  private void tiers(Answer answer, Advice advice) {
    for (TierUse tier : advice.history().tiers()) {
      double share = severe(advice.history());
      Optional<BestPattern> pattern = advice.withTier(tier, share);
      if (pattern.isEmpty()) {
        continue;
      }
      int count = pattern.get().pattern().counts()[0];
      double seconds = tier.seconds().orElseThrow().mean();
      answer.say(
          "Tier "
              + tier.tier()
              + " takes "
              + Words.time(seconds)
              + " for a version, "
              + (seconds < advice.bestInterval()
                  ? "less than the interval: in the background it can have every checkpoint."
                  : "longer than the interval: it will skip checkpoints.")
              + " If the program waited for it, "
              + (count == 1 ? "every" : "one in " + count)
              + " would be best, with "
              + Words.percent(share)
              + " of the failures losing a node.");
    }
  }

  private static OptionalDouble dirty(RunHistory history) {
    Optional<Spread> dirty = history.dirtyFraction();
    return dirty.isPresent() ? OptionalDouble.of(dirty.get().median()) : OptionalDouble.empty();
  }

  private static Sheet seen(RunHistory history) {
    Sheet sheet =
        new Sheet("What the run's events show", "events")
            .column("what", Kind.TEXT)
            .columnForMachines("unit", Kind.TEXT)
            .column("number", Kind.COUNT)
            .column("least", Kind.TEXT)
            .column("median", Kind.TEXT)
            .column("mean", Kind.TEXT)
            .column("most", Kind.TEXT);
    row(sheet, "time between checkpoints", history.interval(), Kind.TIME);
    row(sheet, "of it computation", history.computation(), Kind.TIME);
    row(sheet, "program waited", history.waited(), Kind.TIME);
    row(sheet, "until durable", history.durable(), Kind.TIME);
    row(sheet, "restart", history.restarts(), Kind.TIME);
    row(sheet, "dirty blocks", history.dirtyFraction(), Kind.SHARE);
    row(sheet, "state", history.protectedBytes(), Kind.BYTES);
    row(sheet, "written", history.bytesWritten(), Kind.BYTES);
    history.hashRate().ifPresent(rate -> rate(sheet, "hashing, each rank", rate));
    history.writeRate().ifPresent(rate -> rate(sheet, "writing, each rank", rate));
    return sheet;
  }

  private static void row(Sheet sheet, String what, Optional<Spread> spread, Kind kind) {
    spread.ifPresent(
        s ->
            sheet.row(
                what,
                kind.unit(),
                s.count(),
                new Sheet.Quantity(s.min(), kind),
                new Sheet.Quantity(s.median(), kind),
                new Sheet.Quantity(s.mean(), kind),
                new Sheet.Quantity(s.max(), kind)));
  }

  private static void rate(Sheet sheet, String what, double rate) {
    sheet.row(what, Kind.RATE.unit(), Double.NaN, "", "", new Sheet.Quantity(rate, Kind.RATE), "");
  }

  private static Sheet tierSheet(Advice advice) {
    Sheet sheet =
        new Sheet("Tiers")
            .column("tier", Kind.TEXT)
            .column("reached", Kind.COUNT)
            .column("failed", Kind.COUNT)
            .column("skipped", Kind.COUNT)
            .column("mean", Kind.TIME)
            .column("longest", Kind.TIME);
    for (TierUse tier : advice.history().tiers()) {
      sheet.row(
          tier.tier(),
          tier.reached(),
          tier.failed(),
          tier.skipped(),
          tier.seconds().map(Spread::mean).orElse(Double.NaN),
          tier.seconds().map(Spread::max).orElse(Double.NaN));
    }
    return sheet;
  }

  private static void notes(Answer answer, RunHistory history) {
    if (history.severities().restarts() > 0 && !history.tiers().isEmpty()) {
      answer.note(
          "The part of failures that lose a node is that of the restarts seen, with the usual 10 %"
              + " counted as one more of them; --severe says it better.");
    }
    if (history.failedCheckpoints() > 0) {
      answer.note(history.failedCheckpoints() + " checkpoints failed; the log says why.");
    }
    if (history.unreadable() > 0) {
      answer.note(history.unreadable() + " lines of the logs could not be read and were left out.");
    }
    answer.note(
        "An interruption is a life of the program that did not close its checkpoints and was"
            + " followed by another; one that a signal ended (a time limit, a person) is none, unless"
            + " another rank was lost at that time. The range is exact for failures at a constant rate.");
  }
}
