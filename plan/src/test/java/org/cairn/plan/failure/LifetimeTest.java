// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.Stream;
import org.apache.commons.statistics.distribution.ContinuousDistribution;
import org.apache.commons.statistics.distribution.GammaDistribution;
import org.apache.commons.statistics.distribution.LogNormalDistribution;
import org.apache.commons.statistics.distribution.WeibullDistribution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lifetimes: both directions of the hazard, means, and agreement with commons-statistics. */
class LifetimeTest {
  private static final double MEAN = 1.5e8;

  static Stream<Lifetime> lifetimes() {
    return Stream.of(
        Lifetime.exponential(MEAN),
        Lifetime.weibull(0.156, MEAN),
        Lifetime.weibull(0.469, MEAN),
        Lifetime.weibull(3, MEAN),
        Lifetime.logNormal(0.3, MEAN),
        Lifetime.logNormal(2.5, MEAN),
        Lifetime.gamma(0.2, MEAN),
        Lifetime.gamma(0.7, MEAN),
        Lifetime.gamma(1, MEAN),
        Lifetime.gamma(12, MEAN),
        Lifetime.gamma(400, MEAN));
  }

  @ParameterizedTest
  @MethodSource("lifetimes")
  void timeComesBackFromHazard(Lifetime lifetime) {
    int compared = 0;
    for (double t = MEAN * 1e-9; t < MEAN * 1e3; t *= 1.7) {
      double hazard = lifetime.cumulativeHazard(t);
      if (hazard > 1e-290) {
        double back = lifetime.inverseCumulativeHazard(hazard);
        assertThat(back / t).as("%s at %s", lifetime, t).isCloseTo(1, within(1e-10));
        compared++;
      }
    }
    assertThat(compared).isGreaterThan(14);
  }

  @ParameterizedTest
  @MethodSource("lifetimes")
  void hazardComesBackFromTime(Lifetime lifetime) {
    for (double h = 1e-40; h < 1e4; h *= 3.1) {
      double back = lifetime.cumulativeHazard(lifetime.inverseCumulativeHazard(h));
      assertThat(back / h).as("%s at %s", lifetime, h).isCloseTo(1, within(1e-9));
    }
  }

  @ParameterizedTest
  @MethodSource("lifetimes")
  void hazardGrows(Lifetime lifetime) {
    double last = 0;
    for (double h = 1e-12; h < 2000; h *= 1.01) {
      double time = lifetime.inverseCumulativeHazard(h);
      assertThat(time).as("%s at %s", lifetime, h).isGreaterThan(last);
      last = time;
    }
    assertThat(lifetime.inverseCumulativeHazard(0)).isZero();
    assertThat(lifetime.inverseCumulativeHazard(Double.POSITIVE_INFINITY)).isInfinite();
    assertThat(lifetime.cumulativeHazard(0)).isZero();
    assertThat(lifetime.cumulativeHazard(-1)).isZero();
    assertThat(lifetime.survival(-1)).isEqualTo(1);
  }

  /** The mean is the integral of the survival; in ln t, where no decade is lost. */
  @ParameterizedTest
  @MethodSource("lifetimes")
  void meanIsIntegralOfSurvival(Lifetime lifetime) {
    double sum = 0;
    double step = 0.002;
    for (double u = Math.log(MEAN) - 25; u < Math.log(MEAN) + 16; u += step) {
      double t = Math.exp(u);
      sum += lifetime.survival(t) * t * step;
    }
    assertThat(lifetime.mean()).isCloseTo(MEAN, within(MEAN * 1e-9));
    assertThat(sum).isCloseTo(MEAN, within(MEAN * 1e-6));
  }

  static Stream<Arguments> twins() {
    return Stream.of(
        Arguments.of(new Lifetime.Weibull(0.469, 10), WeibullDistribution.of(0.469, 10)),
        Arguments.of(new Lifetime.LogNormal(2, 1.3), LogNormalDistribution.of(2, 1.3)),
        Arguments.of(new Lifetime.Gamma(0.7, 5), GammaDistribution.of(0.7, 5)),
        Arguments.of(new Lifetime.Gamma(12, 5), GammaDistribution.of(12, 5)));
  }

  @ParameterizedTest
  @MethodSource("twins")
  void survivalIsThatOfCommonsStatistics(Lifetime lifetime, ContinuousDistribution twin) {
    assertThat(lifetime.mean()).isCloseTo(twin.getMean(), within(1e-9 * twin.getMean()));
    for (double t = 1e-3; t < 1000; t *= 1.3) {
      double expected = twin.survivalProbability(t);
      assertThat(lifetime.survival(t))
          .as("%s at %s", lifetime, t)
          .isCloseTo(expected, within(1e-11 * expected + 1e-300));
    }
  }

  /** Where Q underflows; for whole shapes Q is a finite sum. */
  @Test
  void gammaBeyondUnderflow() {
    double x = 5000;
    double expected = x - Math.log(1 + x + x * x / 2);
    assertThat(new Lifetime.Gamma(3, 1).cumulativeHazard(x)).isCloseTo(expected, within(1e-9));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
  void refusesWhatIsNoLifetime(double bad) {
    Stream.<Runnable>of(
            () -> Lifetime.exponential(bad),
            () -> Lifetime.weibull(bad, 1),
            () -> Lifetime.weibull(1, bad),
            () -> Lifetime.logNormal(bad, 1),
            () -> Lifetime.logNormal(1, bad),
            () -> Lifetime.gamma(bad, 1),
            () -> Lifetime.gamma(1, bad),
            () -> new Lifetime.Weibull(1, bad),
            () -> new Lifetime.Gamma(1, bad))
        .forEach(
            making ->
                assertThatIllegalArgumentException()
                    .isThrownBy(making::run)
                    .withMessageContaining("must be positive and finite: " + bad));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Lifetime.LogNormal(Double.NaN, 1))
        .withMessage("mu of a log-normal lifetime must be finite: NaN");
  }

  @Test
  void speaksPlainly() {
    assertThat(Lifetime.exponential(157680000)).hasToString("exponential with mean 157680000 s");
    assertThat(Lifetime.weibull(0.469, 1.2623e8))
        .hasToString("Weibull with shape 0.469 and mean 126230000 s");
    assertThat(Lifetime.logNormal(1.5, 0.25))
        .hasToString("log-normal with sigma 1.5 and mean 0.25 s");
    assertThat(Lifetime.gamma(0.7, 1e30)).hasToString("gamma with shape 0.7 and mean 1E+30 s");
  }
}
