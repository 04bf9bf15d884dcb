// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Question;
import org.cairn.cli.answer.Sheet;
import org.cairn.cli.answer.Sheet.Kind;
import org.cairn.cli.answer.Units;
import org.cairn.cli.answer.Words;
import org.cairn.cli.terminal.Terminal;
import org.cairn.plan.chart.Chart;
import org.cairn.plan.figure.SimulationFigures;
import org.cairn.plan.interval.Conditions;
import org.cairn.plan.multilevel.Pattern;
import org.cairn.plan.replication.FailureCount;
import org.cairn.plan.replication.Replication;
import org.cairn.plan.replication.SoftwareOverhead;
import org.cairn.plan.simulate.CheckpointCost;
import org.cairn.plan.simulate.Estimate;
import org.cairn.plan.simulate.Level;
import org.cairn.plan.simulate.Mapping;
import org.cairn.plan.simulate.Replicas;
import org.cairn.plan.simulate.Scenario;
import org.cairn.plan.simulate.Simulation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn plan simulate}. */
@Command(
    name = "simulate",
    description = {
      "Simulates runs, failure by failure, where no closed form holds: lives that are not"
          + " exponential, recorded failures, replicas, several levels, measured costs.",
      ""
    },
    footer = {
      "",
      "Pictures (--plot): efficiency (figures 3.5, 3.6 of Ferreira 2011; with --overhead 6.5, 6.6),"
          + " time (3.4), which simulate machines of many sizes, with at most 200 runs each;"
          + " intervals, the first where --sockets is not given, with levels and with a trace",
      "",
      "Examples:",
      "  cairn plan simulate --mtbf 5y --sockets 200000 --checkpoint 15min --replicas 2",
      "  cairn plan simulate --mtbf 4y --sockets 20000 --checkpoint 15min --failures weibull:0.469",
      "  cairn plan simulate --mtbf 4y --sockets 100000 --memory 16GB --bandwidth 1TB/s \\",
      "      --failures weibull:0.469 --replicas 2 --overhead best --svg figure-6.5.svg",
      "  cairn plan simulate --trace failures.csv --system 18 --checkpoint 10min",
      "  cairn plan simulate --mtbf 1d --costs-from checkpoints --work 30d",
      "  cairn plan simulate --level local,cost=5s,restart=5s,mtbf=1d \\",
      "      --level shared,cost=10min,restart=15min,mtbf=30d"
    })
final class SimulateCommand extends Question {
  @Mixin private final MachineOptions machine = new MachineOptions();
  @Mixin private final FailureOptions failures = new FailureOptions();
  @Mixin private final TrialOptions trials = new TrialOptions();
  @Mixin private final CostOptions costs = new CostOptions();
  @Mixin private final PatternOptions plan = new PatternOptions();

  @Option(
      names = "--replicas",
      paramLabel = "N",
      defaultValue = "1",
      description = "Replicas of each process; 1 unless given, which is none.")
  private int replicas;

  @Option(
      names = "--share",
      paramLabel = "PART",
      converter = Units.Share.class,
      defaultValue = "100%",
      description = "What part of the processes is replicated; 100%% unless given.")
  private double share;

  @Option(
      names = "--mapping",
      paramLabel = "WHERE",
      defaultValue = "forward",
      description =
          "Where replicas live: forward ABCD|ABCD (the default), reverse ABCD|DCBA,"
              + " shuffle, or adjacent AABBCCDD. It matters for recorded failures.")
  private String mapping = "forward";

  @Option(
      names = "--overhead",
      paramLabel = "FIT",
      defaultValue = "none",
      description =
          "What the software of replicas costs (Ferreira 2011): none (the default), best (equation"
              + " 5.1) or worst (5.2).")
  private String overhead = "none";

  @Option(
      names = "--interval-by",
      paramLabel = "RULE",
      defaultValue = "law",
      description =
          "Which interval unless --interval says it: law, the best under --failures, searched for"
              + " where no formula has it (the default), or mean, Daly's for the mean rate of"
              + " interrupts, as in Ferreira's figures.")
  private String intervalBy = "law";

  SimulateCommand(Terminal terminal) {
    super(terminal);
  }

  private void check() {
    failures.check(
        machine.hasMtbf() && !plan.hasLevels(), machine.hasSockets() && !plan.hasLevels());
    if (replicas < 1) {
      throw new IllegalArgumentException("--replicas is " + replicas + "; 1 means none");
    }
    MachineOptions.share(share, "--share");
    if (share != 1 && replicas == 1) {
      throw new IllegalArgumentException("--share is for --replicas, of which there are none");
    }
    if (!intervalBy.equalsIgnoreCase("law") && !isByMean()) {
      throw new IllegalArgumentException(
          "--interval-by is '" + intervalBy + "'; there are law and mean");
    }
    if (OverheadOption.parse(overhead) != SoftwareOverhead.NONE) {
      if (replicas == 1) {
        throw new IllegalArgumentException("--overhead is for --replicas, of which there are none");
      }
      if (plan.hasLevels()) {
        throw new IllegalArgumentException("--overhead and --level do not go together yet");
      }
    }
    costs.check();
  }

  private boolean isByMean() {
    return intervalBy.equalsIgnoreCase("mean");
  }

  @Override
  public Answer answer() {
    check();
    Strategies ways = new Strategies(machine, failures, trials);
    Strategy strategy = plan.hasLevels() ? manyLevels(ways) : oneLevel(ways);
    Planned planned = trials.plan(terminal(), strategy);
    Simulation result = planned.simulation();
    Answer answer = new Answer("What will the run cost, simulated?");
    answer
        .given("workSeconds", machine.work())
        .given("sockets", planned.scenario().failures().sockets())
        .given("failures", failures.describe())
        .given("replicas", replicas)
        .given("intervalSeconds", planned.interval())
        .given("efficiencyShare", planned.efficiency());
    trials.describe(answer, result);
    say(answer, planned);
    answer.sheet(sheet(planned));
    if (!isByMean() && !plan.isGiven()) {
      answer.note(TrialOptions.noteOnSearch(List.of(planned)));
    }
    answer.note(trials.note(result));
    failures.note(answer);
    answer.note(
        "A failed socket is replaced at once; its process is lost until the next interrupt, when all"
            + " come back. Failures strike work, checkpoints, recoveries and rework alike. Checkpoint is"
            + " all time spent writing, what was interrupted or had to be written again included;"
            + " the closed form of wall-time counts that as rework.");
    if (!plan.hasLevels() && !failures.isTrace() && machine.hasStorage() && machine.sockets() > 1) {
      sizes(answer, ways, planned);
    }
    if (!planned.tried().isEmpty() || Double.isFinite(expected(planned))) {
      answer.chart("intervals", () -> intervals(planned));
    }
    return answer;
  }

  private void say(Answer answer, Planned planned) {
    Simulation result = planned.simulation();
    Estimate time = result.wallTime();
    double useful = machine.work() / planned.scenario().work() * result.efficiency();
    if (result.unfinished() > 0) {
      answer.say(
          Words.count(result.unfinished())
              + " of "
              + Words.count(result.trials())
              + " simulated runs were given up after "
              + Words.time(planned.scenario().giveUpAfter())
              + ": on this machine the job hardly gets on. What follows is at best a lower bound of"
              + " the time.");
    }
    answer.say(
        "A run of "
            + Words.time(machine.work())
            + " of work takes "
            + Words.time(time.mean())
            + Words.plusMinus(time.halfWidth())
            + " on average, between "
            + Words.time(time.p05())
            + " and "
            + Words.time(time.p95())
            + " in nine of ten cases: "
            + Words.percent(useful)
            + " of the time is useful"
            + (replicas > 1
                ? ", and with its replicas "
                    + Words.percent(planned.efficiency())
                    + " of the machine."
                : "."));
    answer.say(
        "It checkpoints after every "
            + Words.time(planned.interval())
            + " of computation, and meets "
            + Words.count(round(result.failures()))
            + " failures of which "
            + Words.count(round(result.interrupts()))
            + " interrupt it.");
    closedForm(answer, planned);
  }

  private void closedForm(Answer answer, Planned planned) {
    Estimate time = planned.simulation().wallTime();
    double expected = expected(planned);
    if (Double.isFinite(expected)
        && Double.isFinite(time.halfWidth())
        && planned.simulation().unfinished() == 0) {
      double difference = time.mean() / expected - 1;
      boolean within = Math.abs(time.mean() - expected) <= time.halfWidth();
      answer.given("expectedSeconds", expected);
      answer.say(
          "The closed form ("
              + model(planned)
              + ") says "
              + Words.time(expected)
              + ": "
              + (within
                  ? "within the range."
                  : String.format(
                          Locale.ROOT, "the simulation differs by %+.1f %%", 100 * difference)
                      + (isExact(planned)
                          ? ", as one in twenty does."
                          : ", because the closed form does not hold exactly here.")));
    }
  }

  /** Patterns have no closed form for replicas. */
  private double expected(Planned planned) {
    return plan.hasLevels() && replicas > 1 ? Double.NaN : planned.expected();
  }

  private boolean isExact(Planned planned) {
    List<Level> levels = planned.scenario().levels();
    return failures.isExponential()
        && replicas == 1
        && levels.size() == 1
        && levels.getFirst().cost() instanceof CheckpointCost.Fixed;
  }

  private String model(Planned planned) {
    if (plan.hasLevels()) {
      return "pattern " + Arrays.toString(planned.scenario().counts());
    }
    return isExact(planned)
        ? "exact for exponential failures"
        : replicas == 1
            ? "Daly 2006, with the mean time between failures"
            : "Daly 2006, with the mean time to interrupt";
  }

  private static double round(double value) {
    return Math.round(value * 100) / 100.0;
  }

  private Sheet sheet(Planned planned) {
    Simulation result = planned.simulation();
    Sheet sheet =
        new Sheet("Result")
            .column("what", Kind.TEXT)
            .column("mean", Kind.TIME)
            .column("part", Kind.SHARE)
            .column("plus minus", Kind.TIME)
            .column("5 percent", Kind.TIME)
            .column("median", Kind.TIME)
            .column("95 percent", Kind.TIME);
    Estimate time = result.wallTime();
    double none = Double.NaN;
    sheet.row(
        "wall time",
        time.mean(),
        1.0,
        Sheet.known(time.halfWidth()),
        time.p05(),
        time.median(),
        time.p95());
    // The software of replicas stretches the work.
    double useful = result.work() * machine.work() / planned.scenario().work();
    sheet.row("work", useful, useful / time.mean(), none, none, none, none);
    if (useful < result.work()) {
      double software = result.work() - useful;
      sheet.row("software of replicas", software, software / time.mean(), none, none, none, none);
    }
    sheet.row(
        "checkpoint",
        result.checkpoint(),
        result.checkpoint() / time.mean(),
        none,
        none,
        none,
        none);
    sheet.row("recover", result.recover(), result.recover() / time.mean(), none, none, none, none);
    sheet.row("rework", result.rework(), result.rework() / time.mean(), none, none, none, none);
    sheet.row(
        "wall time for each interrupt", result.meanTimeToInterrupt(), none, none, none, none, none);
    if (Double.isFinite(expected(planned))) {
      sheet.row("closed form", expected(planned), none, none, none, none, none);
    }
    return sheet;
  }

  // ------------------------------------------------------------------ what is simulated

  /** What was asked about. */
  private Strategy oneLevel(Strategies ways) {
    Strategy strategy = oneLevel(ways, ways.sockets(), replicas);
    if (plan.isGiven()) {
      return strategy.settledAt(plan.interval(strategy.scenario().interval()));
    }
    return isByMean() ? strategy.settledAt(strategy.scenario().interval()) : strategy;
  }

  /** On a machine of any size, with the interval for the mean rate. */
  private Strategy oneLevel(Strategies ways, long sockets, int degree) {
    Replication replication = new Replication(degree, degree == 1 ? 1 : share);
    double processes = replication.processes(sockets);
    double restart = costs.restart(machine, processes);
    CheckpointCost cost = costs.cost(machine, processes);
    if (!failures.isTrace()) {
      Conditions conditions =
          new Conditions(
              CostOptions.mean(cost),
              restart,
              FailureCount.EXACT.mtti(replication, sockets, machine.mtbf()));
      trials.refuseHopeless(conditions, machine.mtbf() / sockets, machine.work());
    }
    return ways.oneLevel(
        degree == 1 ? "without replicas" : degree + " replicas",
        sockets,
        cost,
        restart,
        new Replicas(degree, replication.share(), mapping()),
        degree == 1 ? SoftwareOverhead.NONE : OverheadOption.parse(overhead));
  }

  private Strategy manyLevels(Strategies ways) {
    if (machine.hasStorage() || costs.isGiven()) {
      throw new IllegalArgumentException(
          "--level brings its own costs; leave out --checkpoint, --memory, --bandwidth,"
              + " --costs-from and --dirty");
    }
    List<LevelOption> parsed = plan.levels();
    double machineMtbf = 1 / parsed.stream().mapToDouble(l -> 1 / l.mtbf()).sum();
    Strategy strategy =
        ways.levels(
            "several levels",
            parsed.stream().map(LevelOption::level).toList(),
            failures.model(machineMtbf * machine.sockets(), machine.sockets()),
            new Replicas(replicas, replicas == 1 ? 1 : share, mapping()));
    Scenario best = strategy.scenario();
    Pattern pattern = plan.pattern(new Pattern(best.interval(), best.counts()));
    return plan.isGiven() || isByMean()
        ? strategy.settledAt(pattern.interval(), pattern.counts())
        : strategy;
  }

  private Mapping mapping() {
    for (Mapping known : Mapping.values()) {
      if (known.name().equalsIgnoreCase(mapping)) {
        return known;
      }
    }
    throw new IllegalArgumentException(
        "--mapping is '" + mapping + "'; there are forward, reverse, shuffle and adjacent");
  }

  // ------------------------------------------------------------------ pictures

  private Chart intervals(Planned planned) {
    boolean own = plan.isGiven();
    return SimulationFigures.intervals(
        failures.describe(),
        List.of(planned.candidates(own ? "yours" : isByMean() ? "for the mean rate" : "best")));
  }

  private void sizes(Answer answer, Strategies ways, Planned planned) {
    double most = Math.max(2000, machine.sockets());
    double least = Math.max(replicas, Math.min(most / 200, machine.sockets()));
    double[] sizes = SimulationFigures.sizes(least, most, 10);
    String subtitle =
        failures.describe()
            + ", mean "
            + Words.time(machine.mtbf())
            + ", "
            + Words.time(machine.work())
            + " of work, checkpoint "
            + Words.time(machine.storage().checkpoint(machine.sockets()))
            + software()
            + "; intervals by the mean rate (Daly 2006), as in Ferreira 2011";
    SimulationFigures.Here here =
        new SimulationFigures.Here(
            ways.sockets(),
            planned.interval() == planned.strategy().scenario().interval()
                ? "your machine"
                : "your machine, at its best interval",
            planned.simulation(),
            planned.strategy().socketsPerWork());
    answer.chart(
        "efficiency",
        () ->
            SimulationFigures.efficiency(
                subtitle,
                sizes,
                List.of(
                    strategy(ways, "without replicas", 1),
                    strategy(ways, Math.max(2, replicas) + " replicas", Math.max(2, replicas))),
                here));
    answer.chart(
        "time",
        () ->
            SimulationFigures.wallTime(
                subtitle + (replicas == 1 ? "" : ", " + replicas + " replicas"),
                sizes,
                strategy(ways, replicas + " replicas", replicas),
                here));
  }

  private String software() {
    return switch (OverheadOption.parse(overhead)) {
      case NONE -> "";
      case BEST_PROTOCOL -> ", software of replicas by equation 5.1";
      case WORST_PROTOCOL -> ", software of replicas by equation 5.2";
    };
  }

  private SimulationFigures.Strategy strategy(Strategies ways, String name, int degree) {
    return new SimulationFigures.Strategy(
        name,
        n ->
            trials.runFew(
                terminal(),
                String.format(Locale.ROOT, "%s, %,d sockets", name, (long) n),
                oneLevel(ways, (long) n, degree).scenario()),
        n -> oneLevel(ways, (long) n, degree).expected(),
        n -> oneLevel(ways, (long) n, degree).socketsPerWork(),
        n -> oneLevel(ways, (long) n, degree).scenario().work());
  }
}
