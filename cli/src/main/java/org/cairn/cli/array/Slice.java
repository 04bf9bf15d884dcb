// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.array;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.cairn.SavedArray;
import org.cairn.cli.command.CommandFailedException;
import org.jspecify.annotations.Nullable;

/**
 * Which elements of an array a person wants, written as for NumPy: {@code 0:100,:,5}. An axis with
 * a single number is no axis of the result; axes that are not mentioned are taken whole; negative
 * numbers count from the end.
 *
 * <pre>
 * Slice → Axis ("," Axis)*
 * Axis  → number | number? ":" number?
 * </pre>
 */
public final class Slice {
  private final String text;
  private final List<Axis> axes;

  /** What is wanted of an axis; null: from the beginning, or to the end. */
  private record Axis(@Nullable Long from, @Nullable Long to, boolean single) {}

  private Slice(String text, List<Axis> axes) {
    this.text = text;
    this.axes = axes;
  }

  /**
   * What a person wrote.
   *
   * @throws CommandFailedException if it is no slice
   */
  public static Slice parse(String text) {
    List<Axis> axes = new ArrayList<>();
    for (String axis : text.split(",", -1)) {
      axes.add(axis(text, axis.strip()));
    }
    return new Slice(text, axes);
  }

  private static Axis axis(String text, String axis) {
    try {
      int colon = axis.indexOf(':');
      if (colon < 0) {
        long only = Long.parseLong(axis);
        return new Axis(only, only, true);
      }
      return new Axis(number(axis.substring(0, colon)), number(axis.substring(colon + 1)), false);
    } catch (NumberFormatException e) {
      throw new CommandFailedException(
          "--slice %s: \"%s\" is no part of an axis; write for example 0:100,:,5"
              .formatted(text, axis));
    }
  }

  private static @Nullable Long number(String text) {
    return text.isBlank() ? null : Long.valueOf(text.strip());
  }

  /**
   * The elements of an array, and the shape in which they are wanted.
   *
   * @param array what is wanted of it, with as many axes as ever
   * @param from where that begins in the whole array
   * @param shape elements along the axes that are left
   * @param axes which of the array's those are
   */
  public record Of(SavedArray array, List<Long> from, List<Long> shape, List<Integer> axes) {

    /** Elements along the axis that goes down; where there is one axis, it does not. */
    long rows() {
      return axes.size() < 2 ? 1 : shape.getFirst();
    }

    /** Elements along the axis that goes to the right. */
    long columns() {
      return shape.getLast();
    }

    /** Some rows and columns of a field of one or two axes. */
    SavedArray part(long fromRow, long toRow, long fromColumn, long toColumn) {
      long[] low = new long[array.shape().size()];
      long[] high = array.shape().stream().mapToLong(Long::longValue).toArray();
      if (axes.size() == 2) {
        low[axes.getFirst()] = fromRow;
        high[axes.getFirst()] = toRow;
      }
      low[axes.getLast()] = fromColumn;
      high[axes.getLast()] = toColumn;
      return array.slice(low, high);
    }

    /** Where the element of a row and a column is in the whole array. */
    List<Long> place(long row, long column) {
      List<Long> place = new ArrayList<>(from);
      if (axes.size() == 2) {
        place.set(axes.getFirst(), from.get(axes.getFirst()) + row);
      }
      place.set(axes.getLast(), from.get(axes.getLast()) + column);
      return place;
    }
  }

  /** What NumPy would cut off, or take for nothing, is a mistake here. */
  private void requireWithin(long from, long to, int axis, SavedArray array) {
    long extent = array.shape().get(axis);
    String wrong = "";
    if (from < 0 || from > extent || to > extent) {
      wrong = "has " + elements(extent);
    } else if (from > to) {
      wrong = "would end at %d, before it begins at %d".formatted(to, from);
    }
    if (!wrong.isEmpty()) {
      throw new CommandFailedException(
          "--slice %s: axis %d of %s %s".formatted(text, axis, array, wrong));
    }
  }

  /**
   * Takes the elements.
   *
   * @throws CommandFailedException if the array has not so many axes, or elements
   */
  public Of of(SavedArray array) {
    List<Long> shape = array.shape();
    if (axes.size() > shape.size()) {
      throw new CommandFailedException(
          "--slice %s has %d axes, %s".formatted(text, axes.size(), array));
    }
    long[] from = new long[shape.size()];
    long[] to = shape.stream().mapToLong(Long::longValue).toArray();
    List<Long> left = new ArrayList<>();
    List<Integer> kept = new ArrayList<>();
    for (int i = 0; i < to.length; i++) {
      Axis axis = i < axes.size() ? axes.get(i) : new Axis(null, null, false);
      long extent = to[i];
      from[i] = place(axis.from, 0, extent);
      to[i] = axis.single ? from[i] + 1 : place(axis.to, extent, extent);
      requireWithin(from[i], to[i], i, array);
      if (!axis.single) {
        left.add(to[i] - from[i]);
        kept.add(i);
      }
    }
    return new Of(array.slice(from, to), Arrays.stream(from).boxed().toList(), left, kept);
  }

  private static String elements(long extent) {
    return extent == 0 ? "no elements; take it whole, with \":\"" : "elements 0 to " + (extent - 1);
  }

  /** As it was written. */
  @Override
  public String toString() {
    return text;
  }

  private static long place(@Nullable Long number, long otherwise, long extent) {
    if (number == null) {
      return otherwise;
    }
    return number < 0 ? number + extent : number;
  }
}
