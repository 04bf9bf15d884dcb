// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class ScaleTest {
  private static final Axis LOG = Axis.log("x", "");
  private static final Axis LINEAR = Axis.linear("x", "");

  @Test
  void decadesAreWrittenOut() {
    assertThat(labels(new Scale(1e3, 1e6, true), 12))
        .containsExactly("1,000", "10,000", "100,000", "1,000,000");
    assertThat(labels(new Scale(1e-2, 10, true), 12)).containsExactly("0.01", "0.1", "1", "10");
  }

  @Test
  void longNumbersArePowers() {
    assertThat(labels(new Scale(1, 1e10, true), 12))
        .startsWith("10⁰", "10¹")
        .endsWith("10⁹", "10¹⁰")
        .hasSize(11);
    assertThat(labels(new Scale(1e-6, 1, true), 4)).containsExactly("10⁻⁶", "10⁻⁴", "10⁻²", "10⁰");
  }

  @Test
  void fewDecadesHaveTwoAndFive() {
    assertThat(labels(new Scale(3, 100, true), 12)).containsExactly("5", "10", "20", "50", "100");
    assertThat(labels(new Scale(3, 100, true), 4)).containsExactly("10", "100");
  }

  @Test
  void partOfADecadeIsInEqualSteps() {
    assertThat(labels(new Scale(300, 600, true), 8))
        .containsExactly("300", "350", "400", "450", "500", "550", "600");
  }

  @Test
  void linearTicksAreRound() {
    assertThat(labels(new Scale(0, 100, false), 9))
        .containsExactly("0", "20", "40", "60", "80", "100");
    assertThat(labels(new Scale(-0.1, 0.25, false), 8))
        .containsExactly("-0.10", "-0.05", "0.00", "0.05", "0.10", "0.15", "0.20", "0.25");
    assertThat(labels(new Scale(0, 1e10, false), 6))
        .containsExactly("0", "2×10⁹", "4×10⁹", "6×10⁹", "8×10⁹", "10×10⁹");
  }

  @Test
  void dataDecideWhereAnAxisEnds() {
    assertThat(Scale.of(LOG, 120, 730_000)).isEqualTo(new Scale(100, 1e6, true));
    assertThat(Scale.of(LOG, 3.5, 41)).isEqualTo(new Scale(3, 50, true));
    assertThat(Scale.of(LINEAR, 3, 78)).isEqualTo(new Scale(0, 80, false));
  }

  @Test
  void givenEndsStay() {
    assertThat(Scale.of(LOG.between(7, 77), 1, 1e9)).isEqualTo(new Scale(7, 77, true));
    assertThat(Scale.of(LINEAR.between(7, 77), 1, 1e9)).isEqualTo(new Scale(7, 77, false));
  }

  @Test
  void percentIsOfAHundred() {
    Axis percent = Axis.linear("Efficiency", "%");

    assertThat(Scale.of(percent, 31, 57)).isEqualTo(new Scale(0, 100, false));
    assertThat(Scale.of(percent.between(90, 100), 31, 57)).isEqualTo(new Scale(90, 100, false));
  }

  @Test
  void errorBarsDoNotTakePercentBelowZero() {
    Series series =
        new Series("s", new double[] {1, 2}, new double[] {0.5, 99}, Style.POINTS)
            .withErrors(new double[] {4, 4});
    Chart chart = new Chart("c", "", LINEAR, Axis.linear("Efficiency", "%"), List.of(series));

    assertThat(Layout.of(chart).plot().y()).isEqualTo(new Scale(0, 100, false));
  }

  @Test
  void singleValueIsInTheMiddle() {
    for (double value : new double[] {5, 0, -3}) {
      Scale scale = Scale.of(LINEAR, value, value);
      assertThat(scale.position(value)).isBetween(0.2, 0.8);
    }
    assertThat(Scale.of(LOG, 40, 40).position(40)).isBetween(0.2, 0.8);
  }

  @Test
  void positionsAreSharesOfTheLength() {
    assertThat(new Scale(1, 1e4, true).position(100)).isEqualTo(0.5);
    assertThat(new Scale(10, 20, false).position(12.5)).isEqualTo(0.25);
  }

  @Test
  void labelsOfXDoNotOverlap() {
    Layout layout = Layout.of(Charts.efficiency());
    double end = 0;
    for (Scale.Tick tick : layout.xTicks().stream().filter(Scale.Tick::major).toList()) {
      double half = Pen.width(tick.label(), Pen.PLAIN) / 2;
      assertThat(layout.plot().px(tick.value()) - half).isGreaterThan(end);
      end = layout.plot().px(tick.value()) + half;
    }
    assertThat(end).isBetween(800.0, layout.width() - 5.0);
  }

  @Test
  void impossibleAxesAreRefused() {
    assertThatThrownBy(() -> Axis.log("Sockets", "").between(0, 10))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("Sockets", "above 0");
    assertThatThrownBy(() -> Axis.linear("Sockets", "").between(10, 10))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Sockets");
    assertThatThrownBy(() -> Axis.linear("Sockets", "").between(0, Double.NaN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("NaN");
  }

  private static List<String> labels(Scale scale, int most) {
    return scale.ticks(most).stream().filter(Scale.Tick::major).map(Scale.Tick::label).toList();
  }
}
