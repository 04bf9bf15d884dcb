// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.differential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.cairn.checkpoint.CostModel;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  /** Section VIII of the paper: blocks of 16 KB written in 1.35 ms, hashed in 39.2 µs. */
  private static final Comparison PAPER =
      new Comparison(16384 / 3.92e-5, 16384 / 1.35e-3, CostModel.PASSES_IN_THE_PAPER);

  @Test
  void givesTheFiguresOfThePaper() {
    assertThat(PAPER.ratio()).isCloseTo(0.029, within(5e-4));
    assertThat(PAPER.relativeChange(0.03)).isCloseTo(-0.94, within(5e-3)); // LULESH, expected
    assertThat(PAPER.relativeChange(0.5)).isCloseTo(-0.46, within(5e-3)); // xPic A, expected
    assertThat(PAPER.relativeChange(1)).isCloseTo(2 * PAPER.ratio(), within(1e-12));
    assertThat(PAPER.threshold()).isCloseTo(0.944, within(5e-4));
  }

  @Test
  void gainIsZeroAtTheThreshold() {
    for (double write = 1e6; write < 1e9; write *= 3) {
      for (int passes = 1; passes <= 2; passes++) {
        Comparison c = new Comparison(1e9, write, passes);
        assertThat(c.relativeChange(c.threshold())).isCloseTo(0, within(1e-12));
      }
    }
  }

  @Test
  void neverPaysWhereHashingIsSlowerThanWriting() {
    assertThat(new Comparison(1e6, 2e6, 1).threshold()).isZero();
  }

  @Test
  void breakEvenBandwidthsAreThoseOfFerreira() {
    assertThat(new Viability(4000, 0.83).breakEvenBandwidth()).isCloseTo(3320, within(1e-9));
    assertThat(new Viability(4000, 0.35).breakEvenBandwidth()).isCloseTo(1400, within(1e-9));
    assertThat(new Viability(500, 0.83).breakEvenBandwidth()).isCloseTo(415, within(1e-9));
    assertThat(new Viability(500, 0.35).breakEvenBandwidth()).isCloseTo(175, within(1e-9));
    assertThat(new Viability(500, 0.024).breakEvenBandwidth()).isCloseTo(12, within(1e-9));
    // Table 7.2 prints 92; 2.4 % of 4,000 are 96.
    assertThat(new Viability(4000, 0.024).breakEvenBandwidth()).isCloseTo(96, within(1e-9));
  }

  @Test
  void hashingPaysBelowTheBreakEven() {
    Viability v = new Viability(500, 0.35);
    double rate = v.breakEvenBandwidth();
    assertThat(v.pays(rate * 0.99)).isTrue();
    assertThat(v.pays(rate * 1.01)).isFalse();
  }

  @Test
  void refusesWhatIsNotAPart() {
    assertThatThrownBy(() -> PAPER.relativeChange(1.1)).hasMessageContaining("between 0 and 1");
    assertThatThrownBy(() -> new Viability(1, -0.1)).hasMessageContaining("compression is -0.1");
    assertThatThrownBy(() -> new Comparison(0, 1, 1)).hasMessageContaining("hashing rate is 0");
  }
}
