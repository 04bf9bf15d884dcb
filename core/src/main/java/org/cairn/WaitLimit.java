// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How long ranks wait for each other in vain where the program does not say: {@code
 * CAIRN_WAIT_AT_MOST} or {@code -Dcairn.waitAtMost}, such as {@code 90s}, {@code 15min}, {@code 2h}
 * or {@code never}; a number alone is in seconds.
 */
final class WaitLimit {
  private static final String VARIABLE = "CAIRN_WAIT_AT_MOST";
  private static final String PROPERTY = "cairn.waitAtMost";
  private static final Duration USUAL = Duration.ofHours(1);
  private static final Pattern WORDS = Pattern.compile("(\\d{1,9})\\s*(s|min|h)?");

  private WaitLimit() {}

  static Duration ofSurroundings() {
    String given = System.getProperty(PROPERTY, "").strip();
    return given.isEmpty()
        ? parse(VARIABLE, System.getenv().getOrDefault(VARIABLE, "").strip())
        : parse("-D" + PROPERTY, given);
  }

  static Duration parse(String source, String text) {
    if (text.isEmpty()) {
      return USUAL;
    }
    if (text.equals("never")) {
      return Duration.ZERO;
    }
    Matcher words = WORDS.matcher(text);
    if (!words.matches()) {
      throw new IllegalArgumentException(
          "%s: \"%s\" is no time; say 90s, 15min, 2h or never".formatted(source, text));
    }
    long number = Long.parseLong(words.group(1));
    return switch (words.group(2)) {
      case "h" -> Duration.ofHours(number);
      case "min" -> Duration.ofMinutes(number);
      case null, default -> Duration.ofSeconds(number);
    };
  }
}
