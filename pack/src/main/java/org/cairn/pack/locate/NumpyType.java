// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import java.nio.ByteOrder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cairn.transform.Elements;

/**
 * What NumPy calls the elements of an array, as {@code <u2}, {@code |b1} or {@code <M8[ns]}. It
 * tells what {@link Elements} do not, because to make bytes small it does not matter: whether there
 * is a sign, and what numbers mean.
 *
 * @param name goes to the header of a file that others read: nothing but a type is taken
 */
public record NumpyType(String name) {
  private static final Pattern TYPE =
      Pattern.compile("[<>|][biufcmMSV](\\d{1,4})(?:\\[\\d{0,6}[A-Za-z]{1,7}])?");

  /** Refuses what is no type. */
  public NumpyType {
    if (!TYPE.matcher(name).matches()) {
      throw new IllegalArgumentException("NumPy has no type \"%s\"".formatted(name));
    }
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
    return new NumpyType("" + order + kind + elements.width());
  }

  /** So many bytes, of which nothing is known. */
  public static NumpyType bytes(int width) {
    return new NumpyType("|V" + width);
  }

  /** How many bytes an element has. */
  public int width() {
    Matcher parts = TYPE.matcher(name);
    return parts.matches() ? Integer.parseInt(parts.group(1)) : 0;
  }

  @Override
  public String toString() {
    return name;
  }
}
