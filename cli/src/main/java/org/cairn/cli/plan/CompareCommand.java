// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.cairn.checkpoint.CostModel;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Question;
import org.cairn.cli.answer.Sheet;
import org.cairn.cli.answer.Sheet.Kind;
import org.cairn.cli.answer.Units;
import org.cairn.cli.answer.Words;
import org.cairn.cli.terminal.Terminal;
import org.cairn.plan.chart.Chart;
import org.cairn.plan.differential.Comparison;
import org.cairn.plan.figure.ReplicationFigures;
import org.cairn.plan.figure.SimulationFigures;
import org.cairn.plan.interval.Conditions;
import org.cairn.plan.interval.IntervalRule;
import org.cairn.plan.interval.WallTime;
import org.cairn.plan.multilevel.BestPattern;
import org.cairn.plan.replication.FailureCount;
import org.cairn.plan.replication.Machine;
import org.cairn.plan.replication.Replication;
import org.cairn.plan.replication.SoftwareOverhead;
import org.cairn.plan.simulate.CheckpointCost;
import org.cairn.plan.simulate.Level;
import org.cairn.plan.simulate.Mapping;
import org.cairn.plan.simulate.Replicas;
import org.cairn.plan.simulate.Scenario;
import org.cairn.plan.simulate.Simulation;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code cairn plan compare}. */
@Command(
    name = "compare",
    description = {
      "Sets the ways to protect a job side by side: full, differential and two-level checkpoints,"
          + " replicas of all or some processes, each by closed form and by simulation.",
      ""
    },
    footer = {
      "",
      "Pictures (--plot): efficiency, mtti",
      "",
      "Examples:",
      "  cairn plan compare --mtbf 5y --sockets 50000 --checkpoint 15min --dirty 20%% --local 10s",
      "  cairn plan compare --mtbf 5y --sockets 50000 --checkpoint 15min --failures weibull:0.7"
    })
final class CompareCommand extends Question {
  @Mixin private final MachineOptions options = new MachineOptions();
  @Mixin private final FailureOptions failures = new FailureOptions();
  @Mixin private final TrialOptions trials = new TrialOptions();

  @Option(
      names = "--dirty",
      paramLabel = "PART",
      converter = Units.Share.class,
      description = "Compare differential checkpoints with this part changed.")
  private @Nullable Double dirty;

  @Option(
      names = "--hash-time",
      paramLabel = "TIME",
      converter = Units.Time.class,
      description = "... which takes this long to find out; a tenth of --checkpoint unless given.")
  private @Nullable Double hashTime;

  @Option(
      names = "--local",
      paramLabel = "TIME",
      converter = Units.Time.class,
      description = "Compare two levels: a local or partner checkpoint that takes this long.")
  private @Nullable Double local;

  @Option(
      names = "--severe",
      paramLabel = "PART",
      converter = Units.Share.class,
      defaultValue = "10%",
      description = "... and does not help against this part of the failures; 10%% unless given.")
  private double severe;

  CompareCommand(Terminal terminal) {
    super(terminal);
  }

  /** A way to protect the job. */
  private record Strategy(
      String name, Scenario scenario, double expected, double socketsPerProcess) {}

  private record Result(Strategy strategy, Simulation simulation) {
    double efficiency() {
      return simulation.efficiency().mean() / strategy.socketsPerProcess();
    }
  }

  @Override
  public Answer answer() {
    failures.check(false, false);
    if (failures.isTrace()) {
      throw new IllegalArgumentException(
          "compare needs a machine of any size; replay a trace with 'cairn plan simulate --trace'");
    }
    List<Result> results = new ArrayList<>();
    for (Strategy strategy : strategies(options.sockets())) {
      results.add(
          new Result(strategy, trials.run(terminal(), strategy.name(), strategy.scenario())));
    }
    Result best =
        results.stream().max(Comparator.comparingDouble(Result::efficiency)).orElseThrow();
    Answer answer = new Answer("Which way to protect the job is best?");
    options.describe(answer);
    trials.describe(answer, best.simulation());
    answer.given("failures", failures.describe()).given("best", best.strategy().name());
    answer.say(
        "Best is "
            + best.strategy().name()
            + ": "
            + Words.percent(best.efficiency())
            + " of the machine does useful work, and the run takes "
            + Words.time(best.simulation().wallTime().mean())
            + ".");
    Result plain = results.getFirst();
    if (best != plain) {
      answer.say(
          "With "
              + plain.strategy().name()
              + " it is "
              + Words.percent(plain.efficiency())
              + " and "
              + Words.time(plain.simulation().wallTime().mean())
              + ".");
    }
    int unfinished = results.stream().mapToInt(r -> r.simulation().unfinished()).sum();
    if (unfinished > 0) {
      answer.say("Some simulated runs were given up; their times are lower bounds.");
    }
    answer.sheet(sheet(results));
    answer.note(trials.note(best.simulation()));
    answer.note(
        "Closed forms assume a constant rate of interrupts; with replicas or other lives of sockets"
            + " they are approximations, and the simulation is the answer. Replication includes the"
            + " software overhead of equation 5.1.");
    if (local != null) {
      answer.note(
          "Two levels: a checkpoint that takes "
              + Words.time(local)
              + " serves all failures but "
              + Words.percent(severe)
              + " of them (--severe), which need a full one.");
    }
    answer.chart("efficiency", this::chart);
    answer.chart("mtti", new ReplicationFigures(options.machine(), options.work())::mtti);
    return answer;
  }

  private static Sheet sheet(List<Result> results) {
    Sheet sheet =
        new Sheet("Strategies")
            .column("strategy", Kind.TEXT)
            .column("interval", Kind.TIME)
            .column("efficiency", Kind.SHARE)
            .column("plus minus", Kind.SHARE)
            .column("wall time", Kind.TIME)
            .column("closed form", Kind.TIME)
            .column("interrupts", Kind.COUNT)
            .column("given up", Kind.COUNT);
    for (Result result : results) {
      Simulation simulation = result.simulation();
      sheet.row(
          result.strategy().name(),
          result.strategy().scenario().interval(),
          result.efficiency(),
          Sheet.known(simulation.efficiency().halfWidth() / result.strategy().socketsPerProcess()),
          simulation.wallTime().mean(),
          result.strategy().expected(),
          simulation.interrupts(),
          simulation.unfinished());
    }
    return sheet;
  }

  /** The closed forms of all strategies, on machines of all sizes. */
  private Chart chart() {
    double most = Math.max(1e6, options.sockets());
    double[] sizes = SimulationFigures.sizes(most / 1e4, most, 60);
    Map<String, double[]> curves = new LinkedHashMap<>();
    for (int i = 0; i < sizes.length; i++) {
      for (Strategy strategy : strategies((long) sizes[i])) {
        // The pattern of two levels is another one on each machine.
        String name = strategy.name().startsWith("two levels") ? "two levels" : strategy.name();
        double[] curve = curves.computeIfAbsent(name, _ -> unknown(sizes.length));
        curve[i] =
            100 * strategy.scenario().work() / strategy.expected() / strategy.socketsPerProcess();
      }
    }
    return SimulationFigures.closedForms(
        "checkpoint "
            + Words.time(options.storage().checkpoint(options.sockets()))
            + ", MTBF of a socket "
            + Words.time(options.mtbf()),
        sizes,
        curves);
  }

  private static double[] unknown(int length) {
    double[] values = new double[length];
    Arrays.fill(values, Double.NaN);
    return values;
  }

  private List<Strategy> strategies(long sockets) {
    Machine machine = options.machine().withSockets(sockets);
    double full = machine.storage().checkpoint(machine.sockets());
    double restart = machine.storage().restart(machine.sockets());
    List<Strategy> strategies = new ArrayList<>();
    strategies.add(
        oneLevel(sockets, "full checkpoints", full, new CheckpointCost.Fixed(full), restart));
    if (dirty != null) {
      double hash = hashTime == null ? full / 10 : hashTime;
      Comparison comparison =
          new Comparison(1 / Math.max(hash, 1e-12), 1 / full, CostModel.PASSES_HERE);
      double cost = comparison.checkpoint(full, dirty);
      strategies.add(
          oneLevel(
              sockets,
              "differential, " + Words.percent(dirty) + " dirty",
              cost,
              new CheckpointCost.Differential(full, hash, new double[] {dirty}),
              restart));
    }
    if (local != null) {
      strategies.add(local(sockets, full, restart, MachineOptions.positive(local, "--local")));
    }
    for (Replication replication :
        List.of(new Replication(2, 0.5), Replication.PAIRS, Replication.full(3))) {
      if (machine.sockets() >= 2 * replication.socketsPerProcess()) {
        strategies.add(replicated(machine, replication));
      }
    }
    return strategies;
  }

  private Strategy oneLevel(
      long sockets, String name, double mean, CheckpointCost cost, double restart) {
    Conditions conditions = new Conditions(mean, restart, options.mtbf() / sockets);
    double interval = IntervalRule.EXACT.interval(conditions);
    return new Strategy(
        name,
        scenario(sockets, interval, List.of(new Level(name, 1, cost, restart)), Replicas.NONE, 0),
        WallTime.ofSchedule(conditions, options.work(), interval).total(),
        1);
  }

  private Strategy local(long sockets, double full, double restart, double cheap) {
    return severe == 0
        ? oneLevel(sockets, "local checkpoints", cheap, new CheckpointCost.Fixed(cheap), cheap)
        : twoLevels(sockets, full, restart, cheap);
  }

  private Strategy twoLevels(long sockets, double full, double restart, double cheap) {
    MachineOptions.share(severe, "--severe");
    double rate = sockets / options.mtbf();
    BestPattern best =
        BestPattern.of(
            List.of(
                new org.cairn.plan.multilevel.Level("local", rate * (1 - severe), cheap, cheap),
                new org.cairn.plan.multilevel.Level("full", rate * severe, full, restart)));
    Scenario scenario =
        new Scenario(
            options.work(),
            best.pattern().interval(),
            List.of(
                new Level("local", 1 - severe, new CheckpointCost.Fixed(cheap), cheap),
                new Level("full", severe, new CheckpointCost.Fixed(full), restart)),
            best.pattern().counts(),
            failures.model(options.mtbf(), sockets),
            Replicas.NONE,
            true,
            trials.giveUpAfter(options.work()));
    return new Strategy(
        "two levels, 1 full in " + best.pattern().counts()[0],
        scenario,
        options.work() * best.slowdown(),
        1);
  }

  private Strategy replicated(Machine machine, Replication replication) {
    double processes = replication.processes(machine.sockets());
    Conditions conditions =
        new Conditions(
            machine.storage().checkpoint(processes),
            machine.storage().restart(processes),
            FailureCount.EXACT.mtti(replication, machine.sockets(), machine.socketMtbf()));
    double interval = IntervalRule.EXACT.interval(conditions);
    double overhead = SoftwareOverhead.BEST_PROTOCOL.fraction(machine.sockets(), replication);
    Level level =
        new Level(
            "checkpoint",
            1,
            new CheckpointCost.Fixed(conditions.checkpoint()),
            conditions.restart());
    String name =
        replication.degree()
            + " replicas"
            + (replication.share() == 1 ? "" : " of " + Words.percent(replication.share()));
    return new Strategy(
        name,
        scenario(
            (long) machine.sockets(),
            interval,
            List.of(level),
            new Replicas(replication.degree(), replication.share(), Mapping.FORWARD),
            overhead),
        WallTime.ofSchedule(conditions, options.work() * (1 + overhead), interval).total(),
        replication.socketsPerProcess() * (1 + overhead));
  }

  private Scenario scenario(
      long sockets, double interval, List<Level> levels, Replicas replicas, double overhead) {
    double work = options.work() * (1 + overhead);
    return new Scenario(
        work,
        interval,
        levels,
        new int[0],
        failures.model(options.mtbf(), sockets),
        replicas,
        true,
        trials.giveUpAfter(work));
  }
}
