// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Bytes of the elements of a tile by their place: a row of words for each place, eight elements to
 * a word. Rows are filled here and copied as a whole to where they belong in the piece; writing
 * words there one by one would be many small writes to places that are often a power of two apart,
 * which share few places of a cache.
 *
 * <p>A row has one word more than it needs: whoever fills it with vectors may write beyond its end,
 * and may read before its beginning, except for the first row.
 */
final class Rows {
  /**
   * As many bytes of a piece are worked on at a time: half of what is nearest to a processor, or
   * less.
   */
  static final int TILE = 16 << 10;

  /** The distance of rows of elements of eight bytes. */
  static final int ROW_OF_LONGS = TILE / Long.BYTES / 8 + 1;

  /** The distance of rows of elements of four bytes. */
  static final int ROW_OF_INTS = TILE / Integer.BYTES / 8 + 1;

  private static final ValueLayout.OfLong LITTLE =
      JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final long[] words = new long[TILE / Long.BYTES + 2 * Elements.MAX_WIDTH + 1];
  private int width;
  private int row;

  /** So many elements of this width are a tile: whole words of a row. */
  static int elementsOfTile(int width) {
    return Math.max(8, TILE / width / 8 * 8);
  }

  /** Begins with elements of another width. */
  void begin(int width) {
    this.width = width;
    this.row = elementsOfTile(width) / 8 + 1;
  }

  long[] words() {
    return words;
  }

  /** The distance of rows in {@link #words}. */
  int row() {
    return row;
  }

  /**
   * Copies the rows of elements {@code at} to {@code at + n} to a piece of {@code count} elements.
   *
   * @param reversed whether the last row comes first
   */
  void copyTo(MemorySegment target, int count, int at, int n, boolean reversed) {
    copyTo(target, first(count, at, reversed), reversed ? -count : count, width, n);
  }

  /** The inverse of {@link #copyTo(MemorySegment, int, int, int, boolean)}. */
  void copyFrom(MemorySegment source, int count, int at, int n, boolean reversed) {
    copyFrom(source, first(count, at, reversed), reversed ? -count : count, width, n);
  }

  private long first(int count, int at, boolean reversed) {
    return reversed ? (long) (width - 1) * count + at : at;
  }

  /**
   * Copies rows of {@code n} elements to memory.
   *
   * @param first where the first row begins
   * @param distance how far it is to the next
   * @param howMany so many rows
   */
  void copyTo(MemorySegment target, long first, long distance, int howMany, int n) {
    for (int k = 0; k < howMany; k++) {
      long offset = first + k * distance;
      MemorySegment.copy(words, k * row, target, LITTLE, offset, n / 8);
      for (int i = n / 8 * 8; i < n; i++) {
        target.set(JAVA_BYTE, offset + i, (byte) (words[k * row + i / 8] >>> 8 * (i % 8)));
      }
    }
  }

  /** The inverse of {@link #copyTo(MemorySegment, long, long, int, int)}. */
  void copyFrom(MemorySegment source, long first, long distance, int howMany, int n) {
    for (int k = 0; k < howMany; k++) {
      long offset = first + k * distance;
      MemorySegment.copy(source, LITTLE, offset, words, k * row, n / 8);
      long last = 0;
      for (int i = n / 8 * 8; i < n; i++) {
        last |= (source.get(JAVA_BYTE, offset + i) & 0xFFL) << 8 * (i % 8);
        words[k * row + i / 8] = last;
      }
    }
  }
}
