// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import java.nio.ByteOrder;

/**
 * What the bytes of a piece are.
 *
 * @param width the bytes of one element, of a record of several values, too
 * @param order how the bytes of an element lie
 * @param floating whether elements are IEEE floating-point numbers
 */
public record Elements(int width, ByteOrder order, boolean floating) {
  /** Records larger than this are bytes like any others. */
  public static final int MAX_WIDTH = 1 << 12;

  /** Bytes of no known type. */
  public static final Elements BYTES = new Elements(1, ByteOrder.LITTLE_ENDIAN, false);

  /** Refuses widths that no element has. */
  public Elements {
    if (width < 1 || width > MAX_WIDTH) {
      throw new IllegalArgumentException(
          "an element has 1 to %d bytes, not %d".formatted(MAX_WIDTH, width));
    }
    if (floating && width != 2 && width != 4 && width != 8) {
      throw new IllegalArgumentException("no floating-point number has " + width + " bytes");
    }
  }

  /** Integers, or records of any size. */
  public static Elements integers(int width, ByteOrder order) {
    return new Elements(width, order, false);
  }

  /** Floating-point numbers. */
  public static Elements floats(int width, ByteOrder order) {
    return new Elements(width, order, true);
  }

  /** Whether one can calculate with them. */
  public boolean isNumeric() {
    return width == 1 || width == 2 || width == 4 || width == 8;
  }
}
