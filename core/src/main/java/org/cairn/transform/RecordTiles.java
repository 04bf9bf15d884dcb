// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

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

  /** Of larger records so many bytes are done at a time. */
  private static final int MOST_ROWS = 64;

  private final Rows rows;
  private final long[] words = new long[LongTiles.TILE];
  private final long[] others = new long[LongTiles.TILE];
  private byte[] bytes = {};

  RecordTiles(Rows rows) {
    this.rows = rows;
  }

  private int begin(int count, int width) {
    int fitting = BYTES / width / LEAST * LEAST;
    int tile = Math.max(LEAST, Math.min(fitting, LongTiles.TILE));
    bytes = records(Math.min(tile, count) * width + COLUMN);
    rows.begin(COLUMN);
    return tile;
  }

  /** How many elements come next: if some are left over, those that are not. */
  private static int next(int left, int tile) {
    int most = Math.min(tile, left);
    return most < LEAST ? most : most / LEAST * LEAST;
  }

  void forward(
      MemorySegment source,
      MemorySegment target,
      int count,
      int width,
      LongKernel kernel,
      @Nullable VectorRecords vectors) {
    int done =
        vectors != null && isForVectors(width) && vectors.reaches(source)
            ? forward(source, target, count, width, vectors)
            : 0;
    forwardByColumns(source, target, done, count, width, kernel);
  }

  private static boolean isForVectors(int width) {
    return width >= COLUMN && VectorRecords.arePresent();
  }

  /** As many records as fill vectors. */
  private int forward(
      MemorySegment source, MemorySegment target, int count, int width, VectorRecords vectors) {
    int rowsAtOnce = Math.min(width, MOST_ROWS);
    rows.begin(rowsAtOnce);
    int most = Rows.elementsOfTile(rowsAtOnce) / LEAST * LEAST;
    int whole = count / LEAST * LEAST;
    int n;
    for (int at = 0; at < whole; at += n) {
      n = Math.min(most, whole - at);
      if (width < MOST_ROWS) {
        long offset = (long) at * width;
        vectors.shuffle(source, offset, width, n, words, others, rows.words(), rows.row());
        rows.copyTo(target, at, count, width, n);
        continue;
      }
      for (int k = 0; k < width; k += MOST_ROWS) {
        int first = Math.min(k, width - MOST_ROWS);
        long offset = (long) at * width + first;
        vectors.shuffleColumns(source, offset, width, n, words, rows.words(), rows.row());
        rows.copyTo(target, (long) first * count + at, count, MOST_ROWS, n);
      }
    }
    return whole;
  }

  private void forwardByColumns(
      MemorySegment source,
      MemorySegment target,
      int from,
      int count,
      int width,
      LongKernel kernel) {
    int tile = begin(count - from, width);
    int n;
    for (int at = from; at < count; at += n) {
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
      MemorySegment source,
      MemorySegment target,
      int count,
      int width,
      LongKernel kernel,
      @Nullable VectorRecords vectors) {
    int done =
        vectors != null && isForVectors(width) && vectors.reaches(source)
            ? inverse(source, target, count, width, vectors)
            : 0;
    inverseByColumns(source, target, done, count, width, kernel);
  }

  /** As many records as fill vectors. */
  private int inverse(
      MemorySegment source, MemorySegment target, int count, int width, VectorRecords vectors) {
    int whole = count / LEAST * LEAST;
    int most = Math.max(LEAST, Rows.elementsOfTile(width) / LEAST * LEAST);
    byte[] records = records(Math.min(most, whole) * width);
    rows.begin(width);
    int n;
    for (int at = 0; at < whole; at += n) {
      n = Math.min(most, whole - at);
      if (width >= MOST_ROWS) {
        for (int k = 0; k < width; k += MOST_ROWS) {
          int first = Math.min(k, width - MOST_ROWS);
          vectors.unshuffleColumns(
              source, (long) first * count + at, count, width, n, words, records, first);
        }
      } else if (width % COLUMN == 0) {
        vectors.unshuffle(source, at, count, width, n, words, records);
      } else {
        rows.copyFrom(source, at, count, width, n);
        vectors.unshuffle(rows.words(), rows.row(), width, n, words, others, records);
      }
      MemorySegment.copy(records, 0, target, JAVA_BYTE, (long) at * width, n * width);
    }
    return whole;
  }

  private byte[] records(int needed) {
    if (bytes.length < needed) {
      bytes = new byte[needed];
    }
    return bytes;
  }

  private void inverseByColumns(
      MemorySegment source,
      MemorySegment target,
      int from,
      int count,
      int width,
      LongKernel kernel) {
    int tile = begin(count - from, width);
    boolean whole = width >= COLUMN;
    int n;
    for (int at = from; at < count; at += n) {
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
