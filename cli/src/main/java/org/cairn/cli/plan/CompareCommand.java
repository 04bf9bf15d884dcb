// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Question;
import org.cairn.cli.answer.Sheet;
import org.cairn.cli.answer.Sheet.Kind;
import org.cairn.cli.answer.Units;
import org.cairn.cli.answer.Words;
import org.cairn.cli.terminal.Terminal;
import org.cairn.plan.chart.Chart;
import org.cairn.plan.figure.ReplicationFigures;
import org.cairn.plan.figure.SimulationFigures;
import org.cairn.plan.multilevel.Level;
import org.cairn.plan.replication.Machine;
import org.cairn.plan.replication.Replication;
import org.cairn.plan.replication.SoftwareOverhead;
import org.cairn.plan.simulate.CheckpointCost;
import org.cairn.plan.simulate.Replicas;
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
      "Pictures (--plot): efficiency (with --sockets), intervals, mtti; with other failures than"
          + " exponential ones intervals first",
      "",
      "Examples:",
      "  cairn plan compare --mtbf 5y --sockets 50000 --checkpoint 15min --dirty 20%% --local 10s",
      "  cairn plan compare --mtbf 5y --sockets 50000 --checkpoint 15min --failures weibull:0.7",
      "  cairn plan compare --trace failures.csv --system 18 --checkpoint 10min"
    })
final class CompareCommand extends Question {
  private static final double USUALLY_SEVERE = 0.1;

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
      description =
          "With --dirty: how long it takes to find what has changed; a tenth of --checkpoint unless"
              + " given.")
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
      description =
          "With --local: what part of the failures that checkpoint does not help against. Unless"
              + " given, what hardware and facilities caused in a --trace, or 10%%.")
  private @Nullable Double severe;

  CompareCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  public Answer answer() {
    failures.check(options.hasMtbf(), options.hasSockets());
    MachineOptions.share(severe(), "--severe");
    Strategies ways = new Strategies(options, failures, trials);
    List<Planned> results = new ArrayList<>();
    for (Strategy strategy : strategies(ways, ways.sockets())) {
      results.add(trials.plan(terminal(), strategy));
    }
    Planned best =
        results.stream().max(Comparator.comparingDouble(Planned::efficiency)).orElseThrow();
    Answer answer = new Answer("Which way to protect the job is best?");
    ways.describe(answer);
    trials.describe(answer, best.simulation());
    answer
        .given("best", title(best))
        .given("intervalSeconds", best.interval())
        .given("efficiencyShare", best.efficiency());
    say(answer, results, best);
    answer.sheet(sheet(results));
    answer.note(TrialOptions.noteOnSearch(results));
    answer.note(trials.note(best.simulation()));
    failures.note(answer);
    answer.note(
        "Closed forms assume a constant rate of interrupts; with replicas or other lives of sockets"
            + " they are approximations, and the simulation is the answer. Replication includes the"
            + " software overhead of equation 5.1 (Ferreira 2011).");
    if (local != null) {
      answer.note(
          "Two levels: a checkpoint that takes "
              + Words.time(local)
              + " serves all failures but "
              + Words.percent(severe())
              + " of them ("
              + (severe == null && failures.severeShare().isPresent()
                  ? "as many as hardware and facilities caused"
                  : "--severe")
              + "), which need a full one.");
    }
    charts(answer, ways, results, best);
    return answer;
  }

  private static void say(Answer answer, List<Planned> results, Planned best) {
    answer.say(
        "Best is "
            + title(best)
            + ": "
            + Words.percent(best.efficiency())
            + " of the machine does useful work, and the run takes "
            + Words.time(best.simulation().wallTime().mean())
            + ", with a checkpoint after every "
            + Words.time(best.interval())
            + ".");
    Planned other =
        results.stream()
            .filter(result -> result != best)
            .max(Comparator.comparingDouble(Planned::efficiency))
            .orElse(best);
    Planned plain = results.getFirst();
    for (Planned result : new LinkedHashSet<>(List.of(plain, other))) {
      if (result != best) {
        answer.say(
            "With "
                + title(result)
                + " it is "
                + Words.percent(result.efficiency())
                + " and "
                + Words.time(result.simulation().wallTime().mean())
                + ".");
      }
    }
    if (other != best
        && best.efficiency() - other.efficiency()
            < best.efficiencyHalfWidth() + other.efficiencyHalfWidth()) {
      answer.say("The two are as good as each other, as far as these runs can tell.");
    }
    int unfinished = results.stream().mapToInt(r -> r.simulation().unfinished()).sum();
    if (unfinished > 0) {
      answer.say("Some simulated runs were given up; their times are lower bounds.");
    }
  }

  private double severe() {
    return severe == null ? failures.severeShare().orElse(USUALLY_SEVERE) : severe;
  }

  /** With several levels, how many cheap checkpoints there are for a full one. */
  private static String title(Planned planned) {
    int[] counts = planned.scenario().counts();
    return planned.name() + (counts.length == 0 ? "" : ", 1 full in " + counts[0]);
  }

  private static Sheet sheet(List<Planned> results) {
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
    for (Planned result : results) {
      Simulation simulation = result.simulation();
      sheet.row(
          title(result),
          result.interval(),
          result.efficiency(),
          Sheet.known(result.efficiencyHalfWidth()),
          simulation.wallTime().mean(),
          result.expected(),
          simulation.interrupts(),
          simulation.unfinished());
    }
    return sheet;
  }

  /** First the picture that answers: which is the simulated one unless closed forms are exact. */
  private void charts(Answer answer, Strategies ways, List<Planned> results, Planned best) {
    if (!failures.isExponential()) {
      answer.chart("intervals", () -> intervals(results, best));
    }
    // Machines of other sizes say nothing where the size of this one is not known.
    if (!failures.isTrace() && ways.sockets() > 1) {
      answer.chart("efficiency", () -> sizes(ways, results));
    }
    if (failures.isExponential()) {
      answer.chart("intervals", () -> intervals(results, best));
    }
    answer.chart("mtti", new ReplicationFigures(ways.machine(), options.work())::mtti);
  }

  private Chart intervals(List<Planned> results, Planned best) {
    return SimulationFigures.intervals(
        failures.describe() + "; each strategy at its best interval is marked",
        results.stream().map(result -> result.candidates(result == best ? "best" : "")).toList());
  }

  /** The closed forms of all strategies, on machines of all sizes, and the simulated one. */
  private Chart sizes(Strategies ways, List<Planned> results) {
    double most = Math.max(1e6, options.sockets());
    double[] sizes = SimulationFigures.sizes(Math.min(most / 1e4, options.sockets()), most, 60);
    Map<String, double[]> curves = new LinkedHashMap<>();
    for (int i = 0; i < sizes.length; i++) {
      for (Strategy strategy : strategies(ways, (long) sizes[i])) {
        double[] curve = curves.computeIfAbsent(strategy.name(), _ -> unknown(sizes.length));
        curve[i] =
            100 * strategy.scenario().work() / strategy.expected() / strategy.socketsPerWork();
      }
    }
    Map<String, Double> here = new LinkedHashMap<>();
    results.forEach(result -> here.put(result.name(), 100 * result.efficiency()));
    return SimulationFigures.closedForms(
        "checkpoint "
            + Words.time(options.storage().checkpoint(options.sockets()))
            + ", MTBF of a socket "
            + Words.time(options.mtbf())
            + "; curves: constant rate, Daly's interval",
        sizes,
        curves,
        options.sockets(),
        here);
  }

  private static double[] unknown(int length) {
    double[] values = new double[length];
    Arrays.fill(values, Double.NaN);
    return values;
  }

  private List<Strategy> strategies(Strategies ways, long sockets) {
    Machine.Storage storage = options.storage();
    double full = storage.checkpoint(sockets);
    double restart = storage.restart(sockets);
    List<Strategy> strategies = new ArrayList<>();
    strategies.add(ways.full(sockets));
    if (dirty != null) {
      MachineOptions.share(dirty, "--dirty");
      strategies.add(
          ways.oneLevel(
              "differential, " + Words.percent(dirty) + " dirty",
              sockets,
              new CheckpointCost.Differential(
                  full, hashTime == null ? full / 10 : hashTime, new double[] {dirty}),
              restart,
              Replicas.NONE,
              SoftwareOverhead.NONE));
    }
    if (local != null) {
      double cheap = MachineOptions.positive(local, "--local");
      strategies.add(
          severe() == 0
              ? ways.oneLevel(
                  "local checkpoints",
                  sockets,
                  new CheckpointCost.Fixed(cheap),
                  cheap,
                  Replicas.NONE,
                  SoftwareOverhead.NONE)
              : twoLevels(ways, sockets, cheap, full, restart));
    }
    for (Replication replication :
        List.of(new Replication(2, 0.5), Replication.PAIRS, Replication.full(3))) {
      if (sockets >= 2 * replication.socketsPerProcess()) {
        strategies.add(ways.replicated(sockets, replication, SoftwareOverhead.BEST_PROTOCOL));
      }
    }
    return strategies;
  }

  private Strategy twoLevels(
      Strategies ways, long sockets, double cheap, double full, double restart) {
    double rate = sockets / ways.socketMtbf();
    return ways.levels(
        "two levels",
        List.of(
            new Level("local", rate * (1 - severe()), cheap, cheap),
            new Level("full", rate * severe(), full, restart)),
        failures.model(ways.socketMtbf(), sockets),
        Replicas.NONE);
  }
}
