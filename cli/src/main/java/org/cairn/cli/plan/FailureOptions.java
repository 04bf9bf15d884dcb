// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalDouble;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Units;
import org.cairn.cli.answer.Words;
import org.cairn.plan.failure.Lifetime;
import org.cairn.plan.failure.Trace;
import org.cairn.plan.failure.TraceReader;
import org.cairn.plan.simulate.Estimate;
import org.cairn.plan.simulate.FailureModel;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How sockets fail. */
final class FailureOptions {
  @Option(
      names = "--failures",
      paramLabel = "LAW",
      description =
          "How long sockets live: exponential (the default), weibull:SHAPE,"
              + " lognormal:SIGMA or gamma:SHAPE. The mean is --mtbf.")
  private @Nullable String given;

  @Option(
      names = "--per",
      paramLabel = "WHAT",
      defaultValue = "socket",
      description =
          "What the law is about: the life of each socket (the default), or the gaps"
              + " between failures anywhere in the system, with mean MTBF/sockets.")
  private String per = "socket";

  @Option(
      names = "--age",
      paramLabel = "TIME",
      converter = Units.Time.class,
      defaultValue = "0s",
      description =
          "How long the sockets have been in service when the job begins; new unless"
              + " given, as in Ferreira 2011.")
  private double age;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      description = "Replay recorded failures in place of a law; see 'cairn plan trace'.")
  private @Nullable Path trace;

  @Option(
      names = "--system",
      paramLabel = "NAME",
      description = "Which machine of the --trace; needed where it has several.")
  private @Nullable String system;

  @Option(
      names = "--repair",
      paramLabel = "HOW",
      defaultValue = "spare",
      description =
          "With --trace: where a job goes on after a failure. On a spare node at once (spare, the"
              + " default), or on the same node when it is repaired, as the file says (wait).")
  private String repair = "spare";

  private @Nullable Trace read;

  boolean isExponential() {
    return trace == null && lifetime(1) instanceof Lifetime.Exponential;
  }

  boolean isTrace() {
    return trace != null;
  }

  double age() {
    if (age < 0) {
      throw new IllegalArgumentException("--age is negative; a time cannot be less than 0");
    }
    return age;
  }

  /** The trace, which is read once. */
  Trace trace() {
    if (read == null) {
      Path file = Objects.requireNonNull(trace);
      if (system == null) {
        var systems = TraceReader.systems(file);
        if (systems.size() != 1) {
          throw new IllegalArgumentException(
              "the trace has "
                  + systems.size()
                  + " machines; say which with --system: "
                  + String.join(", ", systems));
        }
        read = TraceReader.read(file, systems.getFirst());
      } else {
        read = TraceReader.read(file, system);
      }
    }
    return read;
  }

  /** What strikes a machine of so many sockets. */
  FailureModel model(double mtbf, long sockets) {
    if (trace != null) {
      return new FailureModel.Replay(trace(), waitsForRepair());
    }
    refuseAbsurd(lifetime(mtbf));
    if (sockets > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "a simulation has room for " + Integer.MAX_VALUE + " sockets, not for " + sockets);
    }
    return switch (per.toLowerCase(Locale.ROOT)) {
      case "socket" -> new FailureModel.PerSocket(lifetime(mtbf), (int) sockets, age());
      case "system" -> new FailureModel.WholeSystem(lifetime(mtbf / sockets), (int) sockets);
      default ->
          throw new IllegalArgumentException("--per is '" + per + "'; there are socket and system");
    };
  }

  /** A law that lets half of all new sockets die at once would be simulated for ever. */
  private void refuseAbsurd(Lifetime lifetime) {
    if (isPerSocket() && lifetime.inverseCumulativeHazard(Math.log(2)) < 1) {
      throw new IllegalArgumentException(
          "--failures is '"
              + law()
              + "': with the mean that --mtbf says, half of all new sockets would fail within a"
              + " second, as those of no machine do; take a parameter closer to 1");
    }
  }

  private boolean waitsForRepair() {
    return switch (repair.toLowerCase(Locale.ROOT)) {
      case "spare" -> false;
      case "wait" -> {
        if (trace().repairs().length == 0) {
          throw new IllegalArgumentException(
              "--repair is 'wait', but the trace does not say how long repairs took: it has no"
                  + " column Down Time or repair");
        }
        yield true;
      }
      default ->
          throw new IllegalArgumentException(
              "--repair is '" + repair + "'; there are spare and wait");
    };
  }

  /** What the record knows besides times, and how it was used. */
  void note(Answer answer) {
    if (trace == null || trace().repairs().length == 0) {
      return;
    }
    Estimate repairs = Estimate.of(trace().repairs());
    answer.given("repairSeconds", repairs.mean());
    answer.note(
        "Repairs took "
            + Words.time(repairs.mean())
            + " on average, half of them less than "
            + Words.time(repairs.median())
            + ". "
            + (waitsForRepair()
                ? "The job waits for them before each restart."
                : "The job does not wait for them: there are spare nodes (--repair wait: there are"
                    + " none)."));
  }

  /** What part of recorded failures took what the node held; empty where causes are not known. */
  OptionalDouble severeShare() {
    return trace == null ? OptionalDouble.empty() : trace().severeShare();
  }

  /** Refuses options that a trace has no use for, and those that no law has. */
  void check(boolean hasMtbf, boolean hasSockets) {
    if (trace == null) {
      if (system != null) {
        throw new IllegalArgumentException("--system is a machine of a --trace; there is none");
      }
      if (!repair.equalsIgnoreCase("spare")) {
        throw new IllegalArgumentException("--repair is for a --trace; there is none");
      }
      if (!per.equalsIgnoreCase("socket") && !per.equalsIgnoreCase("system")) {
        throw new IllegalArgumentException("--per is '" + per + "'; there are socket and system");
      }
    } else if (hasMtbf || hasSockets || given != null) {
      throw new IllegalArgumentException(
          "--trace brings its machine and its failures; leave out --mtbf, --sockets and --failures");
    }
  }

  boolean isPerSocket() {
    return trace == null && per.equalsIgnoreCase("socket");
  }

  private String law() {
    return given == null ? "exponential" : given;
  }

  /** A life of this mean. */
  Lifetime lifetime(double mean) {
    String[] parts = law().toLowerCase(Locale.ROOT).split(":", 2);
    String name = parts[0].replace("-", "");
    if (name.equals("exponential") && parts.length == 1) {
      return Lifetime.exponential(mean);
    }
    if (parts.length == 2) {
      double parameter = parameter(parts[1]);
      switch (name) {
        case "weibull" -> {
          return Lifetime.weibull(parameter, mean);
        }
        case "lognormal" -> {
          return Lifetime.logNormal(parameter, mean);
        }
        case "gamma" -> {
          return Lifetime.gamma(parameter, mean);
        }
        default -> {}
      }
    }
    throw new IllegalArgumentException(
        "--failures is '"
            + law()
            + "'; there are exponential, weibull:SHAPE, lognormal:SIGMA and"
            + " gamma:SHAPE");
  }

  private double parameter(String text) {
    try {
      double value = Double.parseDouble(text);
      if (value > 0 && Double.isFinite(value)) {
        return value;
      }
    } catch (NumberFormatException e) {
      // refused below
    }
    throw new IllegalArgumentException(
        "--failures is '" + law() + "'; what follows the colon must be a number above 0");
  }

  /** In words, for people. */
  String describe() {
    if (trace != null) {
      Trace recorded = trace();
      return "the "
          + Words.count(recorded.failures().size())
          + " recorded failures of "
          + recorded.name();
    }
    return inWords()
        + (isPerSocket() ? " lives of sockets" : " gaps between failures of the system");
  }

  private String inWords() {
    return switch (lifetime(1)) {
      case Lifetime.Exponential _ -> "exponential";
      case Lifetime.Weibull weibull -> "Weibull (shape " + plain(weibull.shape()) + ")";
      case Lifetime.LogNormal normal -> "log-normal (sigma " + plain(normal.sigma()) + ")";
      case Lifetime.Gamma gamma -> "gamma (shape " + plain(gamma.shape()) + ")";
    };
  }

  private static String plain(double value) {
    return new BigDecimal(Double.toString(value)).stripTrailingZeros().toPlainString();
  }
}
