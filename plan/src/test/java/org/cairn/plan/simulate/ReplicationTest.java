// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.cairn.plan.simulate.Scenarios.SEED;
import static org.cairn.plan.simulate.Scenarios.exponential;
import static org.cairn.plan.simulate.Scenarios.replicated;
import static org.cairn.plan.simulate.Scenarios.run;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.cairn.plan.failure.Failure;
import org.cairn.plan.failure.Trace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Replicas: who lives where, and how many failures it takes to interrupt the job. */
class ReplicationTest {
  private static Replicas pairs(Mapping mapping) {
    return new Replicas(2, 1, mapping);
  }

  /** 1 + 4^b / C(2b, b), by the product of 2i / (2i−1). */
  private static double failuresToInterrupt(int pairs) {
    double product = 1;
    for (int i = 1; i <= pairs; i++) {
      product *= 2.0 * i / (2 * i - 1);
    }
    return 1 + product;
  }

  @ParameterizedTest
  @EnumSource(Mapping.class)
  void failuresUntilPairsAreLost(Mapping mapping) {
    for (int pairs : new int[] {1, 4, 100}) {
      double expected = failuresToInterrupt(pairs);
      assertThat(failuresPerInterrupt(pairs(mapping), 2 * pairs, 40000))
          .as("seed %d, %d pairs", SEED, pairs)
          .isCloseTo(expected, within(0.01 * expected));
    }
  }

  @ParameterizedTest
  @CsvSource({"1", "4", "100"})
  void timeUntilPairsAreLost(int pairs) {
    double gap = 10;
    int sockets = 2 * pairs;
    FailureModel failures = exponential(gap * sockets, sockets);
    Simulation simulation = run(replicated(100_000, 20, failures, pairs(Mapping.FORWARD)), 20);
    double expected = gap * failuresToInterrupt(pairs);
    assertThat(simulation.meanTimeToInterrupt())
        .as("seed %d, %d pairs", SEED, pairs)
        .isCloseTo(expected, within(0.02 * expected));
  }

  private static double failuresPerInterrupt(Replicas replicas, int sockets, int interrupts) {
    Chance chance = new Chance(SEED, 1);
    Processes processes = new Processes(replicas, sockets);
    processes.begin(chance);
    for (int i = 0; i < interrupts; i++) {
      while (!processes.strike(chance.below(sockets))) {}
      processes.revive();
    }
    return (double) processes.failures() / interrupts;
  }

  /** Half of the processes twice: a failure of a lonely one interrupts. */
  @Test
  void partialReplication() {
    Replicas half = new Replicas(2, 0.5, Mapping.FORWARD);
    assertThat(half.processes(6)).isEqualTo(4);
    Processes processes = new Processes(half, 6);
    processes.begin(new Chance(SEED, 0));
    assertThat(processes.strike(2)).isTrue();
    processes.revive();
    assertThat(processes.strike(0)).isFalse();
    assertThat(processes.strike(0)).as("lost already").isFalse();
    assertThat(processes.strike(1)).isFalse();
    assertThat(processes.strike(4)).as("the other half of 0").isTrue();
    processes.revive();
    assertThat(processes.strike(4)).as("all came back").isFalse();
    assertThat(processes.failures()).isEqualTo(6);
  }

  @ParameterizedTest
  @CsvSource({
    "FORWARD, 2, 1, 8, 0 1 2 3 0 1 2 3",
    "REVERSE, 2, 1, 8, 0 1 2 3 3 2 1 0",
    "ADJACENT, 2, 1, 8, 0 0 1 1 2 2 3 3",
    "FORWARD, 3, 1, 8, 0 1 0 1 0 1 -1 -1",
    "ADJACENT, 3, 1, 7, 0 0 0 1 1 1 -1",
    "FORWARD, 2, 0.5, 6, 0 1 2 3 0 1",
    "REVERSE, 2, 0.5, 7, 0 1 2 3 1 0 -1",
    "ADJACENT, 2, 0.5, 6, 0 0 1 1 2 3",
    "FORWARD, 2, 0, 3, 0 1 2",
    "FORWARD, 1, 1, 3, 0 1 2"
  })
  void places(Mapping mapping, int degree, double share, int sockets, String expected) {
    Processes processes = new Processes(new Replicas(degree, share, mapping), sockets);
    List<String> found =
        IntStream.range(0, sockets)
            .mapToObj(place -> Integer.toString(processes.processAt(place)))
            .toList();
    assertThat(String.join(" ", found)).isEqualTo(expected);
  }

  @Test
  void processesFillTheMachine() {
    for (double share : new double[] {0, 0.1, 0.5, 0.77, 1}) {
      for (int degree = 1; degree < 5; degree++) {
        for (int sockets = degree; sockets < 60; sockets++) {
          Replicas replicas = new Replicas(degree, share, Mapping.FORWARD);
          int processes = replicas.processes(sockets);
          assertThat(used(replicas, processes)).isLessThanOrEqualTo(sockets);
          assertThat(used(replicas, processes + 1)).isGreaterThan(sockets);
        }
      }
    }
  }

  private static long used(Replicas replicas, int processes) {
    return processes + Math.round(replicas.share() * processes) * (replicas.degree() - 1);
  }

  @Test
  void idleSocketsCountNothing() {
    Processes processes = new Processes(pairs(Mapping.FORWARD), 5);
    processes.begin(new Chance(SEED, 0));
    assertThat(processes.strike(4)).isFalse();
    assertThat(processes.failures()).isZero();
  }

  /** The partner of socket 0 is every other socket in some trial, and one only in each. */
  @Test
  void shuffleIsAnotherOneEachTrial() {
    int sockets = 6;
    Processes processes = new Processes(pairs(Mapping.SHUFFLE), sockets);
    Set<Integer> partners = new HashSet<>();
    for (int trial = 0; trial < 100; trial++) {
      processes.begin(new Chance(SEED, trial));
      List<Integer> found = new ArrayList<>();
      for (int other = 1; other < sockets; other++) {
        processes.revive();
        boolean first = processes.strike(0);
        if (!first && processes.strike(other)) {
          found.add(other);
        }
      }
      assertThat(found).hasSize(1);
      partners.addAll(found);
    }
    assertThat(partners).containsExactlyInAnyOrder(1, 2, 3, 4, 5);
  }

  /** A rack of two neighbours goes down: adjacent replicas die together, forward ones do not. */
  @Test
  void simultaneousFailuresStrikeTogether() {
    List<Failure> failures = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      failures.add(new Failure(100 * i, 2));
      failures.add(new Failure(100 * i, 3));
    }
    FailureModel replay = new FailureModel.Replay(new Trace("rack", 8, failures));
    Simulation adjacent = run(replicated(10000, 10, replay, pairs(Mapping.ADJACENT)), 1);
    Simulation forward = run(replicated(500, 1000, replay, pairs(Mapping.FORWARD)), 1);
    Simulation none = run(replicated(40, 50, replay, Replicas.NONE), 40);
    assertThat(adjacent.failures()).isEqualTo(2 * adjacent.interrupts()).isPositive();
    assertThat(forward.failures()).isPositive();
    assertThat(forward.interrupts()).isZero();
    assertThat(none.failures()).isEqualTo(2 * none.interrupts()).isPositive();
  }
}
