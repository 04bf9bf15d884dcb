// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.figure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import org.cairn.plan.chart.Colour;
import org.cairn.plan.chart.Series;
import org.cairn.plan.differential.Comparison;
import org.cairn.plan.replication.FailureCount;
import org.cairn.plan.replication.Machine;
import org.junit.jupiter.api.Test;

/** A strategy that a reader knows from one picture looks the same in all others. */
class HuesTest {
  private static final ReplicationFigures REPLICATION =
      new ReplicationFigures(
          new Machine(100_000, 5 * Scales.YEAR, new Machine.Storage.FixedTime(900, 900)), 604_800);

  /** All curves of strategies in the pictures that need no simulation. */
  private static List<Series> strategies() {
    return Stream.of(
            REPLICATION.efficiency(),
            REPLICATION.mtti(),
            REPLICATION.breakEvenOfReplicas(FailureCount.EXACT, 2, 3),
            DifferentialFigures.gain(new Comparison(5e9, 5e8, 1), OptionalDouble.of(0.3)))
        .flatMap(chart -> chart.series().stream())
        .toList();
  }

  private static void assertAll(
      List<Series> all, Colour colour, int atLeast, String... beginnings) {
    List<Series> found =
        all.stream()
            .filter(
                one ->
                    Stream.of(beginnings).anyMatch(one.name().toLowerCase(Locale.ROOT)::startsWith))
            .toList();
    assertThat(found)
        .hasSizeGreaterThanOrEqualTo(atLeast)
        .allSatisfy(one -> assertThat(one.colour()).as(one.name()).isEqualTo(Optional.of(colour)));
  }

  @Test
  void oneColourForEachStrategy() {
    List<Series> all = strategies();
    assertAll(all, Hues.PLAIN, 3, "without replicas", "full checkpoint");
    assertAll(all, Hues.PAIRS, 6, "two replicas", "2 replicas");
    assertAll(all, Hues.TRIPLES, 2, "three replicas", "3 replicas");
    assertAll(all, Hues.of("differential, 20 % dirty"), 1, "differential");
  }

  @Test
  void coloursOfOnePictureDiffer() {
    assertThat(Hues.ofReplicas(2, 3, 4, 5, 6, 8, 10)).doesNotHaveDuplicates();
  }
}
