// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.cairn.Interval;
import org.junit.jupiter.api.Test;

class IntervalTest {

  @Test
  void dalysOptimumToTheDigitsGivenForIt() {
    assertThat(Interval.Daly.optimum(5, 24 * 60)).isCloseTo(116.689815, within(1e-6));
    assertThat(Interval.Daly.optimum(5, 15)).isCloseTo(9.140920, within(1e-6));
    assertThat(Interval.Daly.optimum(30, 10)).as("cost beyond 2 M").isEqualTo(10);
  }

  @Test
  void cheaperCheckpointsAreTakenMoreOften() {
    Interval daly = new Interval.Daly(Duration.ofHours(24));
    assertThat(daly.next(Duration.ofSeconds(1))).isLessThan(daly.next(Duration.ofSeconds(10)));
    assertThat(daly.next(Duration.ofMinutes(5)).toMillis() / 60e3)
        .isCloseTo(116.689815, within(1e-4));
  }

  @Test
  void aFixedIntervalStays() {
    Interval fixed = new Interval.Fixed(Duration.ofMinutes(10));
    assertThat(fixed.next(Duration.ofHours(1))).isEqualTo(Duration.ofMinutes(10));
  }

  @Test
  void refusesWhatIsNotPositive() {
    assertThatThrownBy(() -> new Interval.Fixed(Duration.ZERO)).hasMessageContaining("PT0S");
    assertThatThrownBy(() -> new Interval.Daly(Duration.ofSeconds(-1)))
        .hasMessageContaining("MTBF");
  }
}
