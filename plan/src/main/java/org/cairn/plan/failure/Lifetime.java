// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.failure;

import java.math.BigDecimal;
import java.math.MathContext;
import org.apache.commons.numbers.gamma.LogGamma;

/**
 * How long a thing lives until it fails, in seconds, as a distribution.
 *
 * <p>Everything is told through the cumulative hazard H(t) = −ln S(t), because H of a lifetime is
 * exponential with mean 1: a draw is {@code inverseCumulativeHazard(Exp(1))}, the life that is left
 * at age a is {@code inverseCumulativeHazard(cumulativeHazard(a) + Exp(1)) - a}, and the first
 * failure among n things comes where H reaches Exp(1)/n. With 200,000 sockets this 1/n is tiny,
 * where 1 − (1 − p) would have lost most digits; H keeps them at both ends.
 */
public sealed interface Lifetime {
  /** The mean, in seconds. */
  double mean();

  /** The probability to live longer than {@code t}. */
  default double survival(double t) {
    return Math.exp(-cumulativeHazard(t));
  }

  /** −ln of {@link #survival}; 0 before the beginning. */
  double cumulativeHazard(double t);

  /**
   * The time at which the cumulative hazard reaches {@code h}.
   *
   * @param h not negative
   */
  double inverseCumulativeHazard(double h);

  /** Failures without memory. */
  static Lifetime exponential(double mean) {
    return new Exponential(mean);
  }

  /** Weibull; a shape below 1 fails early in life, above 1 late. */
  static Lifetime weibull(double shape, double mean) {
    check("shape", "Weibull", shape);
    check("mean", "Weibull", mean);
    return new Weibull(shape, mean / Math.exp(LogGamma.value(1 + 1 / shape)));
  }

  /** Log-normal, with the standard deviation of the logarithm. */
  static Lifetime logNormal(double sigma, double mean) {
    check("sigma", "log-normal", sigma);
    check("mean", "log-normal", mean);
    return new LogNormal(Math.log(mean) - sigma * sigma / 2, sigma);
  }

  /** Gamma; shape 1 is exponential. */
  static Lifetime gamma(double shape, double mean) {
    check("shape", "gamma", shape);
    check("mean", "gamma", mean);
    return new Gamma(shape, mean / shape);
  }

  /**
   * S(t) = e^(−t/mean).
   *
   * @param mean in seconds
   */
  record Exponential(double mean) implements Lifetime {
    /** Checks. */
    public Exponential {
      check("mean", "exponential", mean);
    }

    @Override
    public double cumulativeHazard(double t) {
      return t <= 0 ? 0 : t / mean;
    }

    @Override
    public double inverseCumulativeHazard(double h) {
      return h * mean;
    }

    @Override
    public String toString() {
      return "exponential with mean " + plain(mean) + " s";
    }
  }

  /**
   * S(t) = e^(−(t/scale)^shape).
   *
   * @param shape below 1: early failures; above 1: wear
   * @param scale in seconds
   */
  record Weibull(double shape, double scale) implements Lifetime {
    /** Checks. */
    public Weibull {
      check("shape", "Weibull", shape);
      check("scale", "Weibull", scale);
    }

    @Override
    public double mean() {
      return scale * Math.exp(LogGamma.value(1 + 1 / shape));
    }

    @Override
    public double cumulativeHazard(double t) {
      return t <= 0 ? 0 : Math.pow(t / scale, shape);
    }

    @Override
    public double inverseCumulativeHazard(double h) {
      return scale * Math.pow(h, 1 / shape);
    }

    @Override
    public String toString() {
      return "Weibull with shape " + plain(shape) + " and mean " + plain(mean()) + " s";
    }
  }

  /**
   * ln t is normal.
   *
   * @param mu mean of ln t, t in seconds
   * @param sigma standard deviation of ln t
   */
  record LogNormal(double mu, double sigma) implements Lifetime {
    /** Checks. */
    public LogNormal {
      if (!Double.isFinite(mu)) {
        throw new IllegalArgumentException("mu of a log-normal lifetime must be finite: " + mu);
      }
      check("sigma", "log-normal", sigma);
    }

    @Override
    public double mean() {
      return Math.exp(mu + sigma * sigma / 2);
    }

    @Override
    public double cumulativeHazard(double t) {
      return t <= 0 ? 0 : NormalHazard.at((Math.log(t) - mu) / sigma);
    }

    @Override
    public double inverseCumulativeHazard(double h) {
      return h <= 0 ? 0 : Math.exp(mu + sigma * NormalHazard.inverse(h));
    }

    @Override
    public String toString() {
      return "log-normal with sigma " + plain(sigma) + " and mean " + plain(mean()) + " s";
    }
  }

  /**
   * The density is t^(shape−1) e^(−t/scale), but for a factor.
   *
   * @param shape below 1: early failures; above 1: wear
   * @param scale in seconds
   */
  record Gamma(double shape, double scale) implements Lifetime {
    /** Checks. */
    public Gamma {
      check("shape", "gamma", shape);
      check("scale", "gamma", scale);
    }

    @Override
    public double mean() {
      return shape * scale;
    }

    @Override
    public double cumulativeHazard(double t) {
      return t <= 0 ? 0 : GammaHazard.at(shape, t / scale);
    }

    @Override
    public double inverseCumulativeHazard(double h) {
      return h <= 0 ? 0 : scale * GammaHazard.inverse(shape, h);
    }

    @Override
    public String toString() {
      return "gamma with shape " + plain(shape) + " and mean " + plain(mean()) + " s";
    }
  }

  private static void check(String what, String kind, double value) {
    if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          what + " of a " + kind + " lifetime must be positive and finite: " + value);
    }
  }

  /** Six digits, without an exponent where people would write none. */
  private static String plain(double value) {
    if (!Double.isFinite(value)) {
      return Double.toString(value);
    }
    BigDecimal rounded = new BigDecimal(value, new MathContext(6)).stripTrailingZeros();
    return value >= 1e-4 && value < 1e15 ? rounded.toPlainString() : rounded.toString();
  }
}
