// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.array;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.LongConsumer;
import org.cairn.ElementType;
import org.cairn.SavedArray;
import org.cairn.cli.command.CommandFailedException;
import org.cairn.cli.terminal.Printable;
import org.cairn.cli.terminal.Quantities;
import org.jspecify.annotations.Nullable;

/**
 * Where two versions of an array differ, bit by bit.
 *
 * @param changed how many elements differ
 * @param from the first corner of the box that they lie in; null if none does
 * @param to behind its last corner
 * @param largest the largest difference of two numbers: of integers a {@code Long}, or a {@code
 *     BigInteger} where it is more than that can be, else a {@code Double}
 * @param largestAt where it is
 * @param nans how many elements differ of which one is no number
 */
public record ArrayDifference(
    String name,
    String type,
    List<Long> shape,
    long changed,
    @Nullable List<Long> from,
    @Nullable List<Long> to,
    Number largest,
    @Nullable List<Long> largestAt,
    long nans) {
  /**
   * Compares two versions of an array.
   *
   * @throws CommandFailedException if they are of different shapes or types
   */
  public static ArrayDifference of(SavedArray before, SavedArray after, LongConsumer progress)
      throws IOException {
    if (before.type() != after.type() || !before.shape().equals(after.shape())) {
      throw new CommandFailedException(
          "%s cannot be compared with %s element by element".formatted(before, after));
    }
    Search search = new Search(before.type(), before.shape());
    Values.scan(
        List.of(before, after),
        progress,
        (both, first) -> search.compare(both.getFirst(), both.getLast(), first));
    return search.found(before.name());
  }

  /** Whether they are the same. */
  public boolean isSame() {
    return changed == 0;
  }

  private static final class Search {
    private final ElementType type;
    private final long[] shape;
    private final long[] from;
    private final long[] to;
    private final long[] place;
    private long changed;
    private long nans;
    private double largest = -1;

    /** The same of integers, without a sign: two of them may be nearly 2^64 apart. */
    private long largestOfIntegers;

    private long[] largestAt = {};

    Search(ElementType type, List<Long> shape) {
      this.type = type;
      this.shape = shape.stream().mapToLong(Long::longValue).toArray();
      this.from = new long[this.shape.length];
      this.to = new long[this.shape.length];
      this.place = new long[this.shape.length];
      Arrays.fill(from, Long.MAX_VALUE);
    }

    /** Equal stretches are passed over as bytes. */
    void compare(MemorySegment one, MemorySegment other, long first) {
      int width = type.bytes();
      long at = 0;
      while (at < one.byteSize()) {
        long same = MemorySegment.mismatch(one, at, one.byteSize(), other, at, other.byteSize());
        if (same < 0) {
          return;
        }
        long element = (at + same) / width;
        differsAt(first + element);
        if (Values.areIntegers(type)) {
          differBy(Values.integerAt(one, type, element), Values.integerAt(other, type, element));
        } else {
          differBy(Values.at(one, type, element), Values.at(other, type, element));
        }
        at = (element + 1) * width;
      }
    }

    private void differsAt(long element) {
      changed++;
      long left = element;
      for (int axis = shape.length - 1; axis >= 0; axis--) {
        place[axis] = left % shape[axis];
        left /= shape[axis];
        from[axis] = Math.min(from[axis], place[axis]);
        to[axis] = Math.max(to[axis], place[axis] + 1);
      }
    }

    private void differBy(long before, long after) {
      long difference = Math.max(before, after) - Math.min(before, after);
      if (Long.compareUnsigned(difference, largestOfIntegers) > 0) {
        largestOfIntegers = difference;
        largestAt = place.clone();
      }
    }

    private void differBy(double before, double after) {
      double difference = Math.abs(after - before);
      if (Double.isNaN(difference)) {
        nans++;
      } else if (difference > largest) {
        largest = difference;
        largestAt = place.clone();
      }
    }

    ArrayDifference found(String name) {
      boolean any = changed > 0;
      return new ArrayDifference(
          name,
          type.label(),
          list(shape),
          changed,
          any ? list(from) : null,
          any ? list(to) : null,
          largest(),
          largestAt.length > 0 ? list(largestAt) : null,
          nans);
    }

    private Number largest() {
      if (!Values.areIntegers(type)) {
        return Math.max(0, largest);
      }
      return largestOfIntegers >= 0
          ? (Number) largestOfIntegers
          : new BigInteger(Long.toUnsignedString(largestOfIntegers));
    }

    private static List<Long> list(long[] numbers) {
      return Arrays.stream(numbers).boxed().toList();
    }
  }

  /** In a sentence. */
  @Override
  public String toString() {
    String array = Printable.name(name) + ": " + type + Quantities.shape(shape);
    long elements = shape.stream().reduce(1L, (a, b) -> a * b);
    if (isSame() || from == null || to == null) {
      return array + " is the same.";
    }
    StringBuilder box = new StringBuilder();
    for (int axis = 0; axis < from.size(); axis++) {
      box.append(axis == 0 ? "[" : ", ").append(from.get(axis)).append(':').append(to.get(axis));
    }
    String most =
        largestAt == null
            ? ""
            : String.format(
                Locale.ROOT, "; the largest difference is %s at %s", largest, largestAt);
    String none = nans == 0 ? "" : "; " + Quantities.count(nans) + " are no numbers on a side";
    return "%s: %s of %s elements changed (%s), all within %s]%s%s."
        .formatted(
            array,
            Quantities.count(changed),
            Quantities.count(elements),
            Quantities.percent(changed, elements),
            box,
            most,
            none);
  }
}
