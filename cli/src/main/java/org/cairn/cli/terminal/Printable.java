// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.terminal;

/**
 * Makes text from a file fit to print. Names in a container are whatever its writer chose; printed
 * as they are, they could move the cursor, hide lines or pretend to be output of ours.
 */
public final class Printable {
  private static final int LONGEST = 80;

  private Printable() {}

  /** The text on one line, with whatever is not plainly visible escaped as in Java. */
  public static String oneLine(String text) {
    StringBuilder line = new StringBuilder(text.length());
    text.codePoints().forEach(c -> append(line, c));
    return line.toString();
  }

  /**
   * The same, in quotation marks where it would be hard to see that it is a name, and not longer
   * than a line.
   */
  public static String name(String name) {
    String line = oneLine(name);
    if (line.length() > LONGEST) {
      line = line.substring(0, LONGEST - 1) + "…";
    }
    boolean plain = !line.isEmpty() && line.equals(name) && line.indexOf(' ') < 0;
    return plain ? line : '"' + line + '"';
  }

  private static void append(StringBuilder line, int c) {
    switch (c) {
      case '\n' -> line.append("\\n");
      case '\r' -> line.append("\\r");
      case '\t' -> line.append("\\t");
      default -> {
        if (isVisible(c)) {
          line.appendCodePoint(c);
        } else {
          for (char unit : Character.toChars(c)) {
            line.append(String.format("\\u%04x", (int) unit));
          }
        }
      }
    }
  }

  private static boolean isVisible(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
