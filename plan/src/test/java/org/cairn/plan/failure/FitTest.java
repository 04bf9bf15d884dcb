// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import org.apache.commons.rng.simple.RandomSource;
import org.apache.commons.statistics.distribution.ContinuousDistribution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class FitTest {
  @ParameterizedTest
  @CsvSource({"18, 0.8170, 6.6293", "20, 0.6466, 9.5526"})
  void weibullOfRecordedFailures(String system, double shape, double hours) {
    double[] gaps = TraceReader.read(Lanl.excerpt(), system).gaps();
    Fit fit = Fit.weibull(gaps);
    assertThat(fit.parameter("shape")).isCloseTo(shape, within(5e-5));
    assertThat(fit.parameter("scale") / 3600).isCloseTo(hours, within(5e-5));
    assertThat(fit.zeros()).isEqualTo((int) Arrays.stream(gaps).filter(gap -> gap == 0).count());
    assertThat(fit.zeros()).isPositive();
    assertThat(fit.gaps() + fit.zeros()).isEqualTo(gaps.length);
  }

  @Test
  void recordedFailuresAreNotExponential() {
    List<Fit> fits = Fit.all(TraceReader.read(Lanl.excerpt(), "20").gaps());
    assertThat(fits).isSortedAccordingTo((a, b) -> Double.compare(a.aic(), b.aic()));
    assertThat(fits.getLast().family()).isEqualTo(Fit.Family.EXPONENTIAL);
    assertThat(fits.getFirst().distance()).isLessThan(fits.getLast().distance() / 2);
  }

  @ParameterizedTest
  @CsvSource({
    "EXPONENTIAL, 500, 500, 0.03",
    "WEIBULL, 0.5, 1e-3, 0.06",
    // The standard error of log(scale) is 1.05 / (shape √n), here 0.15.
    "WEIBULL, 0.05, 3, 0.45",
    "WEIBULL, 3, 1e9, 0.01",
    "LOG_NORMAL, 9, 2.5, 0.02",
    "LOG_NORMAL, -3, 0.01, 0.02",
    "GAMMA, 0.03, 1e4, 0.15",
    "GAMMA, 2, 7, 0.04",
    "GAMMA, 40000, 1, 0.03"
  })
  void samplesGiveBackWhatTheyWereDrawnFrom(
      Fit.Family family, double first, double second, double tolerance) {
    boolean single = family.parameterNames().size() == 1;
    List<Double> truth = single ? List.of(first) : List.of(first, second);
    ContinuousDistribution source = Likelihood.distribution(family, truth);
    double[] gaps =
        source
            .createSampler(RandomSource.XO_RO_SHI_RO_128_PP.create(7318L))
            .samples(20_000)
            .toArray();
    List<Fit> fits = Fit.all(gaps);
    Fit own = fits.stream().filter(fit -> fit.family() == family).findFirst().orElseThrow();
    // Three standard errors of 20,000 samples; what is first is sharper than 3 % in all of these.
    assertThat(own.parameters().getFirst()).isCloseTo(first, within(0.03 * Math.abs(first)));
    assertThat(own.parameters().getLast())
        .isCloseTo(truth.getLast(), within(tolerance * Math.abs(truth.getLast())));
    // The 0.1 % point of Kolmogorov's distribution; fitted parameters only bring it nearer.
    assertThat(own.distance()).isLessThan(1.95 / Math.sqrt(own.gaps()));
    assertThat(own.aic()).isLessThan(fits.getFirst().aic() + 8);
  }

  @ParameterizedTest
  @EnumSource(Fit.Family.class)
  void noNeighbourIsMoreLikely(Fit.Family family) {
    double[] gaps = {0.1, 0.7, 2, 2, 3.5, 11, 40};
    Fit fit = fitOf(family, gaps);
    for (int i = 0; i < fit.parameters().size(); i++) {
      for (double factor : new double[] {0.999, 1.001}) {
        Double[] moved = fit.parameters().toArray(Double[]::new);
        moved[i] *= factor;
        ContinuousDistribution other = Likelihood.distribution(family, List.of(moved));
        double likelihood = Arrays.stream(gaps).map(other::logDensity).sum();
        assertThat(likelihood).isLessThan(fit.logLikelihood());
      }
    }
    assertThat(fit.aic())
        .isCloseTo(2 * fit.parameters().size() - 2 * fit.logLikelihood(), within(1e-12));
  }

  private static Fit fitOf(Fit.Family family, double... gaps) {
    return switch (family) {
      case EXPONENTIAL -> Fit.exponential(gaps);
      case WEIBULL -> Fit.weibull(gaps);
      case LOG_NORMAL -> Fit.logNormal(gaps);
      case GAMMA -> Fit.gamma(gaps);
    };
  }

  @Test
  void theUnitOfTimeDoesNotMatter() {
    double[] gaps = {1, 2, 4, 4, 9, 30};
    for (double unit : new double[] {1e-290, 1e-9, 3600, 1e290}) {
      double[] scaled = Arrays.stream(gaps).map(gap -> gap * unit).toArray();
      for (Fit.Family family : new Fit.Family[] {Fit.Family.WEIBULL, Fit.Family.GAMMA}) {
        Fit fit = fitOf(family, gaps);
        Fit other = fitOf(family, scaled);
        assertThat(other.parameter("shape")).isCloseTo(fit.parameter("shape"), within(1e-9));
        assertThat(other.parameter("scale") / unit).isCloseTo(fit.parameter("scale"), within(1e-9));
      }
    }
  }

  @Test
  void twoGapsThatHardlyDifferAreFitted() {
    // For ±d around the mean logarithm the equation is tanh κ = 1/κ.
    Fit fit = Fit.weibull(Math.exp(-1e-6), Math.exp(1e-6));
    assertThat(fit.parameter("shape") * 1e-6).isCloseTo(1.19967864, within(1e-6));
    assertThat(Fit.gamma(Math.exp(-1e-6), Math.exp(1e-6)).parameter("shape"))
        .isCloseTo(1e12, within(1e6));
  }

  @Test
  void distanceIsThatOfTheSteps() {
    // Mean 2: the step at 1 goes from 0 to 1/2 where the fit has 1 - exp(-1/2), at 3 from 1/2 to 1.
    assertThat(Fit.exponential(1, 3).distance()).isCloseTo(1 - Math.exp(-0.5), within(1e-12));
  }

  @Test
  void tooFewGapsAreRefused() {
    assertThatThrownBy(() -> Fit.weibull(0, 5, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a fit needs two different positive gaps at least; of 3 gaps 1 are positive");
    assertThatThrownBy(() -> Fit.all(5, 5))
        .hasMessage(
            "a fit needs two different positive gaps at least; of 2 gaps 2 are positive, and all"
                + " alike");
    assertThatThrownBy(Fit::gamma).hasMessageContaining("of 0 gaps 0 are positive");
    assertThatThrownBy(() -> Fit.all(1, -2)).hasMessage("a gap between failures of -2.0");
    assertThatThrownBy(() -> Fit.all(1, Double.NaN)).hasMessage("a gap between failures of NaN");
    assertThatThrownBy(() -> Fit.exponential(1, 2).parameter("shape"))
        .hasMessage("exponential has no shape; it has mean");
  }
}
