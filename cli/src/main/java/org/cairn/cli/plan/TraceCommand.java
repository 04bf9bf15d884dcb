// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Question;
import org.cairn.cli.answer.Sheet;
import org.cairn.cli.answer.Sheet.Kind;
import org.cairn.cli.answer.Words;
import org.cairn.cli.terminal.Terminal;
import org.cairn.plan.failure.Cause;
import org.cairn.plan.failure.Failure;
import org.cairn.plan.failure.Fit;
import org.cairn.plan.failure.Trace;
import org.cairn.plan.failure.TraceReader;
import org.cairn.plan.figure.TraceFigures;
import org.cairn.plan.simulate.Estimate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn plan trace}. */
@Command(
    name = "trace",
    description = {
      "How a real machine failed: its mean time between failures, and which distribution describes"
          + " it best.",
      "",
      "Reads LANL's public failure data (LA-UR-05-7318), and any CSV file with the columns time"
          + " (seconds, or dates such as 2026-01-31T12:00) and node.",
      ""
    },
    footer = {
      "",
      "Pictures (--plot): gaps, of one machine",
      "",
      "Examples:",
      "  cairn plan trace LA-UR-05-7318-failure-data-1996-2005.csv",
      "  cairn plan trace LA-UR-05-7318-failure-data-1996-2005.csv --system 18"
    })
final class TraceCommand extends Question {
  @Parameters(paramLabel = "FILE", description = "The trace.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private Path file;

  @Option(
      names = "--system",
      paramLabel = "NAME",
      description = "Which machine of the file; all of them unless given.")
  private @Nullable String system;

  TraceCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  public Answer answer() {
    Answer answer = new Answer("How does this machine fail?");
    answer.given("file", file.toString());
    if (system != null) {
      one(answer, TraceReader.reading(file, system));
      return answer;
    }
    List<TraceReader.Reading> readings = TraceReader.readings(file);
    if (readings.size() == 1) {
      one(answer, readings.getFirst());
    } else {
      all(answer, readings);
    }
    return answer;
  }

  private static void all(Answer answer, List<TraceReader.Reading> readings) {
    int failures = readings.stream().mapToInt(r -> r.trace().failures().size()).sum();
    answer.say(
        "The file has "
            + Words.count(failures)
            + " failures of "
            + readings.size()
            + " machines; --system NAME shows one of them.");
    Sheet sheet =
        new Sheet("Machines")
            .column("system", Kind.TEXT)
            .column("nodes", Kind.COUNT)
            .column("failures", Kind.COUNT)
            .column("observed", Kind.TIME)
            .column("mean gap", Kind.TIME)
            .column("Weibull shape", Kind.NUMBER);
    for (TraceReader.Reading reading : readings) {
      Trace trace = reading.trace();
      double[] gaps = trace.gaps();
      sheet.row(
          trace.name(),
          trace.nodes(),
          trace.failures().size(),
          trace.length(),
          gaps.length == 0 ? Double.NaN : trace.meanGap(),
          shape(gaps));
    }
    answer.sheet(sheet);
  }

  /** NaN where there are too few gaps to fit anything. */
  private static double shape(double[] gaps) {
    try {
      return Fit.weibull(gaps).parameter("shape");
    } catch (IllegalArgumentException e) {
      return Double.NaN;
    }
  }

  private static void one(Answer answer, TraceReader.Reading reading) {
    Trace trace = reading.trace();
    double[] gaps = trace.gaps();
    List<Fit> fits = Fit.all(gaps);
    Fit best = fits.getFirst();
    answer
        .given("system", trace.name())
        .given("nodes", trace.nodes())
        .given("failures", trace.failures().size())
        .given("meanGapSeconds", trace.meanGap())
        .given("nodeMtbfSeconds", trace.meanGap() * trace.nodes())
        .given("simultaneous", best.zeros())
        .given("rowsWithoutTime", reading.skipped());
    answer.say(
        trace.name()
            + " had "
            + Words.count(trace.failures().size())
            + " failures in "
            + Words.time(trace.length())
            + ": one every "
            + String.format(Locale.ROOT, "%.4f h", trace.meanGap() / 3600)
            + " on average, one every "
            + Words.time(trace.meanGap() * trace.nodes())
            + " on each of its "
            + Words.count(trace.nodes())
            + " nodes.");
    answer.say(
        Words.count(best.zeros())
            + " failures came at the same moment as another one. "
            + "Of the distributions below, "
            + best.name()
            + " describes the other gaps best.");
    Fit weibull =
        fits.stream().filter(f -> f.family() == Fit.Family.WEIBULL).findFirst().orElseThrow();
    if (weibull.parameter("shape") < 0.95) {
      answer.say(
          "A Weibull shape below 1 means that failures come in clusters: right after one, the next"
              + " is likelier. Models with a constant rate are too pessimistic about long gaps and"
              + " too optimistic about short ones; 'cairn plan simulate --trace' replays the real"
              + " failures.");
    }
    Sheet sheet =
        new Sheet("Fits")
            .column("distribution", Kind.TEXT)
            .column("first parameter", Kind.TEXT)
            .column("first", Kind.NUMBER)
            .column("second parameter", Kind.TEXT)
            .column("second", Kind.NUMBER)
            .column("log likelihood", Kind.NUMBER)
            .column("AIC", Kind.NUMBER)
            .column("KS distance", Kind.NUMBER);
    double[] hours = new double[gaps.length];
    for (int i = 0; i < gaps.length; i++) {
      hours[i] = gaps[i] / 3600;
    }
    for (Fit fit : Fit.all(hours)) {
      List<String> names = fit.family().parameterNames();
      sheet.row(
          fit.name(),
          names.getFirst(),
          fit.parameters().getFirst(),
          names.size() > 1 ? names.get(1) : "",
          names.size() > 1 ? fit.parameters().get(1) : Double.NaN,
          fit.logLikelihood(),
          fit.aic(),
          fit.distance());
    }
    answer.sheet(sheet);
    repairs(answer, trace);
    causes(answer, trace);
    answer.chart("gaps", () -> TraceFigures.gaps(trace));
    answer.note(
        "Maximum-likelihood fits to the positive gaps, in hours; the smaller AIC (and the smaller"
            + " Kolmogorov-Smirnov distance) the better.");
  }

  private static void repairs(Answer answer, Trace trace) {
    if (trace.repairs().length == 0) {
      return;
    }
    Estimate repairs = Estimate.of(trace.repairs());
    answer
        .given("repairSeconds", repairs.mean())
        .given("repairMedianSeconds", repairs.median())
        .given("repair95PercentSeconds", repairs.p95());
    answer.say(
        "A repair took "
            + Words.time(repairs.mean())
            + " on average; half of them took less than "
            + Words.time(repairs.median())
            + ", one in twenty more than "
            + Words.time(repairs.p95())
            + ".");
  }

  private static void causes(Answer answer, Trace trace) {
    OptionalDouble severe = trace.severeShare();
    if (severe.isEmpty()) {
      return;
    }
    answer.given("severeShare", severe.getAsDouble());
    answer.say(
        "Hardware and facilities caused "
            + Words.percent(severe.getAsDouble())
            + " of the failures with a known cause: those take what the node holds, its checkpoints"
            + " too.");
    Sheet sheet =
        new Sheet("Causes")
            .column("cause", Kind.TEXT)
            .column("failures", Kind.COUNT)
            .column("part", Kind.SHARE)
            .column("mean repair", Kind.TIME);
    double all = trace.failures().size();
    for (Cause cause : Cause.values()) {
      List<Failure> failures =
          trace.failures().stream().filter(failure -> failure.cause() == cause).toList();
      if (!failures.isEmpty()) {
        sheet.row(
            cause.title(),
            failures.size(),
            failures.size() / all,
            failures.stream()
                .mapToDouble(Failure::repair)
                .filter(Double::isFinite)
                .average()
                .orElse(Double.NaN));
      }
    }
    answer.sheet(sheet);
  }
}
