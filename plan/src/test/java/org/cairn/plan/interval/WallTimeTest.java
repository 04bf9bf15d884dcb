// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.interval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;

class WallTimeTest {
  private static final double WORK = 500 * 60;

  @Test
  void givesTheWallTimesOfDalysExamplesInMinutes() {
    assertThat(exact(new Conditions(5, 10, 24 * 60))).isCloseTo(32872.9069, within(5e-5));
    assertThat(exact(new Conditions(5, 10, 15))).isCloseTo(150249.5487, within(5e-5));
  }

  private static double exact(Conditions c) {
    return WallTime.expected(c, WORK, IntervalRule.EXACT.interval(c)).total();
  }

  @SeededTest(seeds = 1)
  void partsAddUpToDalysFormula(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 1000; i++) {
      double m = Math.exp(random.nextDouble(-3, 9));
      double delta = random.nextDouble() * m + 1e-9;
      double restart = random.nextDouble() * m;
      double tau = random.nextDouble() * 3 * m + 1e-9;
      WallTime time = WallTime.expected(new Conditions(delta, restart, m), 1e6, tau);
      double formula = m * Math.exp(restart / m) * Math.expm1((tau + delta) / m) * 1e6 / tau;
      assertThat(time.total()).isCloseTo(formula, within(formula * 1e-11));
      assertThat(time.work()).isCloseTo(1e6, within(1e-6));
      assertThat(time.rework()).isPositive();
      // Interrupts come at a constant rate, whatever the job does.
      assertThat(time.interrupts()).isCloseTo(formula / m, within(formula / m * 1e-9));
    }
  }

  @Test
  void losesHalfASegmentWhereFailuresAreRare() {
    WallTime time = WallTime.expected(new Conditions(1, 1, 1e9), 1e6, 100);
    assertThat(time.rework()).isCloseTo(1e4 * 101 * 101 / 2e9, within(1e-6));
  }

  @Test
  void scheduleAddsTheLastShortSegment() {
    Conditions c = new Conditions(5, 10, 100);
    double whole = WallTime.expected(c, 60, 20).total();
    assertThat(WallTime.ofSchedule(c, 60, 20).total()).isCloseTo(whole, within(1e-9));
    double rest = WallTime.expected(c, 7, 7).total();
    assertThat(WallTime.ofSchedule(c, 67, 20).total()).isCloseTo(whole + rest, within(1e-9));
    assertThat(WallTime.ofSchedule(c, 7, 20).total()).isCloseTo(rest, within(1e-9));
  }

  @Test
  void jobShorterThanTheIntervalIsOneSegment() {
    Conditions c = new Conditions(5, 10, 100);
    assertThat(WallTime.expected(c, 7, 500)).isEqualTo(WallTime.expected(c, 7, 7));
  }

  @Test
  void refusesWhatIsNotATimeInWords() {
    assertThatThrownBy(() -> new Conditions(-1, 1, 1)).hasMessageContaining("checkpoint is -1");
    assertThatThrownBy(() -> new Conditions(1, Double.NaN, 1)).hasMessageContaining("restart");
    assertThatThrownBy(() -> new Conditions(1, 1, 0)).hasMessageContaining("interrupts is 0");
    Conditions c = new Conditions(1, 1, 1);
    assertThatThrownBy(() -> WallTime.expected(c, -1, 1)).hasMessageContaining("work is -1");
    assertThatThrownBy(() -> WallTime.expected(c, 1, 0)).hasMessageContaining("interval is 0");
  }

  @Test
  void saysWhereRestartsOutlastTheMachine() {
    assertThat(new Conditions(1, 20, 10).isHopeless()).isTrue();
    assertThat(new Conditions(1, 10, 20).isHopeless()).isFalse();
  }

  @Test
  void isNeverNotANumber() {
    WallTime time = WallTime.expected(new Conditions(1e6, 1e6, 1), 1e6, 1);
    assertThat(time.total()).isInfinite();
    assertThat(time.efficiency()).isZero();
  }
}
