// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import org.cairn.plan.failure.Lifetime;

/**
 * Failures in order of time, made one after the other. Used again for trial after trial, so that
 * its arrays are made once per thread.
 */
abstract class FailureSource {
  /** Returned by {@link #next} when there is none. */
  static final double NEVER = Double.POSITIVE_INFINITY;

  private int victim;

  static FailureSource of(FailureModel model) {
    return switch (model) {
      case FailureModel.PerSocket(Lifetime.Exponential(double mean), int sockets, double _) ->
          new GapSource(Lifetime.exponential(mean / sockets), sockets);
      case FailureModel.PerSocket(Lifetime lifetime, int sockets, double age) ->
          new RenewalSource(lifetime, sockets, age);
      case FailureModel.WholeSystem(Lifetime gap, int sockets) -> new GapSource(gap, sockets);
      case FailureModel.Replay(var trace, boolean waits) -> new ReplaySource(trace, waits);
    };
  }

  /** A new trial: time is 0 again. */
  abstract void begin(Chance chance);

  /** Moves on to the next moment at which something fails, and returns it. */
  abstract double next();

  /** Strikes what fails at this moment; whether this interrupts the job. */
  boolean strike(Processes processes) {
    return processes.strike(victim);
  }

  /** Seconds until what failed at this moment is repaired; 0 where others take its place. */
  double repair() {
    return 0;
  }

  /** Names the socket that fails. */
  final void aim(int socket) {
    victim = socket;
  }

  final int victim() {
    return victim;
  }
}
