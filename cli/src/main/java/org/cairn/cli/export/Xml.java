// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.export;

/** Text in XML. */
final class Xml {
  private Xml() {}

  /** A text as the value of an attribute; what XML cannot hold becomes a question mark. */
  static String escaped(String name) {
    StringBuilder text = new StringBuilder();
    name.codePoints()
        .forEach(
            point -> {
              switch (point) {
                case '&' -> text.append("&amp;");
                case '<' -> text.append("&lt;");
                case '>' -> text.append("&gt;");
                case '"' -> text.append("&quot;");
                default -> text.appendCodePoint(isCharacter(point) ? point : '?');
              }
            });
    return text.toString();
  }

  /** A number; whole ones without a point. */
  static String number(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? String.valueOf((long) value)
        : String.valueOf(value);
  }

  /** Line ends are characters, too, but readers of attributes take them for spaces. */
  private static boolean isCharacter(int point) {
    return point >= ' '
        && !(point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE)
        && point != 0xFFFE
        && point != 0xFFFF;
  }
}
