// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BirthdayTest {

  @ParameterizedTest
  @CsvSource({"1, 2", "4, 3.218750", "365, 24.616586", "100000, 396.999726", "200000, 561.166022"})
  void sumsTheBirthdayProblem(double bins, double expected) {
    assertThat(Birthday.expected(bins)).isCloseTo(expected, within(5e-7));
  }

  @Test
  void ramanujanNeedsTheLeadingOne() {
    for (double bins = 100; bins < 1e9; bins *= 10) {
      assertThat(Birthday.ramanujan(bins))
          .isCloseTo(Birthday.expected(bins), within(2e-2 / bins + 1e-8));
      assertThat(Birthday.expected(bins) - Birthday.ramanujanAsPrinted(bins)).isBetween(1.0, 1.02);
    }
  }

  @Test
  void goesOnWithTheExpansionWithoutAStep() {
    double before = Birthday.expected(1e10);
    double after = Birthday.expected(1e10 * (1 + 1e-12));
    assertThat(after).isCloseTo(before, within(before * 1e-11));
  }

  @Test
  void indicatorSolvesItsEquation() {
    for (int r = 2; r <= 10; r++) {
      for (double bins : new double[] {1, 3, 100, 1e5, 1e8}) {
        double k = Birthday.indicator(r, bins);
        double full = 1;
        for (int i = 0; i < r; i++) {
          full *= (k - i) / (i + 1) / (i == 0 ? 1 : bins);
        }
        assertThat(full).as("r = %s, N = %s, k = %s", r, bins, k).isCloseTo(1, within(1e-9));
      }
    }
  }

  @Test
  void indicatorOverestimatesByLessThanFourteenPercent() {
    assertThat(Birthday.indicatorOverestimate(2)).isCloseTo(1.1284, within(5e-5));
    double ratio = Birthday.indicator(2, 1e8) / Birthday.expected(1e8);
    assertThat(ratio).isCloseTo(Birthday.indicatorOverestimate(2), within(1e-3));
  }

  @Test
  void refusesNoProcesses() {
    assertThatThrownBy(() -> Birthday.expected(0)).hasMessageContaining("at least 1");
    assertThatThrownBy(() -> Birthday.indicator(1, 10)).hasMessageContaining("replicas");
  }
}
