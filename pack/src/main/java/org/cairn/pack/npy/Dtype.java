// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.npy;

import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.cairn.pack.locate.NumpyType;
import org.cairn.transform.Elements;

/**
 * What an array of NumPy consists of, as the {@code descr} of its header has it.
 *
 * <pre>
 * Descr → "'" Order? Kind Size Unit? "'" | "[" (Field ",")* "]"
 * Field → "(" Name "," Descr ("," Shape)? ")"
 * Order → "&lt;" | "&gt;" | "|" | "="
 * </pre>
 *
 * @param width the bytes of an element
 * @param elements empty if they are text, or objects that lie elsewhere
 * @param type as the header has it; empty where elements are empty
 */
record Dtype(long width, Optional<Elements> elements, Optional<NumpyType> type) {
  private static final Pattern SIMPLE =
      Pattern.compile("([<>|=])?([?biufcmMOSaUV])(\\d{0,9})(\\[\\d{0,6}[A-Za-z]{1,7}])?");

  /** Bytes of a character of {@code U}. */
  private static final int UNICODE = 4;

  /** Reads a type; empty if it is none, or objects are in it. */
  static Optional<Dtype> of(Literal descr) {
    return switch (descr) {
      case Literal.Text simple -> simple(simple.text());
      case Literal.Sequence fields -> record(fields.items());
      default -> Optional.empty();
    };
  }

  private static Optional<Dtype> simple(String text) {
    Matcher parts = SIMPLE.matcher(text);
    if (!parts.matches()) {
      return Optional.empty();
    }
    long size = parts.group(3).isEmpty() ? 1 : Long.parseLong(parts.group(3));
    ByteOrder order = ">".equals(parts.group(1)) ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    char kind = parts.group(2).charAt(0);
    return switch (kind) {
      case 'f' -> Optional.of(number(size, order, size == 2 || size == 4 || size == 8, "f", ""));
      case 'O' -> Optional.empty();
      case 'U' -> Optional.of(text(UNICODE * size));
      case 'S', 'a' -> Optional.of(text(size));
      case '?' -> Optional.of(number(size, order, false, "b", ""));
      case 'V' -> Optional.of(bytes(size, order));
      default -> {
        String unit = Objects.requireNonNullElse(parts.group(4), "");
        yield Optional.of(number(size, order, false, String.valueOf(kind), unit));
      }
    };
  }

  private static Dtype text(long width) {
    return new Dtype(width, Optional.empty(), Optional.empty());
  }

  private static boolean isElement(long width) {
    return width >= 1 && width <= Elements.MAX_WIDTH;
  }

  /** Complex numbers are records of two, and what is larger than any record is bytes. */
  private static Dtype number(
      long width, ByteOrder order, boolean floating, String kind, String unit) {
    if (!isElement(width)) {
      return text(width);
    }
    Elements elements = new Elements((int) width, order, floating);
    String name = NumpyType.number(kind.charAt(0), elements) + unit;
    return new Dtype(width, Optional.of(elements), Optional.of(new NumpyType(name)));
  }

  private static Dtype bytes(long width, ByteOrder order) {
    return isElement(width)
        ? new Dtype(
            width,
            Optional.of(Elements.integers((int) width, order)),
            Optional.of(NumpyType.bytes((int) width)))
        : text(width);
  }

  private static Optional<Dtype> record(List<Literal> fields) {
    long width = 0;
    for (Literal field : fields) {
      Optional<Long> bytes = bytes(field);
      if (bytes.isEmpty()) {
        return Optional.empty();
      }
      width = Math.addExact(width, bytes.get());
    }
    return Optional.of(bytes(width, ByteOrder.LITTLE_ENDIAN));
  }

  private static Optional<Long> bytes(Literal field) {
    if (!(field instanceof Literal.Sequence(List<Literal> parts))
        || parts.size() < 2
        || parts.size() > 3) {
      return Optional.empty();
    }
    Optional<Long> count = parts.size() == 3 ? count(parts.get(2)) : Optional.of(1L);
    return count.flatMap(
        times -> of(parts.get(1)).map(type -> Math.multiplyExact(times, type.width())));
  }

  private static Optional<Long> count(Literal shape) {
    return switch (shape) {
      case Literal.Whole(long number) -> Optional.of(number);
      case Literal.Sequence(List<Literal> axes) -> product(axes);
      default -> Optional.empty();
    };
  }

  private static Optional<Long> product(List<Literal> axes) {
    long product = 1;
    for (Literal axis : axes) {
      if (!(axis instanceof Literal.Whole(long length))) {
        return Optional.empty();
      }
      product = Math.multiplyExact(product, length);
    }
    return Optional.of(product);
  }
}
