// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.array;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongConsumer;
import org.cairn.ElementType;
import org.cairn.SavedArray;

/**
 * What the numbers of an array are like. Those that are none are counted, and left out of the rest.
 *
 * @param min the smallest: a {@code Long} of integers, else a {@code Double}; NaN if there is no
 *     number
 * @param mean of all numbers
 * @param nans how many are no numbers
 */
public record Statistics(Number min, Number max, double mean, long nans, long elements) {

  /** Looks at all elements. */
  public static Statistics of(SavedArray array, LongConsumer progress) throws IOException {
    return Values.areIntegers(array.type())
        ? new Integers().of(array, progress)
        : new Fractions().of(array, progress);
  }

  /** What was seen so far. */
  private abstract static class Seen {
    private final Sum sum = new Sum();
    private long nans;

    Statistics of(SavedArray array, LongConsumer progress) throws IOException {
      Values.scan(
          List.of(array),
          progress,
          (stretch, _) -> {
            MemorySegment elements = stretch.getFirst();
            long count = elements.byteSize() / array.type().bytes();
            for (long i = 0; i < count; i++) {
              see(elements, array.type(), i);
            }
          });
      return sum.numbers == 0
          ? new Statistics(Double.NaN, Double.NaN, Double.NaN, nans, nans)
          : new Statistics(min(), max(), sum.mean(), nans, sum.numbers + nans);
    }

    abstract void see(MemorySegment elements, ElementType type, long index);

    abstract Number min();

    abstract Number max();

    void number(double value) {
      sum.add(value);
    }

    void noNumber() {
      nans++;
    }
  }

  private static final class Integers extends Seen {
    private long min = Long.MAX_VALUE;
    private long max = Long.MIN_VALUE;

    @Override
    void see(MemorySegment elements, ElementType type, long index) {
      long value = Values.integerAt(elements, type, index);
      min = Math.min(min, value);
      max = Math.max(max, value);
      number(value);
    }

    @Override
    Number min() {
      return min;
    }

    @Override
    Number max() {
      return max;
    }
  }

  private static final class Fractions extends Seen {
    private double min = Double.POSITIVE_INFINITY;
    private double max = Double.NEGATIVE_INFINITY;

    @Override
    void see(MemorySegment elements, ElementType type, long index) {
      double value = Values.at(elements, type, index);
      if (Double.isNaN(value)) {
        noNumber();
        return;
      }
      min = Math.min(min, value);
      max = Math.max(max, value);
      number(value);
    }

    @Override
    Number min() {
      return min;
    }

    @Override
    Number max() {
      return max;
    }
  }

  /** A sum that keeps what additions lose. */
  private static final class Sum {
    private double sum;
    private double lost;
    private long numbers;

    void add(double value) {
      numbers++;
      double next = sum + value;
      lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
      sum = next;
    }

    double mean() {
      // Infinite ones lose nothing that could be added again.
      double total = Double.isInfinite(sum) || Double.isNaN(lost) ? sum : sum + lost;
      return total / numbers;
    }
  }
}
