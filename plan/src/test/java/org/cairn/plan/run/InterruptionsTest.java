// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.stream.DoubleStream;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;

class InterruptionsTest {
  @Test
  void rangeIsThatOfTheTables() {
    // Chi-square tables: 95 % of 22 degrees is 33.924, 5 % of 20 is 10.851.
    Interruptions ten = new Interruptions(10, 1000, 0.9);
    assertThat(ten.mean()).hasValue(100);
    assertThat(ten.low()).isCloseTo(2000 / 33.924, within(1e-3));
    assertThat(ten.high()).isCloseTo(2000 / 10.851, within(1e-2));
    assertThat(ten.describe())
        .isEqualTo(
            "10 in 1000 s: one in 100 s on average, with 90 % confidence between 59 and 184 s");
  }

  @Test
  void noneLeavesALowerEndOnly() {
    Interruptions none = new Interruptions(0, 1000, 0.95);
    assertThat(none.mean()).isEmpty();
    assertThat(none.low()).isCloseTo(1000 / -Math.log(0.05), within(1e-9));
    assertThat(none.high()).isInfinite();
    assertThat(none.describe())
        .isEqualTo(
            "no interruption in 1000 s: the mean time between is more than 334 s with 95 %"
                + " confidence");
  }

  @SeededTest(seeds = 1)
  void rangeHoldsTheTruthAsOftenAsItSays(Random random) {
    int held = 0;
    int runs = 4000;
    for (int i = 0; i < runs; i++) {
      int count = 0;
      for (double t = gap(random); t < 4; t += gap(random)) {
        count++;
      }
      Interruptions seen = new Interruptions(count, 4, 0.9);
      held += seen.low() <= 1 && 1 <= seen.high() ? 1 : 0;
    }
    // Counts are whole numbers, so an exact range holds it somewhat more often than 90 %.
    assertThat((double) held / runs).isBetween(0.9, 0.97);
  }

  private static double gap(Random random) {
    return -Math.log1p(-random.nextDouble());
  }

  @Test
  void senselessValuesAreRefused() {
    assertThatThrownBy(() -> new Interruptions(-1, 1, 0.9))
        .hasMessageContaining("-1 interruptions");
    assertThatThrownBy(() -> new Interruptions(1, Double.NaN, 0.9)).hasMessageContaining("NaN s");
    assertThatThrownBy(() -> new Interruptions(1, 1, 90)).hasMessageContaining("confidence 90");
  }

  @Test
  void spreadOfEvenAndOddCounts() {
    assertThat(Spread.of(DoubleStream.of(4, 1, 2))).contains(new Spread(3, 1, 7.0 / 3, 2, 4));
    assertThat(Spread.of(DoubleStream.of(4, Double.NaN, 1, 2, 9)))
        .contains(new Spread(4, 1, 4, 3, 9));
    assertThat(Spread.of(DoubleStream.of(Double.NaN))).isEmpty();
  }
}
