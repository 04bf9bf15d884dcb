// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.util.Arrays;
import org.cairn.supply.Supply;
import org.cairn.version.BlockMap;

/**
 * Places that wait to be freed, eight bytes each: 43 bits of offset and 20 of length minus one,
 * which is why blocks are at most 1 MiB and files at most 8 TiB. Longer extents are cut.
 */
final class ExtentList implements BlockMap.ExtentVisitor {
  private static final int LENGTH_BITS = 20;
  private static final long MAX_LENGTH = 1L << LENGTH_BITS;

  private long[] packed = new long[16];
  private int size;

  @Override
  public void extent(long place, long length) {
    long at = place;
    long left = length;
    while (left > 0) {
      long piece = Math.min(left, MAX_LENGTH);
      add(at << LENGTH_BITS | (piece - 1));
      at += piece;
      left -= piece;
    }
  }

  /**
   * Where the blocks of a map lie; what lies side by side is one, so that there are few of them.
   * What was joined is not found by {@link #has} and {@link #removeAll}.
   */
  static ExtentList joined(BlockMap map) {
    ExtentList joined = new ExtentList();
    Joining joining = joined.new Joining();
    map.forEachStretch(joining);
    joining.end();
    return joined;
  }

  /** Adds what lies side by side as one. */
  private final class Joining implements BlockMap.ExtentVisitor {
    private long from;
    private long to;

    @Override
    public void extent(long place, long length) {
      if (place != to) {
        end();
        from = place;
      }
      to = place + length;
    }

    void end() {
      ExtentList.this.extent(from, to - from);
    }
  }

  private void add(long extent) {
    if (size == packed.length) {
      packed = Supply.copy(packed, size + (size >> 1) + 16);
    }
    packed[size++] = extent;
  }

  /** Makes room for exactly so many, unless there is more. */
  void reserve(int count) {
    if (count > packed.length) {
      packed = Supply.copy(packed, count);
    }
  }

  void addAll(ExtentList other) {
    other.forEach(this);
  }

  void forEach(BlockMap.ExtentVisitor visitor) {
    for (int i = 0; i < size; i++) {
      visitor.extent(packed[i] >>> LENGTH_BITS, (packed[i] & (MAX_LENGTH - 1)) + 1);
    }
  }

  boolean isEmpty() {
    return size == 0;
  }

  void clear() {
    size = 0;
  }

  long memoryBytes() {
    return 8L * packed.length;
  }

  /** Whether this very extent, which {@link #forEach} gave, is in it; it must be a set. */
  boolean has(long place, long length) {
    return Arrays.binarySearch(packed, 0, size, place << LENGTH_BITS | (length - 1)) >= 0;
  }

  /** Sorts, and drops what occurs twice. */
  void makeSet() {
    sort();
    int kept = 0;
    for (int i = 0; i < size; i++) {
      if (i == 0 || packed[i] != packed[i - 1]) {
        packed[kept++] = packed[i];
      }
    }
    size = kept;
  }

  /** Sorts, and returns the first place that two extents have, or -1. */
  long firstOverlap() {
    sort();
    for (int i = 1; i < size; i++) {
      long before = packed[i - 1];
      if ((before >>> LENGTH_BITS) + (before & (MAX_LENGTH - 1)) >= packed[i] >>> LENGTH_BITS) {
        return packed[i] >>> LENGTH_BITS;
      }
    }
    return -1;
  }

  /** They mostly are in order, and sorting takes long in a process that has just begun. */
  private void sort() {
    for (int i = 1; i < size; i++) {
      if (packed[i] < packed[i - 1]) {
        Arrays.sort(packed, 0, size);
        return;
      }
    }
  }

  /** Drops what {@code other} has too; both must be sets. */
  void removeAll(ExtentList other) {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      if (Arrays.binarySearch(other.packed, 0, other.size, packed[i]) < 0) {
        packed[kept++] = packed[i];
      }
    }
    size = kept;
  }
}
