// SPDX-License-Identifier: Apache-2.0
package org.cairn.dataset;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongFunction;
import org.cairn.DatasetMismatchException;
import org.cairn.ElementType;

/**
 * Makes {@code double} of what was saved as {@code float}, or the other way round, where both lie
 * at the same index.
 *
 * @param dataset whose elements they are, for messages
 * @param now what they become
 */
public record Retyping(String dataset, ElementType now) {
  /**
   * Refuses numbers that are too large for what they are to become: a state that was finite does
   * not become infinite in silence.
   *
   * @param first the first element that is looked at
   * @param where says where an element is, for people, by its place in memory
   * @throws DatasetMismatchException naming the element
   */
  public void refuseTooLarge(
      MemorySegment saved, long first, long count, LongFunction<String> where) {
    if (now != ElementType.FLOAT) {
      return;
    }
    for (long i = first; i < first + count; i++) {
      double value = saved.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, i * Double.BYTES);
      if (Float.isInfinite((float) value) && !Double.isInfinite(value)) {
        throw new DatasetMismatchException(
            dataset,
            "%s %s".formatted(value, where.apply(i)),
            "float",
            "it is too large for a float; protect it as double");
      }
    }
  }

  /** Converts some elements. */
  public void convert(MemorySegment saved, MemorySegment target, long first, long count) {
    if (now == ElementType.DOUBLE) {
      widen(saved, target, first, first + count);
    } else {
      narrow(saved, target, first, first + count);
    }
  }

  private static void widen(MemorySegment saved, MemorySegment target, long first, long end) {
    for (long i = first; i < end; i++) {
      float value = saved.get(ValueLayout.JAVA_FLOAT_UNALIGNED, i * Float.BYTES);
      target.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, i * Double.BYTES, value);
    }
  }

  private static void narrow(MemorySegment saved, MemorySegment target, long first, long end) {
    for (long i = first; i < end; i++) {
      double value = saved.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, i * Double.BYTES);
      target.set(ValueLayout.JAVA_FLOAT_UNALIGNED, i * Float.BYTES, (float) value);
    }
  }
}
