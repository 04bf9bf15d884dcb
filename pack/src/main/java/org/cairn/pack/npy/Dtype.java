// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.npy;

import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
 */
record Dtype(long width, Optional<Elements> elements) {
  private static final Pattern SIMPLE =
      Pattern.compile("([<>|=])?([?biufcmMOSaUV])(\\d{0,9})(?:\\[.{0,40}])?");

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
    return switch (parts.group(2).charAt(0)) {
      case 'f' -> Optional.of(number(size, order, size == 2 || size == 4 || size == 8));
      case 'O' -> Optional.empty();
      case 'U' -> Optional.of(new Dtype(UNICODE * size, Optional.empty()));
      case 'S', 'a' -> Optional.of(new Dtype(size, Optional.empty()));
      default -> Optional.of(number(size, order, false));
    };
  }

  /** Complex numbers are records of two, and what is larger than any record is bytes. */
  private static Dtype number(long width, ByteOrder order, boolean floating) {
    boolean isElement = width >= 1 && width <= Elements.MAX_WIDTH;
    return new Dtype(
        width,
        isElement ? Optional.of(new Elements((int) width, order, floating)) : Optional.empty());
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
    return Optional.of(number(width, ByteOrder.LITTLE_ENDIAN, false));
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
