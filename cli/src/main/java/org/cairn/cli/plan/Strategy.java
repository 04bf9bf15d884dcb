// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.plan;

import java.util.function.ToDoubleFunction;
import org.cairn.plan.simulate.Scenario;

/**
 * A way to protect the job.
 *
 * @param name what to call it
 * @param scenario what is simulated, with the schedule of the closed form or the one asked for
 * @param closedForm expected seconds of a scenario like this, at the mean rate of interrupts
 * @param settled whether the schedule stays as it is: it is the best under the law of the failures,
 *     or the user's own
 * @param socketsPerWork sockets for each second of work and process: what replicas and their
 *     software cost
 */
record Strategy(
    String name,
    Scenario scenario,
    ToDoubleFunction<Scenario> closedForm,
    boolean settled,
    double socketsPerWork) {

  /** What the closed form says of the schedule that it is given. */
  double expected(Scenario schedule) {
    return closedForm.applyAsDouble(schedule);
  }

  /** The same with a schedule that nobody looks further for. */
  Strategy settledAt(double interval, int... counts) {
    return new Strategy(name, scenario.at(interval, counts), closedForm, true, socketsPerWork);
  }

  double expected() {
    return expected(scenario);
  }
}
