// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.array;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongConsumer;
import org.cairn.SavedArray;

/**
 * What the numbers of an array are like. Those that are none are counted, and left out of the rest.
 *
 * @param min the smallest; NaN if there is no number
 * @param mean of all numbers
 * @param nans how many are no numbers
 */
public record Statistics(double min, double max, double mean, long nans, long elements) {

  /** Looks at all elements. */
  public static Statistics of(SavedArray array, LongConsumer progress) throws IOException {
    Sum sum = new Sum();
    Values.scan(
        List.of(array),
        progress,
        (stretch, _) -> {
          MemorySegment elements = stretch.getFirst();
          long count = elements.byteSize() / array.type().bytes();
          for (long i = 0; i < count; i++) {
            sum.add(Values.at(elements, array.type(), i));
          }
        });
    return sum.statistics();
  }

  /** A sum that keeps what additions lose. */
  private static final class Sum {
    private double min = Double.POSITIVE_INFINITY;
    private double max = Double.NEGATIVE_INFINITY;
    private double sum;
    private double lost;
    private long numbers;
    private long nans;

    void add(double value) {
      if (Double.isNaN(value)) {
        nans++;
        return;
      }
      numbers++;
      min = Math.min(min, value);
      max = Math.max(max, value);
      double next = sum + value;
      lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
      sum = next;
    }

    Statistics statistics() {
      if (numbers == 0) {
        return new Statistics(Double.NaN, Double.NaN, Double.NaN, nans, nans);
      }
      // Infinite ones lose nothing that could be added again.
      double total = Double.isInfinite(sum) || Double.isNaN(lost) ? sum : sum + lost;
      return new Statistics(min, max, total / numbers, nans, numbers + nans);
    }
  }
}
