// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class SeriesTest {
  @Test
  void medianIgnoresOneBusyMoment() {
    assertThat(Series.of(1, 2, 100).median()).isEqualTo(2);
    assertThat(Series.of(4, 2).median()).isEqualTo(3);
    assertThat(Series.of(7).median()).isEqualTo(7);
  }

  @Test
  void spreadIsHalfTheDistanceOfTheQuartiles() {
    assertThat(Series.of(5, 1, 2, 3, 4).spread()).isEqualTo(1);
    assertThat(Series.of(3).spread()).isZero();
  }

  @Test
  void ratiosAreTakenRepetitionByRepetition() {
    Series measured = Series.of(2, 30, 4);
    Series baseline = Series.of(1, 10, 1).plus(Series.of(1, 5, 1));
    assertThat(measured.over(baseline).values()).containsExactly(1, 2, 2);
    assertThat(measured.over(baseline).median()).isCloseTo(2, within(1e-12));
  }

  @Test
  void seriesOfDifferentLengthDoNotMix() {
    assertThatThrownBy(() -> Series.of(1, 2).over(Series.of(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2 repetitions against 1");
  }

  @Test
  void valuesAreTheSeriesOwn() {
    double[] values = {1, 2, 3};
    Series series = new Series(values);
    values[1] = 99;
    assertThat(series.median()).isEqualTo(2);
  }
}
