// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.figure;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;
import org.cairn.plan.chart.Axis;
import org.cairn.plan.chart.Guide;
import org.cairn.plan.chart.Region;
import org.cairn.plan.chart.Series;
import org.cairn.plan.chart.Style;

/** What the figures have in common: axes, the region of exascale machines, curves of functions. */
final class Scales {
  static final double HOUR = 3600;
  private static final double MINUTE = 60;
  static final double YEAR = 365 * 24 * HOUR;

  /** Sockets that Ferreira (2011) expects of an exascale machine. */
  private static final double EXASCALE_FROM = 25_000;

  private static final double EXASCALE_TO = 200_000;

  private Scales() {}

  /** The same machines, seen as processes that run twice. */
  static Region exascalePairs() {
    return new Region("exascale, in pairs", EXASCALE_FROM / 2, EXASCALE_TO / 2);
  }

  static Region exascaleSockets() {
    return new Region("exascale", EXASCALE_FROM, EXASCALE_TO);
  }

  /** The design space of section 6.4: MTBFs of 4 to 50 years, above 25,000 sockets. */
  static Region exascaleDesigns(double most) {
    return new Region("exascale designs", 4, 50, EXASCALE_FROM, most);
  }

  /** The size of the machine that was asked about. */
  static Guide here(double sockets) {
    return new Guide(String.format(Locale.ROOT, "yours: %,.0f", sockets), sockets);
  }

  /** From where to where an axis of ratios goes. */
  record Span(double from, double to) {
    /** How far an axis goes on beyond a value that it is made longer for. */
    private static final double ROOM = 1.25;

    /** The same, and longer where somebody's own value would not be seen. */
    Span with(double own) {
      return new Span(own < from ? own / ROOM : from, own > to ? own * ROOM : to);
    }

    double[] points(int count) {
      return logarithmic(from, to, count);
    }
  }

  /** A unit of time that gives short numbers. */
  record Unit(double seconds, String name) {
    /** The same series with its x in this unit. */
    Series scaled(Series series) {
      double[] x = Arrays.stream(series.x()).map(value -> value / seconds).toArray();
      return new Series(
          series.name(),
          x,
          series.y(),
          series.style(),
          series.halfWidths(),
          series.colourOf(),
          series.colour());
    }
  }

  static Unit unit(double seconds) {
    return seconds < 2 * MINUTE
        ? new Unit(1, "s")
        : seconds < 2 * HOUR ? new Unit(MINUTE, "min") : new Unit(HOUR, "h");
  }

  static Axis sockets(double from, double to) {
    return Axis.log("sockets", "").between(from, to);
  }

  static Axis sockets(Span span) {
    return sockets(span.from(), span.to());
  }

  static Axis efficiency() {
    return Axis.linear("efficiency", "%").between(0, 100);
  }

  /** Numbers from one end to the other, at equal ratios. */
  static double[] logarithmic(double from, double to, int count) {
    double[] values = new double[count];
    for (int i = 0; i < count; i++) {
      values[i] = from * Math.pow(to / from, (double) i / (count - 1));
    }
    return values;
  }

  /** Numbers from one end to the other, at equal distances. */
  static double[] linear(double from, double to, int count) {
    double[] values = new double[count];
    for (int i = 0; i < count; i++) {
      values[i] = from + (to - from) * i / (count - 1);
    }
    return values;
  }

  static Series curve(String name, double[] x, DoubleUnaryOperator y, Style style) {
    double[] values = new double[x.length];
    for (int i = 0; i < x.length; i++) {
      values[i] = y.applyAsDouble(x[i]);
    }
    return new Series(name, x, values, style);
  }

  /** The curve of a strategy, in its colour. */
  static Series ofStrategy(String name, double[] x, DoubleUnaryOperator y, Style style) {
    return curve(name, x, y, style).in(Hues.of(name));
  }

  static Series line(String name, double[] x, DoubleUnaryOperator y) {
    return curve(name, x, y, Style.LINE);
  }

  /** Up to four digits, and none that says nothing: 168, 0.5, 12.25. */
  static String number(double value) {
    return new BigDecimal(value, new MathContext(4)).stripTrailingZeros().toPlainString();
  }

  /** A time in the unit that fits it. */
  static String time(double seconds) {
    if (seconds < 2 * MINUTE) {
      return number(seconds) + " s";
    } else if (seconds < 2 * HOUR) {
      return number(seconds / MINUTE) + " min";
    } else if (seconds < 1000 * HOUR) {
      return number(seconds / HOUR) + " h";
    }
    return seconds < 2 * YEAR
        ? number(seconds / (24 * HOUR)) + " days"
        : number(seconds / YEAR) + " years";
  }
}
