// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.raw;

import java.nio.ByteOrder;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cairn.pack.locate.NumpyType;
import org.cairn.transform.Elements;

/** What people call types: {@code f64le}, {@code i32be}, {@code u8}, {@code record24}. */
final class TypeNames {
  private static final Pattern NUMBER =
      Pattern.compile("(?:f(16|32|64)|[iu](16|32|64))(le|be)|[iu]8");
  private static final Pattern RECORD = Pattern.compile("record(\\d{1,4})");

  private TypeNames() {}

  static Optional<Elements> parse(String name) {
    Matcher record = RECORD.matcher(name);
    if (record.matches()) {
      int width = Integer.parseInt(record.group(1));
      return width < 1 || width > Elements.MAX_WIDTH
          ? Optional.empty()
          : Optional.of(Elements.integers(width, ByteOrder.LITTLE_ENDIAN));
    }
    Matcher number = NUMBER.matcher(name);
    return number.matches() ? Optional.of(number(number)) : Optional.empty();
  }

  /** What NumPy calls a type that has been parsed. */
  static NumpyType numpy(String name, Elements elements) {
    return RECORD.matcher(name).matches()
        ? NumpyType.bytes(elements.width())
        : NumpyType.number(name.charAt(0), elements);
  }

  private static Elements number(Matcher parts) {
    if (parts.group(3) == null) {
      return Elements.BYTES;
    }
    ByteOrder order = parts.group(3).equals("be") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    boolean floating = parts.group(1) != null;
    int bits = Integer.parseInt(parts.group(floating ? 1 : 2));
    return new Elements(bits / 8, order, floating);
  }
}
