// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Sentences that fit a terminal; a number and its unit stay on one line. */
public final class Text {
  private static final Pattern NUMBER = Pattern.compile("[<(+-]*[\\d.,]*\\d");

  private static final Set<String> UNITS =
      Set.of(
          "b", "kib", "mib", "gib", "tib", "pib", "eib", "s", "ms", "µs", "ns", "min", "h", "d",
          "y", "%", "bytes", "gb/s", "mb/s", "gib/s", "mib/s");

  private Text() {}

  /** The text on lines of at most so many characters, unless a single word is longer. */
  public static String wrap(String text, int columns) {
    return wrap(text, columns, "");
  }

  /**
   * The same, with lines after the first further in.
   *
   * @param indent what they begin with
   */
  public static String wrap(String text, int columns, String indent) {
    StringBuilder lines = new StringBuilder();
    String separator = "";
    for (String paragraph : text.split("\n", -1)) {
      lines.append(separator);
      wrapLine(lines, paragraph, columns, indent);
      separator = System.lineSeparator();
    }
    return lines.toString();
  }

  private static void wrapLine(StringBuilder lines, String text, int columns, String indent) {
    int length = 0;
    boolean begun = false;
    for (String word : inseparable(text)) {
      int width = word.codePointCount(0, word.length());
      if (begun && length + 1 + width > columns) {
        stripEnd(lines);
        lines.append(System.lineSeparator()).append(indent);
        length = indent.length();
      } else if (begun) {
        lines.append(' ');
        length++;
      }
      lines.append(word);
      length += width;
      begun = true;
    }
  }

  private static void stripEnd(StringBuilder lines) {
    while (!lines.isEmpty() && lines.charAt(lines.length() - 1) == ' ') {
      lines.setLength(lines.length() - 1);
    }
  }

  /** Words, a number together with its unit. Spaces at the beginning belong to the first. */
  private static List<String> inseparable(String text) {
    List<String> words = new ArrayList<>();
    String[] parts = text.stripTrailing().split(" ", -1);
    String begin = "";
    for (String part : parts) {
      if (words.isEmpty() && part.isEmpty()) {
        begin += " ";
        continue;
      }
      boolean glued =
          !words.isEmpty()
              && NUMBER.matcher(lastWord(words.getLast())).matches()
              && UNITS.contains(withoutMarks(part));
      if (glued) {
        words.set(words.size() - 1, words.getLast() + " " + part);
      } else {
        words.add(words.isEmpty() ? begin + part : part);
      }
    }
    return words;
  }

  private static String lastWord(String word) {
    return word.substring(word.lastIndexOf(' ') + 1);
  }

  private static String withoutMarks(String word) {
    return word.replaceAll("[.,;:)]+$", "").toLowerCase(Locale.ROOT);
  }
}
