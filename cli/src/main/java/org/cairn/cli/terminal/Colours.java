// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.terminal;

import java.util.Locale;
import java.util.Map;

/** Which colours can be printed. */
public enum Colours {
  /** None: the output is a file, or nobody wants any. */
  NONE,
  /** The 216 of a cube, as most terminals have them. */
  CUBE,
  /** All that three bytes can say. */
  ALL;

  private static final int[] LEVELS = {0, 95, 135, 175, 215, 255};

  /**
   * What a terminal has, by what it says of itself. {@code NO_COLOR}, set to anything, means none.
   *
   * @see <a href="https://no-color.org">no-color.org</a>
   */
  static Colours of(boolean isTerminal, Map<String, String> environment) {
    String terminal = environment.getOrDefault("TERM", "");
    if (!isTerminal
        || terminal.isEmpty()
        || terminal.equals("dumb")
        || !environment.getOrDefault("NO_COLOR", "").isEmpty()) {
      return NONE;
    }
    String all = environment.getOrDefault("COLORTERM", "").toLowerCase(Locale.ROOT);
    return all.equals("truecolor") || all.equals("24bit") ? ALL : CUBE;
  }

  /** A character whose upper half has one colour and whose lower half has another. */
  public String halves(int upper, int lower) {
    return switch (this) {
      case NONE -> throw new IllegalStateException("there are no colours");
      case CUBE -> "\u001B[38;5;%d;48;5;%dm▀".formatted(inCube(upper), inCube(lower));
      case ALL -> "\u001B[38;2;%s;48;2;%sm▀".formatted(bytes(upper), bytes(lower));
    };
  }

  /** The same, with nothing in the lower half. */
  public String half(int upper) {
    return switch (this) {
      case NONE -> throw new IllegalStateException("there are no colours");
      case CUBE -> "\u001B[38;5;%d;49m▀".formatted(inCube(upper));
      case ALL -> "\u001B[38;2;%s;49m▀".formatted(bytes(upper));
    };
  }

  /** Text that somebody must not overlook. */
  public String alarming(String text) {
    return this == NONE ? text : "\u001B[1;31m" + text + "\u001B[0m";
  }

  /** Ends all colours. */
  public String end() {
    return this == NONE ? "" : "\u001B[0m";
  }

  private static String bytes(int colour) {
    return "%d;%d;%d".formatted(colour >> 16 & 0xFF, colour >> 8 & 0xFF, colour & 0xFF);
  }

  private static int inCube(int colour) {
    return 16
        + 36 * nearest(colour >> 16 & 0xFF)
        + 6 * nearest(colour >> 8 & 0xFF)
        + nearest(colour & 0xFF);
  }

  private static int nearest(int level) {
    int best = 0;
    for (int i = 1; i < LEVELS.length; i++) {
      if (Math.abs(LEVELS[i] - level) < Math.abs(LEVELS[best] - level)) {
        best = i;
      }
    }
    return best;
  }
}
