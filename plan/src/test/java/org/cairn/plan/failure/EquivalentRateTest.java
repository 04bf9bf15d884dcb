// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class EquivalentRateTest {
  @Test
  void allAreTheRateOfExponentialLives() {
    Lifetime life = Lifetime.exponential(500);
    for (EquivalentRate rate : EquivalentRate.values()) {
      assertThat(rate.rate(life, 10, 77, 33)).isCloseTo(0.02, within(1e-15));
    }
  }

  @Test
  void newMachinesOfShapeBelowOneFailMoreOftenThanOldOnes() {
    Lifetime life = Lifetime.weibull(0.5, 1000);
    double longRun = EquivalentRate.LONG_RUN.rate(life, 10, 0, 1);
    double young = EquivalentRate.DURING_THE_RUN.rate(life, 10, 0, 100);
    double old = EquivalentRate.DURING_THE_RUN.rate(life, 10, 100_000, 100);
    assertThat(longRun).isEqualTo(0.01);
    assertThat(young).isGreaterThan(3 * longRun);
    assertThat(old).isLessThan(longRun / 3);
    // Scale 500: H(100) = √(100/500).
    assertThat(young).isCloseTo(10 * Math.sqrt(0.2) / 100, within(1e-12));
  }
}
