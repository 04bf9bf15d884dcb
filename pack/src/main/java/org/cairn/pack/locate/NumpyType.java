// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import java.nio.ByteOrder;
import org.cairn.transform.Elements;

/**
 * What NumPy calls the elements of an array, as {@code <u2}, {@code |b1} or {@code <M8[ns]}. It
 * tells what {@link Elements} do not, because to make bytes small it does not matter: whether there
 * is a sign, and what numbers mean.
 *
 * @param name goes to the header of a file that others read: nothing but a type is taken
 */
public record NumpyType(String name) {
  private static final String KINDS = "biufcmMSV";

  /** Behind the order and the kind. */
  private static final int WIDTH_AT = 2;

  /** Refuses what is no type. */
  public NumpyType {
    if (!isType(name)) {
      throw new IllegalArgumentException("NumPy has no type \"%s\"".formatted(name));
    }
  }

  /**
   * Whether a text is a type: {@code [<>|][biufcmMSV]\d{1,4}(\[\d{0,6}[A-Za-z]{1,7}\])?}. Plain
   * code: the first type of a process is made long before a pattern would be fast.
   */
  private static boolean isType(String name) {
    int length = name.length();
    if (length < 3 || "<>|".indexOf(name.charAt(0)) < 0 || KINDS.indexOf(name.charAt(1)) < 0) {
      return false;
    }
    int widthEnd = digitsEnd(name, WIDTH_AT);
    if (widthEnd == WIDTH_AT || widthEnd > WIDTH_AT + 4) {
      return false;
    }
    if (widthEnd == length) {
      return true;
    }
    int unit = digitsEnd(name, widthEnd + 1);
    int letters = length - 1 - unit;
    boolean enclosed = name.charAt(widthEnd) == '[' && name.charAt(length - 1) == ']';
    return enclosed
        && unit - widthEnd - 1 <= 6
        && letters >= 1
        && letters <= 7
        && areLetters(name, unit, length - 1);
  }

  private static int digitsEnd(String name, int from) {
    int at = from;
    while (at < name.length() && name.charAt(at) >= '0' && name.charAt(at) <= '9') {
      at++;
    }
    return at;
  }

  private static boolean areLetters(String name, int from, int to) {
    for (int i = from; i < to; i++) {
      int letter = name.charAt(i) | 0x20;
      if (letter < 'a' || letter > 'z') {
        return false;
      }
    }
    return true;
  }

  /** Floating-point numbers, integers with a sign, and everything else as bytes. */
  public static NumpyType usual(Elements elements) {
    if (elements.floating()) {
      return number('f', elements);
    }
    boolean integer = elements.isNumeric() && elements.width() > 1;
    return integer ? number('i', elements) : bytes(elements.width());
  }

  /**
   * Numbers of some kind.
   *
   * @param kind {@code i}, {@code u}, {@code f} and others, as NumPy has them
   */
  public static NumpyType number(char kind, Elements elements) {
    char order = elements.width() == 1 ? '|' : elements.order() == ByteOrder.BIG_ENDIAN ? '>' : '<';
    String start = String.valueOf(new char[] {order, kind});
    return new NumpyType(start.concat(Integer.toString(elements.width())));
  }

  /** So many bytes, of which nothing is known. */
  public static NumpyType bytes(int width) {
    return new NumpyType("|V" + width);
  }

  /** How many bytes an element has. Asked for each of many variables: plain code. */
  public int width() {
    int width = 0;
    for (int i = WIDTH_AT; i < name.length(); i++) {
      char digit = name.charAt(i);
      if (digit == '[') {
        break;
      }
      width = 10 * width + digit - '0';
    }
    return width;
  }

  @Override
  public String toString() {
    return name;
  }
}
