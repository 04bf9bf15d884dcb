// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.util.Locale;
import org.cairn.cli.answer.Answer;
import org.cairn.cli.answer.Words;
import org.cairn.cli.terminal.ProgressBar;
import org.cairn.cli.terminal.Quantities;
import org.cairn.cli.terminal.Terminal;
import org.cairn.plan.interval.Conditions;
import org.cairn.plan.simulate.Scenario;
import org.cairn.plan.simulate.Simulation;
import org.cairn.plan.simulate.Simulator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How often and how a simulation is repeated. */
final class TrialOptions {
  private static final double MOST_FAILURES = 2e9;
  private static final int MANY = 1000;
  private static final int FEW = 200;

  @Option(
      names = "--trials",
      paramLabel = "N",
      description =
          "How many runs are simulated; 1000 unless given, and 200 where many machines or intervals"
              + " are.")
  private @Nullable Integer trials;

  @Option(
      names = "--seed",
      paramLabel = "S",
      defaultValue = "1",
      description =
          "Seed of the random numbers; the same seed gives the same answer, on any number"
              + " of threads. 1 unless given.")
  private long seed;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Threads to use; one for each core unless given.")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--give-up",
      paramLabel = "FACTOR",
      defaultValue = "100",
      description =
          "A simulated run that takes longer than this many times its work is given up;"
              + " 100 unless given.")
  private double giveUp;

  /** After how many seconds a run is given up. */
  double giveUpAfter(double work) {
    if (!(giveUp >= 1)) {
      throw new IllegalArgumentException("--give-up is " + giveUp + "; it must be at least 1");
    }
    return work * giveUp;
  }

  /**
   * Refuses to simulate for hours what cannot succeed: a job that hardly ever gets through a
   * restart meets every failure until it is given up.
   */
  void refuseHopeless(Conditions conditions, double machineMtbf, double work) {
    double failures = giveUpAfter(work) / machineMtbf * trials();
    if (conditions.isHopeless() && failures > MOST_FAILURES) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "the job is interrupted every %s on average, but a restart alone takes %s: it would"
                  + " hardly ever get on, and %.1e failures would be simulated to show it. Take"
                  + " fewer --trials or a lower --give-up if you want to see it.",
              Words.time(conditions.mtti()),
              Words.time(conditions.restart()),
              failures));
    }
  }

  Simulation run(Terminal terminal, String label, Scenario scenario) {
    return run(terminal, label, scenario, trials());
  }

  /** Where many machines or intervals are simulated, each needs fewer runs. */
  Simulation runFew(Terminal terminal, String label, Scenario scenario) {
    return run(terminal, label, scenario, trials == null ? FEW : trials);
  }

  /** For pictures, in which a range of a percent is not seen. */
  Simulation runToDraw(Terminal terminal, String label, Scenario scenario) {
    return run(terminal, label, scenario, Math.min(trials(), FEW));
  }

  private int trials() {
    return trials == null ? MANY : trials;
  }

  private Simulation run(Terminal terminal, String label, Scenario scenario, int count) {
    if (count < 1) {
      throw new IllegalArgumentException("--trials is " + count + "; there must be at least 1");
    }
    if (threads < 1) {
      throw new IllegalArgumentException("--threads is " + threads + "; there must be at least 1");
    }
    try (ProgressBar bar = terminal.bar(label, count, Quantities::count)) {
      return Simulator.run(scenario, count, seed, threads, bar::reach);
    } catch (OutOfMemoryError e) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%,d sockets do not fit into memory; take fewer of them, --threads 1, or more memory:"
                  + " CAIRN_JAVA_OPTS=-Xmx...",
              scenario.failures().sockets()),
          e);
    }
  }

  void describe(Answer answer, Simulation simulation) {
    answer.given("trials", simulation.trials()).given("seed", seed);
  }

  /** How it was done. */
  String note(Simulation simulation) {
    return String.format(
        Locale.ROOT,
        "Simulated %,d runs with seed %d; ranges are 95 %% confidence intervals of the mean.",
        simulation.trials(),
        simulation.seed());
  }
}
