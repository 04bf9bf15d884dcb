// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.terminal;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Sizes, times and shares as people write them, with about three digits that mean something. */
public final class Quantities {
  private static final String[] SIZES = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

  private Quantities() {}

  /** A number of bytes: {@code 512 B}, {@code 1.50 MiB}. */
  public static String bytes(long bytes) {
    if (Math.abs((double) bytes) < 1024) {
      return bytes + " B";
    }
    double value = bytes;
    int unit = 0;
    while (Math.abs(value) >= 1023.5 && unit < SIZES.length - 1) {
      value /= 1024;
      unit++;
    }
    return threeDigits(value) + " " + SIZES[unit];
  }

  /** A span of time: {@code 12.3 ms}, {@code 2 min 5 s}. */
  public static String duration(Duration duration) {
    return seconds(duration.toNanos() / 1e9);
  }

  /** A span of time, in seconds. */
  public static String seconds(double seconds) {
    if (seconds == 0) {
      return "0 s";
    } else if (seconds < 1e-3) {
      return threeDigits(seconds * 1e6) + " µs";
    } else if (seconds < 1) {
      return threeDigits(seconds * 1e3) + " ms";
    } else if (seconds < 60) {
      return threeDigits(seconds) + " s";
    }
    long whole = Math.round(seconds);
    return whole < 3600
        ? whole / 60 + " min " + whole % 60 + " s"
        : whole / 3600 + " h " + whole / 60 % 60 + " min";
  }

  /** A share of a whole: {@code 12.5 %}; a share that is not 0 is never shown as 0. */
  public static String percent(long part, long whole) {
    if (whole == 0) {
      return "-";
    }
    double percent = 100.0 * part / whole;
    if (part != 0 && percent < .1) {
      return "<0.1 %";
    }
    return part == whole ? "100 %" : decimals(Math.min(percent, 99.9), 1) + " %";
  }

  /** A number, with thousands set apart: {@code 65,536}. */
  public static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** Elements along each axis, as behind a type: {@code [70][64]}. */
  public static String shape(List<Long> shape) {
    return shape.stream().map(extent -> "[" + extent + "]").collect(Collectors.joining());
  }

  private static String threeDigits(double value) {
    double size = Math.abs(value);
    return decimals(value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
  }

  private static String decimals(double value, int decimals) {
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}
