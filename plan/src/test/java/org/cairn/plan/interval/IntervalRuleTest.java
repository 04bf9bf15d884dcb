// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.interval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.cairn.plan.numeric.LambertW;
import org.cairn.plan.numeric.Minimum;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;

class IntervalRuleTest {
  private static final double DAY = 24 * 60;

  @Test
  void givesTheIntervalsOfDalysExamplesInMinutes() {
    assertIntervals(new Conditions(5, 10, DAY), 120.000000, 116.689815, 116.690073);
    assertIntervals(new Conditions(5, 10, 15), 12.247449, 9.140920, 9.166503);
  }

  private static void assertIntervals(Conditions c, double young, double daly, double exact) {
    assertThat(IntervalRule.YOUNG.interval(c)).isCloseTo(young, within(5e-7));
    assertThat(IntervalRule.DALY.interval(c)).isCloseTo(daly, within(5e-7));
    assertThat(IntervalRule.EXACT.interval(c)).isCloseTo(exact, within(5e-7));
  }

  @Test
  void takesTheMttiWhereCheckpointsTakeTwiceAsLong() {
    assertThat(IntervalRule.DALY.interval(new Conditions(30, 10, 10))).isEqualTo(10);
    assertThat(IntervalRule.DALY.interval(new Conditions(20, 10, 10))).isEqualTo(10);
  }

  @Test
  void firstOrderOfDalyCountsTheRestart() {
    assertThat(IntervalRule.DALY_FIRST.interval(new Conditions(2, 19, 81))).isEqualTo(20);
  }

  @SeededTest(seeds = 1)
  void exactIsNeverWorseThanAnyOtherInterval(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 500; i++) {
      Conditions c = new Conditions(logUniform(random, 1e-6, 3), logUniform(random, 1e-6, 2), 1);
      double exact = IntervalRule.EXACT.interval(c);
      double best = WallTime.expected(c, 1, exact).total();
      for (IntervalRule rule : IntervalRule.values()) {
        assertThat(WallTime.expected(c, 1, rule.interval(c)).total())
            .as("%s for %s", rule, c)
            .isGreaterThanOrEqualTo(best * (1 - 1e-12));
      }
      double searched =
          Minimum.onLogScale(t -> WallTime.expected(c, 1, t).waste(), exact / 50, exact * 50);
      assertThat(searched).as("%s", c).isCloseTo(exact, within(exact * 1e-3));
    }
  }

  @Test
  void lambertKeepsItsDigitsAtTheBranchPoint() {
    for (double d = 1e-18; d < 600; d *= 1.7) {
      double x = LambertW.onePlusAtBranch(d);
      // For tiny d: x = √(2d) − 2d/3 + …
      if (d < 1e-10) {
        assertThat(x).isCloseTo(Math.sqrt(2 * d) - 2 * d / 3, within(x * 1e-9));
      } else if (x < 0.999) {
        assertThat(-x - Math.log1p(-x)).as("d = %s", d).isCloseTo(d, within(d * 1e-5));
      }
      assertThat(x).isBetween(0.0, 1.0);
    }
    assertThat(LambertW.onePlusAtBranch(0)).isZero();
  }

  private static double logUniform(SplittableRandom random, double from, double to) {
    return from * Math.pow(to / from, random.nextDouble());
  }
}
