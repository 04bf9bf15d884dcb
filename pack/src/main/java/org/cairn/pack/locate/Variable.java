// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.locate;

import java.util.List;
import org.cairn.transform.Elements;

/**
 * An array in a file.
 *
 * @param name where its format has it, as {@code /group/name}
 * @param elements what it consists of; records of several values are elements, too
 * @param type what one calls these elements where they are exported
 * @param shape how many elements it has along each axis, the slowest first; empty for a single one
 */
public record Variable(String name, Elements elements, NumpyType type, List<Long> shape) {
  /** Takes a copy of the shape. */
  public Variable {
    if (type.width() != elements.width()) {
      throw new IllegalArgumentException(
          "%s has elements of %d bytes, not %s".formatted(name, elements.width(), type));
    }
    shape = List.copyOf(shape);
  }

  /** Floating-point numbers, integers with a sign, and bytes. */
  public Variable(String name, Elements elements, List<Long> shape) {
    this(name, elements, NumpyType.usual(elements), shape);
  }
}
