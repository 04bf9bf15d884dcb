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
import org.cairn.plan.figure.SimulationFigures;
import org.cairn.plan.interval.Conditions;
import org.cairn.plan.interval.IntervalRule;
import org.cairn.plan.interval.WallTime;
import org.cairn.plan.multilevel.BestPattern;
import org.cairn.plan.multilevel.Pattern;
import org.cairn.plan.multilevel.PatternModel;
import org.cairn.plan.replication.FailureCount;
import org.cairn.plan.replication.Replication;
import org.cairn.plan.simulate.CheckpointCost;
import org.cairn.plan.simulate.Estimate;
import org.cairn.plan.simulate.FailureModel;
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
      "Pictures (--plot): efficiency (figures 3.5, 3.6), time (3.4); both simulate machines of many",
      "sizes, with at most 200 runs each",
      "",
      "Examples:",
      "  cairn plan simulate --mtbf 5y --sockets 200000 --checkpoint 15min --replicas 2",
      "  cairn plan simulate --mtbf 4y --sockets 20000 --checkpoint 15min --failures weibull:0.469",
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
    costs.check();
  }

  /** What is simulated, and what the closed form says of it. */
  private record Setting(Scenario scenario, double expected, boolean exact, String model) {}

  @Override
  public Answer answer() {
    check();
    Setting setting = plan.hasLevels() ? manyLevels() : oneLevel(machine.sockets(), replicas);
    Simulation result = trials.run(terminal(), "simulate", setting.scenario());
    Answer answer = new Answer("What will the run cost, simulated?");
    answer
        .given("workSeconds", machine.work())
        .given("sockets", setting.scenario().failures().sockets())
        .given("failures", failures.describe())
        .given("replicas", replicas)
        .given("intervalSeconds", setting.scenario().interval());
    trials.describe(answer, result);
    say(answer, setting, result);
    answer.sheet(sheet(setting, result));
    answer.note(trials.note(result));
    answer.note(
        "A failed socket is replaced at once; its process is lost until the next interrupt, when all"
            + " come back. Failures strike work, checkpoints, recoveries and rework alike. Checkpoint is"
            + " all time spent writing, what was interrupted or had to be written again included;"
            + " the closed form of wall-time counts that as rework.");
    if (!plan.hasLevels() && !failures.isTrace() && machine.hasStorage()) {
      charts(answer);
    }
    return answer;
  }

  private void say(Answer answer, Setting setting, Simulation result) {
    Estimate time = result.wallTime();
    double per = replication().socketsPerProcess();
    if (result.unfinished() > 0) {
      answer.say(
          Words.count(result.unfinished())
              + " of "
              + Words.count(result.trials())
              + " simulated runs were given up after "
              + Words.time(setting.scenario().giveUpAfter())
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
            + Words.percent(result.efficiency().mean())
            + " of the time is useful"
            + (per > 1
                ? ", and with its replicas "
                    + Words.percent(result.efficiency().mean() / per)
                    + " of the machine."
                : "."));
    answer.say(
        "It checkpoints after every "
            + Words.time(setting.scenario().interval())
            + " of computation, and meets "
            + Words.count(round(result.failures()))
            + " failures of which "
            + Words.count(round(result.interrupts()))
            + " interrupt it.");
    if (Double.isFinite(setting.expected())
        && Double.isFinite(time.halfWidth())
        && result.unfinished() == 0) {
      double difference = time.mean() / setting.expected() - 1;
      boolean within = Math.abs(time.mean() - setting.expected()) <= time.halfWidth();
      answer.given("expectedSeconds", setting.expected());
      answer.say(
          "The closed form ("
              + setting.model()
              + ") says "
              + Words.time(setting.expected())
              + ": "
              + (within
                  ? "within the range."
                  : String.format(
                          Locale.ROOT, "the simulation differs by %+.1f %%", 100 * difference)
                      + (setting.exact()
                          ? ", as one in twenty does."
                          : ", because the closed form does not hold exactly here.")));
    }
  }

  private static double round(double value) {
    return Math.round(value * 100) / 100.0;
  }

  private Sheet sheet(Setting setting, Simulation result) {
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
    sheet.row("work", result.work(), result.work() / time.mean(), none, none, none, none);
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
    if (Double.isFinite(setting.expected())) {
      sheet.row("closed form", setting.expected(), none, none, none, none, none);
    }
    return sheet;
  }

  // ------------------------------------------------------------------ what is simulated

  private Replication replication() {
    return new Replication(replicas, share);
  }

  private Setting oneLevel(long sockets, int degree) {
    FailureModel model = failureModel(sockets);
    Replication replication = new Replication(degree, degree == 1 ? 1 : share);
    double processes = replication.processes(model.sockets());
    double restart = costs.restart(machine, processes);
    CheckpointCost cost = costs.cost(machine, processes);
    Conditions conditions =
        new Conditions(CostOptions.mean(cost), restart, mtti(model, replication));
    double chosen = plan.interval(IntervalRule.EXACT.interval(conditions));
    double work = machine.work();
    if (!failures.isTrace()) {
      trials.refuseHopeless(conditions, machine.mtbf() / sockets, work);
    }
    Scenario scenario =
        new Scenario(
            work,
            chosen,
            List.of(new Level("checkpoint", 1, cost, restart)),
            new int[0],
            model,
            new Replicas(degree, replication.share(), mapping()),
            true,
            trials.giveUpAfter(work));
    boolean exact = failures.isExponential() && degree == 1 && cost instanceof CheckpointCost.Fixed;
    String name =
        exact
            ? "exact for exponential failures"
            : degree == 1
                ? "Daly, with the mean time between failures"
                : "Daly, with the mean time to interrupt";
    return new Setting(
        scenario, WallTime.ofSchedule(conditions, work, chosen).total(), exact, name);
  }

  private Setting manyLevels() {
    if (machine.hasStorage() || costs.isGiven()) {
      throw new IllegalArgumentException(
          "--level brings its own costs; leave out --checkpoint, --memory, --bandwidth,"
              + " --costs-from and --dirty");
    }
    List<LevelOption> parsed = plan.levels();
    double rate = parsed.stream().mapToDouble(l -> 1 / l.mtbf()).sum();
    double machineMtbf = 1 / rate;
    FailureModel model = failures.model(machineMtbf * machine.sockets(), machine.sockets());
    var modelled = parsed.stream().map(LevelOption::level).toList();
    Pattern pattern = plan.pattern(BestPattern.of(modelled).pattern());
    List<Level> simulated =
        parsed.stream()
            .map(
                l ->
                    new Level(
                        l.name(),
                        1 / l.mtbf() / rate,
                        new CheckpointCost.Fixed(l.cost()),
                        l.restart()))
            .toList();
    double work = machine.work();
    Scenario scenario =
        new Scenario(
            work,
            pattern.interval(),
            simulated,
            pattern.counts(),
            model,
            new Replicas(replicas, replicas == 1 ? 1 : share, mapping()),
            true,
            trials.giveUpAfter(work));
    double expected =
        replicas == 1 ? work * new PatternModel(modelled).slowdown(pattern) : Double.NaN;
    return new Setting(scenario, expected, false, "pattern " + Arrays.toString(pattern.counts()));
  }

  private FailureModel failureModel(long sockets) {
    if (failures.isTrace()) {
      return failures.model(1, 1);
    }
    return failures.model(machine.mtbf(), sockets);
  }

  /** The mean time between interrupts that the closed form is given. */
  private double mtti(FailureModel model, Replication replication) {
    double socketMtbf =
        model instanceof FailureModel.Replay replay
            ? replay.trace().meanGap() * replay.trace().nodes()
            : machine.mtbf();
    return FailureCount.EXACT.mtti(replication, model.sockets(), socketMtbf);
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

  private void charts(Answer answer) {
    double most = Math.max(2000, machine.sockets());
    double[] sizes = SimulationFigures.sizes(most / 200, most, 10);
    String subtitle =
        failures.describe()
            + ", mean "
            + Words.time(machine.mtbf())
            + ", "
            + Words.time(machine.work())
            + " of work, checkpoint "
            + Words.time(machine.storage().checkpoint(machine.sockets()));
    answer.chart(
        "efficiency",
        () ->
            SimulationFigures.efficiency(
                subtitle,
                machine.work(),
                sizes,
                List.of(
                    strategy("without replicas", 1),
                    strategy(Math.max(2, replicas) + " replicas", Math.max(2, replicas)))));
    answer.chart(
        "time",
        () ->
            SimulationFigures.wallTime(
                subtitle + (replicas == 1 ? "" : ", " + replicas + " replicas"),
                sizes,
                strategy(replicas + " replicas", replicas)));
  }

  private SimulationFigures.Strategy strategy(String name, int degree) {
    return new SimulationFigures.Strategy(
        name,
        n ->
            trials.runToDraw(
                terminal(),
                String.format(Locale.ROOT, "%s, %,d sockets", name, (long) n),
                oneLevel((long) n, degree).scenario()),
        n -> oneLevel((long) n, degree).expected(),
        new Replication(degree, degree == 1 ? 1 : share).socketsPerProcess());
  }
}
