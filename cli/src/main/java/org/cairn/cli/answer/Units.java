// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.answer;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Quantities with their units in words, as people type them: {@code 5y}, {@code 1h30min}, {@code
 * 16GB}, {@code 1TB/s}, {@code 3%}, {@code 200k}. A year is 365 days, as in Ferreira 2011. A comma
 * parts thousands and nothing else: who writes {@code 1,5h} must not be given 15 hours.
 */
public final class Units {
  private static final Pattern TERM =
      Pattern.compile(
          "\\s*((?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9][0-9_]*)(?:\\.[0-9]*)?(?:[eE][+-]?[0-9]+)?"
              + "|\\.[0-9]+)\\s*([^0-9.,\\s]*)");

  private static final Map<String, Double> TIMES =
      Map.ofEntries(
          Map.entry("ns", 1e-9),
          Map.entry("us", 1e-6),
          Map.entry("µs", 1e-6),
          Map.entry("ms", 1e-3),
          Map.entry("s", 1.0),
          Map.entry("sec", 1.0),
          Map.entry("second", 1.0),
          Map.entry("seconds", 1.0),
          Map.entry("min", 60.0),
          Map.entry("mins", 60.0),
          Map.entry("minute", 60.0),
          Map.entry("minutes", 60.0),
          Map.entry("h", 3600.0),
          Map.entry("hr", 3600.0),
          Map.entry("hour", 3600.0),
          Map.entry("hours", 3600.0),
          Map.entry("d", 86400.0),
          Map.entry("day", 86400.0),
          Map.entry("days", 86400.0),
          Map.entry("w", 7 * 86400.0),
          Map.entry("week", 7 * 86400.0),
          Map.entry("weeks", 7 * 86400.0),
          Map.entry("y", 365 * 86400.0),
          Map.entry("year", 365 * 86400.0),
          Map.entry("years", 365 * 86400.0));

  private static final Map<String, Double> SIZES =
      Map.ofEntries(
          Map.entry("b", 1.0),
          Map.entry("kb", 1e3),
          Map.entry("mb", 1e6),
          Map.entry("gb", 1e9),
          Map.entry("tb", 1e12),
          Map.entry("pb", 1e15),
          Map.entry("kib", 0x1p10),
          Map.entry("mib", 0x1p20),
          Map.entry("gib", 0x1p30),
          Map.entry("tib", 0x1p40),
          Map.entry("pib", 0x1p50));

  private static final Map<String, Double> COUNTS = Map.of("", 1.0, "k", 1e3, "m", 1e6, "g", 1e9);

  private Units() {}

  /** Seconds, of {@code 15min} or {@code 1h30min}. */
  public static final class Time implements ITypeConverter<Double> {
    @Override
    public Double convert(String text) {
      return sum(text, TIMES, "a time, such as 15min, 1h30min, 5y or 90s");
    }
  }

  /** Bytes, of {@code 16GB} or {@code 16GiB}. */
  public static final class Size implements ITypeConverter<Double> {
    @Override
    public Double convert(String text) {
      return sum(text, SIZES, "a size, such as 16GB or 512MiB");
    }
  }

  /** Bytes a second, of {@code 1TB/s}. */
  public static final class Rate implements ITypeConverter<Double> {
    @Override
    public Double convert(String text) {
      String size = text.replaceFirst("(?i)\\s*(/\\s*s(ec)?|ps)$", "");
      return sum(size, SIZES, "a rate, such as 1TB/s or 500MB/s");
    }
  }

  /** A part of a whole, of {@code 3%} or {@code 0.03}. */
  public static final class Share implements ITypeConverter<Double> {
    @Override
    public Double convert(String text) {
      boolean percent = text.strip().endsWith("%");
      String number = percent ? text.strip().substring(0, text.strip().length() - 1) : text;
      double value = number(number.strip(), "a part, such as 3% or 0.03", text);
      return percent ? value / 100 : value;
    }
  }

  /** A number of things, of {@code 200000}, {@code 200,000} or {@code 200k}. */
  public static final class Count implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      String expected = "a number, such as 200000 or 200k";
      double value = sum(text, COUNTS, expected);
      if (value != Math.rint(value) || Math.abs(value) > 1e15) {
        throw refuse(text, expected + " without a fraction");
      }
      return (long) value;
    }
  }

  private static double sum(String text, Map<String, Double> units, String expected) {
    String rest = text.strip();
    double sign = 1;
    if (rest.startsWith("-")) {
      sign = -1;
      rest = rest.substring(1);
    }
    if (rest.isEmpty()) {
      throw refuse(text, expected);
    }
    double sum = 0;
    Matcher matcher = TERM.matcher(rest);
    int end = 0;
    while (end < rest.length()) {
      if (!matcher.find(end) || matcher.start() != end) {
        throw refuse(text, expected);
      }
      Double unit = units.get(matcher.group(2).toLowerCase(Locale.ROOT));
      // "200 000" would be the sum of two numbers.
      boolean several = end > 0 || matcher.end() < rest.length();
      if (unit == null || (several && matcher.group(2).isEmpty())) {
        throw refuse(text, expected);
      }
      sum += number(matcher.group(1).replaceAll("[_,]", ""), expected, text) * unit;
      end = matcher.end();
    }
    return sign * sum;
  }

  private static double number(String digits, String expected, String text) {
    try {
      double value = Double.parseDouble(digits);
      if (Double.isFinite(value)) {
        return value;
      }
    } catch (NumberFormatException e) {
      // refused below, in our own words
    }
    throw refuse(text, expected);
  }

  private static TypeConversionException refuse(String text, String expected) {
    return new TypeConversionException("'" + text + "' is not " + expected);
  }
}
