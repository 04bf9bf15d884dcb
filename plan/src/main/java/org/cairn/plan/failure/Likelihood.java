// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import org.apache.commons.numbers.gamma.Digamma;
import org.apache.commons.numbers.rootfinder.BrentSolver;
import org.apache.commons.statistics.distribution.ContinuousDistribution;
import org.apache.commons.statistics.distribution.ExponentialDistribution;
import org.apache.commons.statistics.distribution.GammaDistribution;
import org.apache.commons.statistics.distribution.LogNormalDistribution;
import org.apache.commons.statistics.distribution.WeibullDistribution;

/** Where the likelihood of each family is greatest. */
final class Likelihood {
  /** Beyond this the series for large shapes is exact to the last digit. */
  private static final double LARGE = 1e4;

  private Likelihood() {}

  static List<Double> greatest(Fit.Family family, Sample sample) {
    return switch (family) {
      case EXPONENTIAL -> List.of(sample.mean());
      case WEIBULL -> weibull(sample);
      case LOG_NORMAL -> List.of(sample.meanLog(), sample.deviation());
      case GAMMA -> gamma(sample);
    };
  }

  static ContinuousDistribution distribution(Fit.Family family, List<Double> parameters) {
    double first = parameters.getFirst();
    double last = parameters.getLast();
    return switch (family) {
      case EXPONENTIAL -> ExponentialDistribution.of(first);
      case WEIBULL -> WeibullDistribution.of(first, last);
      case LOG_NORMAL -> LogNormalDistribution.of(first, last);
      case GAMMA -> GammaDistribution.of(first, last);
    };
  }

  /**
   * With logarithms z in standard form and κ = shape · deviation, the likelihood is greatest where
   * Σ z exp(κz) / Σ exp(κz) = 1/κ. The left side grows with κ from 0, the right side falls, so
   * there is one crossing and a bracket is found by doubling.
   */
  private static List<Double> weibull(Sample sample) {
    double[] z = sample.standard();
    DoubleUnaryOperator excess = kappa -> tilted(z, kappa).slope() - 1 / kappa;
    double low = 1;
    while (excess.applyAsDouble(low) > 0) {
      low /= 2;
    }
    double high = 2 * low;
    while (excess.applyAsDouble(high) < 0) {
      high *= 2;
    }
    double kappa = root(excess, low, high);
    double logScale = sample.meanLog() + sample.deviation() * tilted(z, kappa).logMean() / kappa;
    return List.of(kappa / sample.deviation(), Math.exp(logScale));
  }

  /**
   * Of exp(κz): the logarithm of the mean, and its slope in κ.
   *
   * @param logMean log(mean exp(κz))
   * @param slope Σ z exp(κz) / Σ exp(κz)
   */
  private record Tilted(double logMean, double slope) {}

  private static Tilted tilted(double[] z, double kappa) {
    double greatest = z[z.length - 1];
    double sum = 0;
    double weighted = 0;
    for (double value : z) {
      double weight = Math.exp(kappa * (value - greatest));
      sum += weight;
      weighted += weight * value;
    }
    return new Tilted(kappa * greatest + Math.log(sum / z.length), weighted / sum);
  }

  /**
   * The shape α solves log α − ψ(α) = s, with s the logarithm of the mean less the mean of the
   * logarithms. As 1/(2α) &lt; log α − ψ(α) &lt; 1/α, the bracket is known.
   */
  private static List<Double> gamma(Sample sample) {
    double[] excess =
        Arrays.stream(sample.standard())
            .map(z -> z * sample.deviation())
            .map(log -> Math.expm1(log) - log)
            .toArray();
    double s = Math.log1p(Sample.mean(excess));
    double logShape =
        root(log -> Math.log(logLessDigamma(Math.exp(log)) / s), -Math.log(2 * s), -Math.log(s));
    double shape = Math.exp(logShape);
    return List.of(shape, sample.mean() / shape);
  }

  private static double logLessDigamma(double alpha) {
    return alpha > LARGE
        ? (1 + 1 / (6 * alpha)) / (2 * alpha)
        : Math.log(alpha) - Digamma.value(alpha);
  }

  /** Ends of a bracket may be the root itself but for rounding; Brent's method refuses that. */
  private static double root(DoubleUnaryOperator function, double low, double high) {
    double widened = 1e-6 * Math.max(1, Math.abs(low));
    return new BrentSolver(1e-14, 1e-14, 1e-15).findRoot(function, low - widened, high + widened);
  }
}
