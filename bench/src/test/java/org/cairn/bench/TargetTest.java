// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.cairn.bench.Target.Bound;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TargetTest {
  private static Target target(double ratio, @Nullable Bound bound) {
    return new Target("", "name", "definition", "1 s", "2 s", ratio, 0, ratio, bound);
  }

  @Test
  void boundsAreKeptOrMissed() {
    assertThat(target(1.5, Bound.atMost(1.5)).verdict()).isEqualTo("PASS");
    assertThat(target(1.51, Bound.atMost(1.5)).verdict()).isEqualTo("MISS");
    assertThat(target(0.6, Bound.atLeast(0.6)).verdict()).isEqualTo("PASS");
    assertThat(target(0.59, Bound.atLeast(0.6)).passed()).isFalse();
    assertThat(target(99, null).verdict()).isEmpty();
    assertThat(target(99, null).passed()).isTrue();
  }

  @Test
  void numbersHaveDigitsThatMeanSomething() {
    assertThat(Target.number(1.234)).isEqualTo("1.23");
    assertThat(Target.number(0.0253)).isEqualTo("0.025");
    assertThat(Target.number(0.0025)).isEqualTo("0.0025");
    assertThat(Bound.atMost(0.003)).hasToString("≤ 0.0030");
    assertThat(Bound.atLeast(0.6)).hasToString("≥ 0.60");
  }
}
