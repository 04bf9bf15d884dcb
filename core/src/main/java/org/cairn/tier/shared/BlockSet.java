// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.util.Arrays;
import java.util.function.IntConsumer;
import org.cairn.supply.Supply;

/** Numbers of blocks of a dataset, as ranges in ascending order. Immutable. */
final class BlockSet {
  static final BlockSet EMPTY = new BlockSet(new int[0]);

  /** Where each range begins and ends: ascending, none empty, none touching the next. */
  private final int[] bounds;

  private BlockSet(int[] bounds) {
    this.bounds = bounds;
  }

  /** All from one on and before another. */
  static BlockSet range(int first, int end) {
    return first < end ? new BlockSet(new int[] {first, end}) : EMPTY;
  }

  int ranges() {
    return bounds.length / 2;
  }

  int first(int range) {
    return bounds[2 * range];
  }

  int end(int range) {
    return bounds[2 * range + 1];
  }

  boolean isEmpty() {
    return bounds.length == 0;
  }

  /** How many blocks these are. */
  long count() {
    long count = 0;
    for (int i = 0; i < ranges(); i++) {
      count += end(i) - first(i);
    }
    return count;
  }

  boolean contains(int block) {
    int at = Arrays.binarySearch(bounds, block);
    return at >= 0 ? at % 2 == 0 : (-at - 1) % 2 != 0;
  }

  void forEach(IntConsumer consumer) {
    for (int i = 0; i < ranges(); i++) {
      for (int block = first(i); block < end(i); block++) {
        consumer.accept(block);
      }
    }
  }

  /** Those that are smaller than this. */
  BlockSet below(int end) {
    if (isEmpty() || bounds[bounds.length - 1] <= end) {
      return this;
    }
    Builder kept = new Builder();
    for (int i = 0; i < ranges() && first(i) < end; i++) {
      kept.add(first(i), Math.min(end(i), end));
    }
    return kept.build();
  }

  BlockSet union(BlockSet other) {
    if (isEmpty() || other.isEmpty()) {
      return isEmpty() ? other : this;
    }
    Builder both = new Builder();
    int mine = 0;
    int others = 0;
    while (mine < ranges() || others < other.ranges()) {
      if (others == other.ranges() || mine < ranges() && first(mine) <= other.first(others)) {
        both.add(first(mine), end(mine++));
      } else {
        both.add(other.first(others), other.end(others++));
      }
    }
    return both.build();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BlockSet that && Arrays.equals(bounds, that.bounds);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bounds);
  }

  @Override
  public String toString() {
    return Arrays.toString(bounds);
  }

  /** Takes blocks in any order; in ascending order it costs least. For one thread. */
  static final class Builder {
    private long[] ranges = new long[8]; // where one begins, and ends
    private int count;
    private boolean ascending = true;

    void add(int block) {
      add(block, block + 1);
    }

    void add(int first, int end) {
      if (count > 0) {
        int lastFirst = (int) (ranges[count - 1] >>> 32);
        int lastEnd = (int) ranges[count - 1];
        if (first >= lastFirst && first <= lastEnd) {
          ranges[count - 1] = range(lastFirst, Math.max(lastEnd, end));
          return;
        }
        ascending &= first > lastEnd;
      }
      if (count == ranges.length) {
        ranges = Supply.copy(ranges, 2 * count);
      }
      ranges[count++] = range(first, end);
    }

    private static long range(int first, int end) {
      return (long) first << 32 | end;
    }

    BlockSet build() {
      if (count == 0) {
        return EMPTY;
      }
      if (!ascending) {
        Arrays.sort(ranges, 0, count);
        Builder sorted = new Builder();
        for (int i = 0; i < count; i++) {
          sorted.add((int) (ranges[i] >>> 32), (int) ranges[i]);
        }
        return sorted.build();
      }
      int[] bounds = Supply.ints(2 * count);
      for (int i = 0; i < count; i++) {
        bounds[2 * i] = (int) (ranges[i] >>> 32);
        bounds[2 * i + 1] = (int) ranges[i];
      }
      return new BlockSet(bounds);
    }
  }
}
