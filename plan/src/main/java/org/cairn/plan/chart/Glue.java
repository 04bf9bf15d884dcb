// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.chart;

import java.util.regex.Pattern;

/** Keeps a number and its unit on one line. */
final class Glue {
  /** A space at which nothing is broken. */
  static final char NO_BREAK = '\u00a0';

  private static final Pattern BEFORE_UNIT =
      Pattern.compile(
          "(?<=\\d) (?=(?:[nmµ]?s|min|h|d|y|minutes?|hours?|days?|years?|[KMGTPE]?i?B(?:/s)?|bytes)(?![\\p{L}\\d])|%)");

  /** Between the parts of a time, as in 4 h 10 min. */
  private static final Pattern WITHIN_TIME =
      Pattern.compile("(?<=\\d\u00a0(?:h|min|d|y)) (?=\\d+\u00a0(?:s|min|h|d)(?![\\p{L}\\d]))");

  private Glue() {}

  /** The text with such spaces between numbers and units. */
  static String glued(String text) {
    String units = BEFORE_UNIT.matcher(text).replaceAll(String.valueOf(NO_BREAK));
    return WITHIN_TIME.matcher(units).replaceAll(String.valueOf(NO_BREAK));
  }
}
