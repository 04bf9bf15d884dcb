// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.apache.commons.numbers.gamma.Gamma;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InterruptionTest {
  private static final double FIVE_YEARS = 5 * 365 * 86400.0;

  @ParameterizedTest
  @CsvSource({"1, 3", "4, 4.657143", "100000, 561.499822"})
  void countsFailuresOfPairs(double pairs, double expected) {
    assertThat(Interruption.failuresOfPairs(pairs)).isCloseTo(expected, within(5e-7));
  }

  @Test
  void givesTheMttiOfAHundredThousandPairs() {
    assertThat(FailureCount.EXACT.mtti(Replication.PAIRS, 200_000, FIVE_YEARS))
        // With 40 digits. In double precision 4^b / C(2b, b) from logarithms of gamma functions is
        // 442,686.459848: eleven digits of it are right.
        .isCloseTo(442_686.459873042305, within(5e-10));
    assertThat(FailureCount.EXACT.mtti(Replication.NONE, 200_000, FIVE_YEARS)).isEqualTo(788.4);
  }

  @Test
  void integralAgreesWithTheClosedFormOfPairs() {
    for (double pairs : new double[] {1, 2, 3, 10, 1000, 100_000, 1e7}) {
      double integral = 2 * pairs * Interruption.meanTime(t -> t, 2, pairs, 0);
      double closed = Interruption.failuresOfPairs(pairs);
      assertThat(integral).as("%s pairs", pairs).isCloseTo(closed, within(closed * 1e-11));
    }
  }

  @Test
  void integralAgreesWithTheOrderStatisticsOfOneProcess() {
    // The last of r exponential lives ends after 1 + 1/2 + … + 1/r.
    double harmonic = 0;
    for (int r = 1; r <= 10; r++) {
      harmonic += 1.0 / r;
      assertThat(Interruption.meanTime(t -> t, r, 1, 0)).isCloseTo(harmonic, within(1e-10));
    }
  }

  @Test
  void singleProcessesOfWeibullLivesHaveAClosedForm() {
    double shape = 0.156;
    double sockets = 5000;
    double mean = Gamma.value(1 + 1 / shape) * Math.pow(sockets, -1 / shape);
    double integral = Interruption.meanTime(t -> Math.pow(t, shape), 1, 0, sockets);
    assertThat(integral).isCloseTo(mean, within(mean * 1e-8));
  }

  @Test
  void partialReplicationLiesBetweenNoneAndAll() {
    double none = FailureCount.EXACT.mtti(Replication.NONE, 1000, 1000);
    double before = none;
    for (double share = 0.1; share < 0.95; share += 0.1) {
      double now = FailureCount.EXACT.mtti(new Replication(2, share), 1000, 1000);
      assertThat(now).isGreaterThan(before);
      before = now;
    }
    assertThat(FailureCount.EXACT.mtti(Replication.PAIRS, 1000, 1000)).isGreaterThan(before);
    // Half of the processes alone are 333 sockets, which fail every 3 seconds.
    assertThat(FailureCount.EXACT.mtti(new Replication(2, 0.5), 1000, 1000)).isBetween(2.5, 3.01);
  }

  @Test
  void countsDifferAsTheirExplanationsSay() {
    Replication pairs = Replication.PAIRS;
    double exact = FailureCount.EXACT.failures(pairs, 200_000);
    double birthday = FailureCount.BIRTHDAY.failures(pairs, 200_000);
    assertThat(birthday).isCloseTo(396.999726, within(5e-7));
    // Half of the second hits strike the dead: asymptotically √2 times as many failures.
    assertThat(exact / birthday).isCloseTo(Math.sqrt(2), within(2e-3));
    assertThat(FailureCount.INDICATOR.failures(pairs, 200_000) / birthday)
        .isCloseTo(1.128, within(2e-3));
    assertThat(FailureCount.INDICATOR_CORRECTED.failures(pairs, 200_000))
        .isCloseTo(birthday, within(birthday * 2e-3));
  }

  @Test
  void refusesCountsThatDoNotKnowTheReplication() {
    assertThatThrownBy(() -> FailureCount.BIRTHDAY.failures(Replication.full(3), 300))
        .hasMessageContaining("two replicas only, not 3");
    assertThatThrownBy(() -> FailureCount.INDICATOR.failures(new Replication(2, 0.5), 300))
        .hasMessageContaining("full replication only");
    assertThatThrownBy(() -> Interruption.failuresOfPairs(0)).hasMessageContaining("at least 1");
    assertThatThrownBy(() -> Replication.PAIRS.processes(1)).hasMessageContaining("too few");
  }
}
