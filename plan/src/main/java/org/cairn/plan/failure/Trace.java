// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/**
 * The failures of one machine, as they were recorded: in order of time, some of them at the same
 * moment.
 *
 * @param name what to call it
 * @param nodes how many nodes the machine has
 * @param failures all of them; the first is at time 0
 */
public record Trace(String name, int nodes, List<Failure> failures) {
  /** Sorts the failures and checks that there are some, and that they are of this machine. */
  public Trace {
    if (failures.isEmpty()) {
      throw new IllegalArgumentException(name + " has no failures; there is nothing to learn from");
    }
    failures = failures.stream().sorted(Comparator.comparingDouble(Failure::time)).toList();
    for (Failure failure : failures) {
      if (failure.node() < 0 || failure.node() >= nodes) {
        throw new IllegalArgumentException(
            name + ": failure of node " + failure.node() + ", but there are " + nodes + " nodes");
      }
    }
  }

  /** From the first failure to the last, in seconds. */
  public double length() {
    return failures.getLast().time() - failures.getFirst().time();
  }

  /** The times between successive failures, in seconds; 0 where failures are simultaneous. */
  public double[] gaps() {
    double[] gaps = new double[failures.size() - 1];
    for (int i = 0; i < gaps.length; i++) {
      gaps[i] = failures.get(i + 1).time() - failures.get(i).time();
    }
    return gaps;
  }

  /** The mean of {@link #gaps}. */
  public double meanGap() {
    if (failures.size() < 2) {
      throw new IllegalArgumentException(name + " has one failure only, and so no gap between two");
    }
    return length() / (failures.size() - 1);
  }

  /** How long repairs took, in seconds, as far as the record says it. */
  public double[] repairs() {
    return failures.stream().mapToDouble(Failure::repair).filter(Double::isFinite).toArray();
  }

  /** How many failures had which cause; those that are not known are left out. */
  public Map<Cause, Long> causes() {
    return failures.stream()
        .map(Failure::cause)
        .filter(cause -> cause != Cause.UNDETERMINED)
        .collect(
            Collectors.groupingBy(
                cause -> cause, () -> new EnumMap<>(Cause.class), Collectors.counting()));
  }

  /** What part of the failures with a known cause was severe; see {@link Cause#isSevere}. */
  public OptionalDouble severeShare() {
    Map<Cause, Long> causes = causes();
    long known = causes.values().stream().mapToLong(count -> count).sum();
    long severe =
        causes.entrySet().stream()
            .filter(cause -> cause.getKey().isSevere())
            .mapToLong(Map.Entry::getValue)
            .sum();
    return known == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) severe / known);
  }
}
