// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.fab;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.cairn.pack.locate.MalformedException;
import org.cairn.transform.Elements;

/**
 * The line that stands before the data of a box.
 *
 * <pre>
 * Header → "FAB " "((" Count ", (" Layout ")),(" Count ", (" Bytes ")))" Box " " Components "\n"
 * Layout → Bits Exponent Mantissa SignAt ExponentAt MantissaAt HighBit Bias
 * Bytes  → the order of the bytes of a number: 1 2 3 4 5 6 7 8 is big-endian, 8 7 … 1 little-endian
 * Box    → "((" Low ") (" High ") (" Centring "))"          High belongs to the box
 * </pre>
 *
 * @param elements what the numbers are; empty if they are none that one can calculate with here
 * @param shape how many numbers a component has along each axis, the slowest first: the last of the
 *     file's axes
 * @param componentBytes the bytes of a component
 */
record FabHeader(
    Optional<Elements> elements, List<Long> shape, int components, long componentBytes) {
  /** How the line begins. */
  static final String START = "FAB ((";

  private static final Pattern LINE =
      Pattern.compile(
          "FAB \\(\\(\\d{1,2}, ?\\(([\\d ]{1,100})\\)\\), ?"
              + "\\(\\d{1,2}, ?\\(([\\d ]{1,100})\\)\\)\\)"
              + "\\(\\(([-\\d,]{1,100})\\) \\(([-\\d,]{1,100})\\) \\([-\\d,]{1,100}\\)\\) (\\d{1,9})\\s*");

  private static final List<Integer> SINGLE = List.of(32, 8, 23, 0, 1, 9, 0, 127);
  private static final List<Integer> DOUBLE = List.of(64, 11, 52, 0, 1, 12, 0, 1023);

  /**
   * Reads a line.
   *
   * @param place where it is
   */
  static FabHeader parse(String line, long place) throws MalformedException {
    Matcher parts = LINE.matcher(line);
    if (!parts.matches()) {
      throw new MalformedException(place, "no header of a box");
    }
    try {
      return of(parts);
    } catch (ArithmeticException | IllegalArgumentException e) {
      throw new MalformedException(place, "no header of a box: " + e.getMessage());
    }
  }

  private static FabHeader of(Matcher parts) {
    List<Integer> layout = numbers(parts.group(1), " ");
    List<Integer> bytes = numbers(parts.group(2), " ");
    if (layout.getFirst() != 8 * bytes.size()) {
      throw new IllegalArgumentException(
          "%d bits in %d bytes".formatted(layout.getFirst(), bytes.size()));
    }
    List<Long> shape = shape(numbers(parts.group(3), ","), numbers(parts.group(4), ","));
    long length = bytes.size();
    for (long axis : shape) {
      length = Math.multiplyExact(length, axis);
    }
    int components = Integer.parseInt(parts.group(5));
    return new FabHeader(elements(layout, bytes), shape, components, length);
  }

  private static List<Integer> numbers(String list, String separator) {
    return Stream.of(list.strip().split(separator)).map(Integer::valueOf).toList();
  }

  private static List<Long> shape(List<Integer> low, List<Integer> high) {
    if (low.size() != high.size()) {
      throw new IllegalArgumentException("from %s to %s".formatted(low, high));
    }
    List<Long> shape = new ArrayList<>();
    for (int i = 0; i < low.size(); i++) {
      long length = (long) high.get(i) - low.get(i) + 1;
      if (length < 1) {
        throw new IllegalArgumentException("from %s to %s".formatted(low, high));
      }
      shape.add(length);
    }
    Collections.reverse(shape); // the first axis is the fastest there, and the last one here
    return shape;
  }

  private static Optional<Elements> elements(List<Integer> layout, List<Integer> bytes) {
    if (!layout.equals(SINGLE) && !layout.equals(DOUBLE)) {
      return Optional.empty();
    }
    List<Integer> ascending = IntStream.rangeClosed(1, bytes.size()).boxed().toList();
    if (bytes.equals(ascending)) {
      return Optional.of(Elements.floats(bytes.size(), ByteOrder.BIG_ENDIAN));
    }
    return bytes.equals(ascending.reversed())
        ? Optional.of(Elements.floats(bytes.size(), ByteOrder.LITTLE_ENDIAN))
        : Optional.empty();
  }
}
