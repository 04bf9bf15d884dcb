// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import java.util.Arrays;
import org.cairn.plan.failure.Failure;
import org.cairn.plan.failure.Trace;

/**
 * Recorded failures, round and round. One round is n mean gaps of n failures, so that the rate is
 * that of the record, and the last failure and the first do not coincide.
 */
final class ReplaySource extends FailureSource {
  private final double[] times;
  private final int[] nodes;
  private final double[] repairs;
  private final double period;
  private double start;
  private long round;
  private int from;
  private int to;

  ReplaySource(Trace trace, boolean waitsForRepair) {
    double first = trace.failures().getFirst().time();
    times = trace.failures().stream().mapToDouble(failure -> failure.time() - first).toArray();
    nodes = trace.failures().stream().mapToInt(Failure::node).toArray();
    repairs =
        trace.failures().stream()
            .mapToDouble(failure -> waitsForRepair ? Math.max(0, failure.repair()) : 0)
            .map(repair -> Double.isNaN(repair) ? 0 : repair)
            .toArray();
    period = trace.length() + trace.meanGap();
  }

  @Override
  void begin(Chance chance) {
    start = chance.uniform() * period;
    round = 0;
    int at = Arrays.binarySearch(times, start);
    to = at < 0 ? -at - 1 : at;
  }

  @Override
  double next() {
    if (to == times.length) {
      round++;
      to = 0;
    }
    from = to;
    double time = times[from];
    while (to < times.length && times[to] == time) {
      to++;
    }
    return time + round * period - start;
  }

  @Override
  boolean strike(Processes processes) {
    boolean interrupt = false;
    for (int i = from; i < to; i++) {
      interrupt |= processes.strike(nodes[i]);
    }
    return interrupt;
  }

  @Override
  double repair() {
    double longest = 0;
    for (int i = from; i < to; i++) {
      longest = Math.max(longest, repairs[i]);
    }
    return longest;
  }
}
