// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.commons.statistics.distribution.ContinuousDistribution;

/**
 * A distribution fitted to the gaps between failures by maximum likelihood.
 *
 * <p>Only positive gaps are fitted. A gap of 0 says that two failures were recorded in the same
 * minute, often with one cause; densities of these families are 0 or infinite there. Such gaps are
 * counted in {@link #zeros}, and whoever uses the fit must know that it leaves them out.
 *
 * @param family which
 * @param parameters as {@link Family#parameterNames} calls them; scales and means are in the unit
 *     of the gaps
 * @param gaps how many positive gaps it describes
 * @param zeros how many gaps of 0 were left out
 * @param logLikelihood the logarithm of the likelihood
 * @param aic Akaike's criterion; of fits to the same gaps the least is the best
 * @param distance of Kolmogorov and Smirnov, the greatest between the fit and the gaps as
 *     cumulative probabilities. Tables of its significance do not hold where parameters are fitted
 */
public record Fit(
    Family family,
    List<Double> parameters,
    int gaps,
    int zeros,
    double logLikelihood,
    double aic,
    double distance) {

  /** The families, with the names of their parameters. */
  public enum Family {
    /** Without memory. */
    EXPONENTIAL("mean"),
    /** A hazard that falls with time if the shape is below 1. */
    WEIBULL("shape scale"),
    /** The logarithm is normal. */
    LOG_NORMAL("mu sigma"),
    /** A sum of exponential times, if the shape is a whole number. */
    GAMMA("shape scale");

    private final String parameters;

    Family(String parameters) {
      this.parameters = parameters;
    }

    /** What the parameters are, in their order. */
    public List<String> parameterNames() {
      return List.of(parameters.split(" ", -1));
    }

    /** In words. */
    public String label() {
      // Weibull was a person.
      return this == WEIBULL ? "Weibull" : name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** Copies the parameters. */
  public Fit {
    parameters = List.copyOf(parameters);
  }

  /** In words, such as {@code weibull}. */
  public String name() {
    return family.label();
  }

  /** A parameter by its name, such as {@code shape}. */
  public double parameter(String name) {
    int index = family.parameterNames().indexOf(name);
    if (index < 0) {
      throw new IllegalArgumentException(
          name() + " has no " + name + "; it has " + String.join(", ", family.parameterNames()));
    }
    return parameters.get(index);
  }

  /** Fits an exponential distribution. */
  public static Fit exponential(double... gaps) {
    return of(Family.EXPONENTIAL, new Sample(gaps));
  }

  /** Fits a Weibull distribution. */
  public static Fit weibull(double... gaps) {
    return of(Family.WEIBULL, new Sample(gaps));
  }

  /** Fits a log-normal distribution. */
  public static Fit logNormal(double... gaps) {
    return of(Family.LOG_NORMAL, new Sample(gaps));
  }

  /** Fits a gamma distribution. */
  public static Fit gamma(double... gaps) {
    return of(Family.GAMMA, new Sample(gaps));
  }

  /** Fits all families; the one that describes the gaps best, by AIC, comes first. */
  public static List<Fit> all(double... gaps) {
    Sample sample = new Sample(gaps);
    return Stream.of(Family.values())
        .map(family -> of(family, sample))
        .sorted(Comparator.comparingDouble(Fit::aic))
        .toList();
  }

  private static Fit of(Family family, Sample sample) {
    List<Double> parameters = Likelihood.greatest(family, sample);
    ContinuousDistribution fitted = Likelihood.distribution(family, parameters);
    double[] sorted = sample.sorted();
    double likelihood = Arrays.stream(sorted).map(fitted::logDensity).sum();
    return new Fit(
        family,
        parameters,
        sorted.length,
        sample.zeros(),
        likelihood,
        2.0 * parameters.size() - 2 * likelihood,
        distance(fitted, sorted));
  }

  private static double distance(ContinuousDistribution fitted, double[] sorted) {
    double greatest = 0;
    for (int i = 0; i < sorted.length; i++) {
      double probability = fitted.cumulativeProbability(sorted[i]);
      double above = (i + 1.0) / sorted.length - probability;
      double below = probability - (double) i / sorted.length;
      greatest = Math.max(greatest, Math.max(above, below));
    }
    return greatest;
  }
}
