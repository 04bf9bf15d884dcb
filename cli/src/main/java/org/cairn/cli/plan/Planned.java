// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.util.ArrayList;
import java.util.List;
import org.cairn.plan.figure.SimulationFigures;
import org.cairn.plan.simulate.BestSchedule.Tried;
import org.cairn.plan.simulate.Scenario;
import org.cairn.plan.simulate.Simulation;

/**
 * A strategy with its schedule, and how it went.
 *
 * @param strategy which
 * @param scenario with the schedule that is best under the law of the failures, or the one asked
 *     for
 * @param simulation of that
 * @param tried what was looked at to find it; empty where nobody had to look
 */
record Planned(Strategy strategy, Scenario scenario, Simulation simulation, List<Tried> tried) {

  /**
   * What it gives at the intervals that were looked at.
   *
   * @param label what is said of the one that it has; may be empty
   */
  SimulationFigures.Candidates candidates(String label) {
    List<Tried> looked = new ArrayList<>(tried);
    if (!looked.isEmpty()) {
      // What the answer says is from more runs than the search had for it.
      looked.set(0, new Tried(scenario, simulation));
    }
    return new SimulationFigures.Candidates(
        name(),
        looked,
        interval(),
        100 * efficiency(),
        interval -> strategy.expected(scenario.at(interval, scenario.counts())),
        scenario.work(),
        strategy.socketsPerWork(),
        label);
  }

  String name() {
    return strategy.name();
  }

  double interval() {
    return scenario.interval();
  }

  /** What the closed form says of this schedule. */
  double expected() {
    return strategy.expected(scenario);
  }

  /** What part of the machine does useful work. */
  double efficiency() {
    return efficiency(simulation);
  }

  double efficiency(Simulation other) {
    return other.efficiency() / strategy.socketsPerWork();
  }

  double efficiencyHalfWidth() {
    return simulation.efficiencyHalfWidth() / strategy.socketsPerWork();
  }
}
