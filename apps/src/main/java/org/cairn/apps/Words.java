// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;

/** The words of a command line, option by option. Each refusal names the option. */
public final class Words {
  private final Iterator<String> words;
  private String option = "";

  public Words(String... arguments) {
    this.words = List.of(arguments).iterator();
  }

  public boolean hasMore() {
    return words.hasNext();
  }

  /** The next option. */
  public String option() {
    option = words.next();
    return option;
  }

  /** What follows the option. */
  public String value() {
    if (!words.hasNext()) {
      throw new IllegalArgumentException(option + " needs a value");
    }
    return words.next();
  }

  public long number(long largest) {
    return number(value(), largest);
  }

  private long number(String value, long largest) {
    try {
      long number = Long.parseLong(value);
      if (number > largest) {
        throw new IllegalArgumentException(option + " must not exceed " + largest);
      }
      return number;
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(option + " needs a whole number, not " + value, e);
    }
  }

  /** Two numbers, such as 960x480; a single one stands for both. */
  public int[] extent(int largest) {
    String value = value();
    int x = value.indexOf('x');
    String width = x < 0 ? value : value.substring(0, x);
    String height = x < 0 ? value : value.substring(x + 1);
    return new int[] {(int) number(width, largest), (int) number(height, largest)};
  }

  public double real() {
    String value = value();
    try {
      return Double.parseDouble(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(option + " needs a number, not " + value, e);
    }
  }

  public Duration seconds() {
    String value = value();
    try {
      return Duration.ofNanos(Math.round(Double.parseDouble(value) * 1e9));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(option + " needs a number of seconds, not " + value, e);
    }
  }

  /** Nobody knows the option. */
  public IllegalArgumentException unknown() {
    return new IllegalArgumentException("unknown option " + option);
  }
}
