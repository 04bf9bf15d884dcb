// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.time.Duration;
import java.util.function.UnaryOperator;
import org.cairn.comm.Communicator;
import org.cairn.comm.Reduction;

/**
 * Decides with all ranks whether a checkpoint is due, without a message at every step.
 *
 * <p>All ranks call once a step, so the number of calls is the same everywhere. Each time they do
 * exchange their clocks they also agree on the number of calls to let pass until the next exchange:
 * half of those that fit into the time that is left. So there are about as many exchanges as the
 * number of steps between two checkpoints has binary digits.
 */
final class Trigger {
  private final Communicator comm;
  private long calls;
  private long nextExchange = 1;

  Trigger(Communicator comm) {
    this.comm = comm;
  }

  /** A checkpoint was taken, or the computation began: counts from here. */
  void reset() {
    calls = 0;
    nextExchange = 1;
  }

  /**
   * Whether a checkpoint is due; the same on all ranks.
   *
   * @param computing how long this rank has computed since the last one
   * @param cost what a checkpoint costs this rank
   * @param interval how long to compute, given what a checkpoint costs
   */
  boolean isDue(Duration computing, Duration cost, UnaryOperator<Duration> interval) {
    calls++;
    if (calls < nextExchange) {
      return false;
    }
    double[] slowest = {seconds(computing), seconds(cost)};
    comm.allReduce(slowest, Reduction.MAX);
    double target = seconds(interval.apply(Duration.ofNanos((long) (slowest[1] * 1e9))));
    if (slowest[0] >= target) {
      // Here, not when the checkpoint is taken: one rank may fail before it gets there, and all
      // have to count alike.
      reset();
      return true;
    }
    double callsLeft = (target - slowest[0]) / Math.max(slowest[0] / calls, 1e-9);
    // At most doubled: the first steps may have been quicker than those to come.
    nextExchange = calls + Math.clamp((long) (callsLeft / 2), 1, calls);
    return false;
  }

  private static double seconds(Duration time) {
    return time.toNanos() * 1e-9;
  }
}
