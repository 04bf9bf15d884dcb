// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Shuffles of pieces of elements of any width, a tile at a time. Eight bytes of eight elements are
 * a square that is transposed; the last square of an element overlaps the one before it.
 */
final class RecordTiles {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int SIDE = Long.BYTES;

  private final Rows rows;
  private final byte[] bytes = new byte[Rows.TILE + SIDE * SIDE];
  private final long[] square = new long[SIDE];

  RecordTiles(Rows rows) {
    this.rows = rows;
  }

  void forward(MemorySegment source, MemorySegment target, int count, int width, boolean turned) {
    rows.begin(width);
    int tile = Rows.elementsOfTile(width);
    for (int at = 0; at < count; at += tile) {
      int n = Math.min(tile, count - at);
      MemorySegment.copy(source, JAVA_BYTE, (long) at * width, bytes, 0, n * width);
      shuffle(width, (n + 7) / 8);
      rows.copyTo(target, count, at, n, turned);
    }
  }

  void inverse(MemorySegment source, MemorySegment target, int count, int width, boolean turned) {
    rows.begin(width);
    int tile = Rows.elementsOfTile(width);
    for (int at = 0; at < count; at += tile) {
      int n = Math.min(tile, count - at);
      rows.copyFrom(source, count, at, n, turned);
      unshuffle(width, (n + 7) / 8);
      MemorySegment.copy(bytes, 0, target, JAVA_BYTE, (long) at * width, n * width);
    }
  }

  private void shuffle(int width, int groups) {
    if (width == 2) {
      shufflePairs(groups);
      return;
    }
    for (int i = 0; i < groups; i++) {
      if (width < SIDE) {
        shuffleNarrow(width, i);
      } else {
        shuffleWide(width, i);
      }
    }
  }

  private void unshuffle(int width, int groups) {
    if (width == 2) {
      unshufflePairs(groups);
      return;
    }
    for (int i = 0; i < groups; i++) {
      if (width < SIDE) {
        unshuffleNarrow(width, i);
      } else {
        unshuffleWide(width, i);
      }
    }
  }

  private void shufflePairs(int groups) {
    for (int i = 0; i < groups; i++) {
      long a = (long) LONG.get(bytes, 16 * i);
      long b = (long) LONG.get(bytes, 16 * i + 8);
      Transposition.ofTwo(a, b, rows.words(), i, rows.row());
    }
  }

  private void unshufflePairs(int groups) {
    for (int i = 0; i < groups; i++) {
      Transposition.backToTwo(rows.words()[i], rows.words()[rows.row() + i], square, 0);
      LONG.set(bytes, 16 * i, square[0]);
      LONG.set(bytes, 16 * i + 8, square[1]);
    }
  }

  /** Words reach into the next element here: rows beyond the width are dropped. */
  private void shuffleNarrow(int width, int group) {
    load(group * SIDE * width, width);
    Transposition.ofEight(square, 0, 1, square, 0, 1);
    for (int k = 0; k < width; k++) {
      rows.words()[k * rows.row() + group] = square[k];
    }
  }

  private void unshuffleNarrow(int width, int group) {
    for (int k = 0; k < SIDE; k++) {
      square[k] = k < width ? rows.words()[k * rows.row() + group] : 0;
    }
    Transposition.ofEight(square, 0, 1, square, 0, 1);
    store(group * SIDE * width, width);
  }

  private void shuffleWide(int width, int group) {
    for (int k = 0; k < width; k += SIDE) {
      int column = Math.min(k, width - SIDE);
      load(group * SIDE * width + column, width);
      Transposition.ofEight(square, 0, 1, rows.words(), column * rows.row() + group, rows.row());
    }
  }

  private void unshuffleWide(int width, int group) {
    for (int k = 0; k < width; k += SIDE) {
      int column = Math.min(k, width - SIDE);
      Transposition.ofEight(rows.words(), column * rows.row() + group, rows.row(), square, 0, 1);
      store(group * SIDE * width + column, width);
    }
  }

  private void load(int at, int width) {
    for (int j = 0; j < SIDE; j++) {
      square[j] = (long) LONG.get(bytes, at + j * width);
    }
  }

  /** One element after the other: what of a word lies in the next is written over by that. */
  private void store(int at, int width) {
    for (int j = 0; j < SIDE; j++) {
      LONG.set(bytes, at + j * width, square[j]);
    }
  }
}
