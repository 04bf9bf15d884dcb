// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.cairn.bench.Target.Bound;
import org.junit.jupiter.api.Test;

class MomentTest {
  private static final Series MEASURED = Series.of(1.9, 2.0, 2.1, 2.2, 1.8, 2.0, 2.05, 1.95, 9);
  private static final Series BASELINE = Series.of(1, 1.1, 0.9, 1, 1.05, 0.95, 1, 1, 1);

  private static Moment moment(double others, double limit) {
    return Moment.of("moment", MEASURED, BASELINE, others, Bound.atMost(limit));
  }

  @Test
  void isARatioOfMediansWithAnInterval() {
    Moment moment = moment(0, 2.5);

    assertThat(moment.ratio()).isCloseTo(2, within(1e-9));
    assertThat(moment.low()).isBetween(1.5, 2.0);
    assertThat(moment.high()).isBetween(2.0, 2.6);
    assertThat(moment.verdict()).isEqualTo("PASS");
    assertThat(moment(0, 1.9).verdict()).isEqualTo("MISS");
  }

  @Test
  void isVoidIfOthersHadTheMachine() {
    assertThat(moment(0.21, 2.5).verdict()).isEqualTo("VOID");
    assertThat(moment(0.21, 2.5).passed()).isFalse();
    assertThat(moment(Double.NaN, 2.5).verdict()).isEqualTo("PASS");
    assertThat(Moment.of("other", MEASURED, BASELINE, 2, null).passed()).isTrue();
  }
}
