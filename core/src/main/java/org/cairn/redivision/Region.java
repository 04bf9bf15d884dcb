// SPDX-License-Identifier: Apache-2.0
package org.cairn.redivision;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.cairn.Part;

/**
 * A brick of the elements of an array, the last axis fastest.
 *
 * @param from its first element along each axis
 * @param to behind its last one
 */
@SuppressWarnings("ArrayRecordComponent") // nobody changes or compares them
public record Region(long[] from, long[] to) {

  /** Where the elements of a part lie, without ghosts. */
  public static Region of(Part part) {
    long[] from = part.offset().stream().mapToLong(Long::longValue).toArray();
    long[] to = from.clone();
    for (int axis = 0; axis < to.length; axis++) {
      to[axis] += part.extent().get(axis);
    }
    return new Region(from, to);
  }

  /** A region of so many elements along each axis, from the first on. */
  public static Region of(long[] extent) {
    return new Region(new long[extent.length], extent.clone());
  }

  /** How many axes it has. */
  public int axes() {
    return from.length;
  }

  /** Elements along each axis. */
  public long[] extent() {
    long[] extent = new long[axes()];
    for (int axis = 0; axis < extent.length; axis++) {
      extent[axis] = to[axis] - from[axis];
    }
    return extent;
  }

  /** How many elements it has. */
  public long elements() {
    long product = 1;
    for (long extent : extent()) {
      product = Math.multiplyExact(product, extent);
    }
    return product;
  }

  /** Whether it has none. */
  public boolean isEmpty() {
    return elements() == 0;
  }

  /** What both have; perhaps nothing. */
  public Region and(Region other) {
    long[] low = new long[axes()];
    long[] high = new long[axes()];
    for (int axis = 0; axis < low.length; axis++) {
      low[axis] = Math.max(from[axis], other.from[axis]);
      high[axis] = Math.max(low[axis], Math.min(to[axis], other.to[axis]));
    }
    return new Region(low, high);
  }

  /** A region within this one, counted from its first element. */
  public Region slice(long[] first, long[] end) {
    if (first.length != axes() || end.length != axes()) {
      throw new IllegalArgumentException(
          "the array has %d axes; %d and %d numbers were given"
              .formatted(axes(), first.length, end.length));
    }
    long[] low = new long[axes()];
    long[] high = new long[axes()];
    for (int axis = 0; axis < low.length; axis++) {
      long extent = to[axis] - from[axis];
      if (first[axis] < 0 || first[axis] > end[axis] || end[axis] > extent) {
        throw new IndexOutOfBoundsException(
            "%d to %d is not within the %d elements of axis %d"
                .formatted(first[axis], end[axis], extent, axis));
      }
      low[axis] = from[axis] + first[axis];
      high[axis] = from[axis] + end[axis];
    }
    return new Region(low, high);
  }

  /**
   * Regions that follow one another in the order of elements, none of which has more elements than
   * this: rows, or planes, or as many of them as there is room for.
   */
  public Iterable<Region> chunks(long most) {
    int axis = axes() - 1;
    long inner = 1; // elements of all axes behind this one
    while (axis > 0 && to[axis] - from[axis] <= most / inner) {
      inner *= Math.max(1, to[axis] - from[axis]);
      axis--;
    }
    int cut = axis;
    long step = Math.max(1, most / inner);
    return () -> new Chunks(cut, step);
  }

  /** Counts through the axes before the one that is cut, and the stretches of that one. */
  private final class Chunks implements Iterator<Region> {
    private final int cut;
    private final long step;
    private final long[] at = from.clone();
    private boolean more = !isEmpty();

    Chunks(int cut, long step) {
      this.cut = cut;
      this.step = step;
    }

    @Override
    public boolean hasNext() {
      return more;
    }

    @Override
    public Region next() {
      if (!more) {
        throw new NoSuchElementException();
      }
      long[] low = at.clone();
      long[] high = to.clone();
      for (int axis = 0; axis < cut; axis++) {
        high[axis] = at[axis] + 1;
      }
      high[cut] = Math.min(to[cut], at[cut] + step);
      advance(high[cut]);
      return new Region(low, high);
    }

    private void advance(long end) {
      at[cut] = end;
      int axis = cut;
      while (at[axis] == to[axis]) {
        if (axis == 0) {
          more = false;
          return;
        }
        at[axis] = from[axis];
        axis--;
        at[axis]++;
      }
    }
  }
}
