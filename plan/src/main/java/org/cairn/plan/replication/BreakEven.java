// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.replication;

import java.util.OptionalDouble;
import org.apache.commons.numbers.rootfinder.BrentSolver;

/**
 * From how many sockets on replication uses a machine better than checkpoints alone (sections 6.4
 * to 6.6 of Ferreira 2011).
 *
 * @param plain without replication
 * @param replicated with it
 * @param work seconds of useful computation
 */
public record BreakEven(Utilisation plain, Utilisation replicated, double work) {
  private static final double LARGEST = 1e9;
  private static final int STEPS_PER_DECADE = 24;

  /**
   * The number of sockets at which both are equal, or nothing where replication does not pay up to
   * a thousand million sockets. The machine's own number of sockets plays no role.
   */
  public OptionalDouble sockets(Machine machine) {
    double before = replicated.replication().socketsPerProcess();
    for (int i = 1; before < LARGEST; i++) {
      double here =
          replicated.replication().socketsPerProcess()
              * Math.pow(10, (double) i / STEPS_PER_DECADE);
      if (gain(machine, here) >= 0) {
        return OptionalDouble.of(between(machine, before, here));
      }
      before = here;
    }
    return OptionalDouble.empty();
  }

  /** The gain in efficiency on this many sockets; both may be so bad that neither is a number. */
  private double gain(Machine machine, double sockets) {
    Machine sized = machine.withSockets(sockets);
    double with = replicated.efficiency(sized, work);
    double without = plain.efficiency(sized, work);
    return with == 0 && without == 0 ? -1 : with - without;
  }

  private double between(Machine machine, double low, double high) {
    if (gain(machine, low) >= 0) {
      return low;
    }
    return new BrentSolver(1e-10, 1e-6, 1e-15).findRoot(s -> gain(machine, s), low, high);
  }
}
