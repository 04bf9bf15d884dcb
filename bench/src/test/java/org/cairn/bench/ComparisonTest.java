// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.cairn.bench.Comparison.Figure;
import org.cairn.bench.Comparison.Line;
import org.cairn.bench.Comparison.Worse;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  private static boolean isWorse(Worse worse, Series before, Series after) {
    return new Line(new Figure("", "", worse), before, after).isWorse();
  }

  @Test
  void fivePercentAreAllowed() {
    assertThat(isWorse(Worse.MORE, Series.of(100), Series.of(105))).isFalse();
    assertThat(isWorse(Worse.MORE, Series.of(100), Series.of(106))).isTrue();
    assertThat(isWorse(Worse.LESS, Series.of(100), Series.of(106))).isFalse();
    assertThat(isWorse(Worse.LESS, Series.of(100), Series.of(94))).isTrue();
    assertThat(isWorse(Worse.NEITHER, Series.of(100), Series.of(200))).isFalse();
  }

  @Test
  void andTheIntervalOfBoth() {
    // Half the distance of the quartiles: 4, and 5.
    Series before = Series.of(96, 96, 100, 104, 104);
    assertThat(isWorse(Worse.MORE, before, Series.of(108, 108, 113, 118, 118))).isFalse();
    assertThat(isWorse(Worse.MORE, before, Series.of(110, 110, 115, 120, 120))).isTrue();
  }

  /** Time lost can come out as a little less than none. */
  @Test
  void whatWasNegativeBecomesWorseUpwardsToo() {
    assertThat(isWorse(Worse.MORE, Series.of(-1), Series.of(-2))).isFalse();
    assertThat(isWorse(Worse.MORE, Series.of(-1), Series.of(1))).isTrue();
    assertThat(isWorse(Worse.MORE, Series.of(0), Series.of(0))).isFalse();
  }
}
