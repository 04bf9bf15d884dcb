// SPDX-License-Identifier: Apache-2.0
package org.cairn.redivision;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.cairn.ElementType;

/** What elements are that nobody has. */
public final class FillValue {
  private FillValue() {}

  /** One of them, as bytes. */
  public static MemorySegment of(ElementType type, double value) {
    MemorySegment element = MemorySegment.ofArray(new byte[type.bytes()]);
    switch (type) {
      case DOUBLE -> element.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, 0, value);
      case FLOAT -> element.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 0, (float) value);
      case LONG -> element.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, (long) value);
      case INT -> element.set(ValueLayout.JAVA_INT_UNALIGNED, 0, (int) value);
      case SHORT -> element.set(ValueLayout.JAVA_SHORT_UNALIGNED, 0, (short) value);
      case CHAR -> element.set(ValueLayout.JAVA_CHAR_UNALIGNED, 0, (char) value);
      case BYTE, OPAQUE -> element.set(ValueLayout.JAVA_BYTE, 0, (byte) value);
      case BOOLEAN -> element.set(ValueLayout.JAVA_BYTE, 0, (byte) (value == 0 ? 0 : 1));
    }
    return element;
  }

  /** Fills memory with them. */
  public static void fill(ElementType type, double value, MemorySegment target) {
    MemorySegment element = of(type, value);
    Runs.straight(target.byteSize() / type.bytes(), 0, 0).fill(element, target);
  }
}
