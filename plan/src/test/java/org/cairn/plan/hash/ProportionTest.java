// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.apache.commons.statistics.distribution.BinomialDistribution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProportionTest {
  /** From tables of exact binomial intervals. */
  @ParameterizedTest
  @CsvSource({
    "0, 10, 0, 0.3085",
    "1, 10, 0.0025, 0.4450",
    "5, 10, 0.1871, 0.8129",
    "10, 10, 0.6915, 1"
  })
  void knownIntervals(long hits, long trials, double low, double high) {
    Proportion proportion = new Proportion(hits, trials);
    assertThat(proportion.low()).isCloseTo(low, within(5e-5));
    assertThat(proportion.high()).isCloseTo(high, within(5e-5));
  }

  /**
   * At either end, what was seen or more of it has a chance of 2.5 %; of millions of trials, too.
   */
  @ParameterizedTest
  @CsvSource({"3, 20000", "165, 20000", "1, 10000000", "80000, 10000000", "19999, 20000"})
  void endsAreWhereTheChanceIsSmall(int hits, int trials) {
    Proportion proportion = new Proportion(hits, trials);
    assertThat(BinomialDistribution.of(trials, proportion.low()).survivalProbability(hits - 1))
        .isCloseTo(0.025, within(1e-6));
    assertThat(BinomialDistribution.of(trials, proportion.high()).cumulativeProbability(hits))
        .isCloseTo(0.025, within(1e-6));
    assertThat(proportion.covers(proportion.rate())).isTrue();
    assertThat(proportion.covers(2 * proportion.high())).isFalse();
  }

  @Test
  void refusesMoreHitsThanTrials() {
    assertThatThrownBy(() -> new Proportion(2, 1)).hasMessageContaining("2 hits in 1 trials");
  }
}
