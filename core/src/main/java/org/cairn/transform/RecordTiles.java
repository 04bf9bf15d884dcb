// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Shuffles of pieces of elements of any width, a tile at a time. Eight bytes of all elements are a
 * column, and shuffled as elements of eight bytes are; the last column of an element overlaps the
 * one before it. Of elements that are shorter, a column reaches into the next ones, and what is too
 * much of it is dropped.
 */
final class RecordTiles {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int COLUMN = Long.BYTES;

  /** As many elements as any vectors take at a time: a row is worth a copy then, too. */
  private static final int LEAST = 64;

  /** A tile goes through a cache once for each column. */
  private static final int BYTES = 2 * Rows.TILE;

  private final Rows rows;
  private final long[] words = new long[LongTiles.TILE];
  private byte[] bytes = {};

  RecordTiles(Rows rows) {
    this.rows = rows;
  }

  private int begin(int count, int width) {
    int fitting = BYTES / width / LEAST * LEAST;
    int tile = Math.max(LEAST, Math.min(fitting, LongTiles.TILE));
    int needed = Math.min(tile, count) * width + COLUMN;
    if (bytes.length < needed) {
      bytes = new byte[needed];
    }
    rows.begin(COLUMN);
    return tile;
  }

  /** How many elements come next: if some are left over, those that are not. */
  private static int next(int left, int tile) {
    int most = Math.min(tile, left);
    return most < LEAST ? most : most / LEAST * LEAST;
  }

  void forward(
      MemorySegment source, MemorySegment target, int count, int width, LongKernel kernel) {
    int tile = begin(count, width);
    int n;
    for (int at = 0; at < count; at += n) {
      n = next(count - at, tile);
      MemorySegment.copy(source, JAVA_BYTE, (long) at * width, bytes, 0, n * width);
      for (int k = 0; k < width; k += COLUMN) {
        int column = column(k, width);
        load(bytes, column, width, words, n);
        kernel.shuffle(words, (n + 7) / 8, rows.words());
        rows.copyTo(target, (long) column * count + at, count, Math.min(width, COLUMN), n);
      }
    }
  }

  void inverse(
      MemorySegment source, MemorySegment target, int count, int width, LongKernel kernel) {
    int tile = begin(count, width);
    boolean whole = width >= COLUMN;
    int n;
    for (int at = 0; at < count; at += n) {
      n = next(count - at, tile);
      boolean direct = whole && kernel.reachesRows(source, n);
      for (int k = 0; k < width; k += COLUMN) {
        int column = column(k, width);
        long first = (long) column * count + at;
        if (direct) {
          kernel.unshuffle(source, first, count, n, words);
        } else {
          rows.copyFrom(source, first, count, Math.min(width, COLUMN), n);
          kernel.unshuffle(rows.words(), (n + 7) / 8, words);
        }
        store(words, n, bytes, column, width);
      }
      MemorySegment.copy(bytes, 0, target, JAVA_BYTE, (long) at * width, n * width);
    }
  }

  private static int column(int k, int width) {
    return Math.max(0, Math.min(k, width - COLUMN));
  }

  private static void load(byte[] bytes, int column, int width, long[] words, int n) {
    int at = column;
    for (int i = 0; i < n; i++) {
      words[i] = (long) LONG.get(bytes, at);
      at += width;
    }
  }

  /** One element after the other: what of a word lies in the next is written over by that. */
  private static void store(long[] words, int n, byte[] bytes, int column, int width) {
    int at = column;
    for (int i = 0; i < n; i++) {
      LONG.set(bytes, at, words[i]);
      at += width;
    }
  }
}
