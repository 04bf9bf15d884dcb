// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import org.cairn.plan.simulate.Estimate;
import org.cairn.plan.simulate.Scenario;
import org.cairn.plan.simulate.Simulation;
import org.cairn.plan.simulate.Simulator;
import org.cairn.work.Workers;

/** Measures the simulator against {@link EverySocket}, which takes turns with it. */
final class SimulationSpeed implements AutoCloseable {
  private static final long SEED = 20261115;

  /** Of 1,000 trials, in seconds. */
  static final double TARGET = 60;

  /** From the 95 % of {@link Estimate#halfWidth} to 99.9 %. */
  private static final double SURE = 3.29 / 1.96;

  private final int trials;
  private final int naiveTrials;
  private final int rounds;
  private final Workers crew;

  SimulationSpeed(int trials, int naiveTrials, int rounds, int threads) {
    this.trials = trials;
    this.naiveTrials = naiveTrials;
    this.rounds = rounds;
    crew = new Workers(threads, "bench-simulate");
  }

  /**
   * What was measured.
   *
   * @param scenario in words
   * @param sockets of the machine
   * @param replicas of each process
   * @param trials of the simulator
   * @param secondsFor1000Trials on all threads
   * @param withinTarget whether these are below 60
   * @param failuresPerTrial mean
   * @param nanosPerFailure of one thread
   * @param naiveTrials of the naive simulator
   * @param naiveSecondsPerTrial on all threads
   * @param ratio of the naive time per trial to the simulator's, the median over the rounds
   * @param meanHours of the wall time
   * @param plusMinusHours half width of its 95 % range
   * @param naiveMeanHours what the naive one says
   * @param naivePlusMinusHours half width of that
   * @param agree whether wall times and failures of both may have the same expectations
   */
  record Result(
      String scenario,
      int sockets,
      int replicas,
      int trials,
      double secondsFor1000Trials,
      boolean withinTarget,
      double failuresPerTrial,
      double nanosPerFailure,
      int naiveTrials,
      double naiveSecondsPerTrial,
      double ratio,
      double meanHours,
      double plusMinusHours,
      double naiveMeanHours,
      double naivePlusMinusHours,
      boolean agree) {}

  Result measure(SimulatedCase subject) throws IOException {
    Scenario scenario = subject.scenario();
    Simulation[] simulation = new Simulation[1];
    EverySocket.Result[] naive = new EverySocket.Result[1];
    Map<String, Series> seconds =
        new Rounds()
            .addTimed("naive", () -> naive[0] = EverySocket.run(scenario, naiveTrials, SEED, crew))
            .addTimed(
                "simulator",
                () -> simulation[0] = Simulator.run(scenario, trials, SEED, crew.size(), n -> {}))
            .run(1, rounds);
    return result(
        subject,
        simulation[0],
        naive[0],
        of(seconds, "simulator").times(1.0 / trials),
        of(seconds, "naive").times(1.0 / naiveTrials));
  }

  private static Series of(Map<String, Series> seconds, String subject) {
    return Objects.requireNonNull(seconds.get(subject), subject);
  }

  private Result result(
      SimulatedCase subject,
      Simulation simulation,
      EverySocket.Result naive,
      Series each,
      Series naiveEach) {
    double thousand = 1000 * each.median();
    return new Result(
        subject.name(),
        subject.sockets(),
        subject.replicas(),
        trials,
        thousand,
        thousand < TARGET,
        simulation.failures(),
        each.median() * crew.size() * 1e9 / simulation.failures(),
        naiveTrials,
        naiveEach.median(),
        naiveEach.over(each).median(),
        simulation.wallTime().mean() / 3600,
        simulation.wallTime().halfWidth() / 3600,
        naive.wallTime().mean() / 3600,
        naive.wallTime().halfWidth() / 3600,
        agree(simulation, naive));
  }

  private boolean agree(Simulation simulation, EverySocket.Result naive) {
    double wall = Math.hypot(simulation.wallTime().halfWidth(), naive.wallTime().halfWidth());
    // A simulation does not tell the spread of its failures, but it is that of the naive one.
    double failures = naive.failures().halfWidth() * Math.sqrt(1 + (double) naiveTrials / trials);
    return near(simulation.wallTime().mean(), naive.wallTime().mean(), wall)
        && near(simulation.failures(), naive.failures().mean(), failures);
  }

  /** At 99.9 %; what does not vary at all may differ by rounding. */
  private static boolean near(double mine, double naive, double halfWidth) {
    return Math.abs(mine - naive) <= SURE * halfWidth + 1e-9 * naive;
  }

  @Override
  public void close() {
    crew.close();
  }
}
