// SPDX-License-Identifier: Apache-2.0
package org.cairn.transform;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Shuffles of pieces of elements of two bytes, a tile at a time: the lower bytes of all, then the
 * upper ones.
 *
 * <p>Without vectors, four elements are a word, whose bytes are moved together by steps that the
 * compiler does for several words at once: loops over whole arrays, one word to one half.
 */
final class PairTiles {
  /** So many elements are a tile. */
  static final int TILE = Rows.TILE / Short.BYTES;

  /** A multiple of what any vectors take at a time. */
  private static final int WHOLE = 128;

  private static final ValueLayout.OfLong LONGS =
      JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INTS =
      JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfShort SHORTS =
      JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** Every second byte of a word, and every second pair. */
  private static final long BYTES = 0xFF_00FF_00FF_00FFL;

  private static final long PAIRS = 0xFFFF_0000_FFFFL;

  private final long[] words = new long[TILE / 4];
  private final int[] lows = new int[TILE / 4];
  private final int[] highs = new int[TILE / 4];
  private final byte[] low = new byte[TILE];
  private final byte[] high = new byte[TILE];
  private final short[] elements = new short[TILE];

  void forward(
      MemorySegment source,
      MemorySegment target,
      int count,
      boolean turned,
      @Nullable VectorPairs vectors) {
    long lowAt = turned ? count : 0;
    long highAt = turned ? 0 : count;
    VectorPairs reaching = vectors != null && vectors.reaches(source) ? vectors : null;
    int n;
    for (int at = 0; at < count; at += n) {
      n = tile(count - at);
      if (reaching != null && n % WHOLE == 0) {
        reaching.shuffle(source, 2L * at, n, low, high);
        MemorySegment.copy(low, 0, target, JAVA_BYTE, lowAt + at, n);
        MemorySegment.copy(high, 0, target, JAVA_BYTE, highAt + at, n);
      } else {
        MemorySegment.copy(source, LONGS, 2L * at, words, 0, n / 4);
        shuffle(words, n / 4, lows, highs);
        MemorySegment.copy(lows, 0, target, INTS, lowAt + at, n / 4);
        MemorySegment.copy(highs, 0, target, INTS, highAt + at, n / 4);
        for (int i = at + n / 4 * 4; i < at + n; i++) {
          target.set(JAVA_BYTE, lowAt + i, source.get(JAVA_BYTE, 2L * i));
          target.set(JAVA_BYTE, highAt + i, source.get(JAVA_BYTE, 2L * i + 1));
        }
      }
    }
  }

  void inverse(
      MemorySegment source,
      MemorySegment target,
      int count,
      boolean turned,
      @Nullable VectorPairs vectors) {
    long lowAt = turned ? count : 0;
    long highAt = turned ? 0 : count;
    VectorPairs reaching = vectors != null && vectors.reaches(source) ? vectors : null;
    int n;
    for (int at = 0; at < count; at += n) {
      n = tile(count - at);
      if (reaching != null && n % WHOLE == 0) {
        reaching.unshuffle(source, lowAt + at, highAt + at, n, elements);
        MemorySegment.copy(elements, 0, target, SHORTS, 2L * at, n);
      } else {
        MemorySegment.copy(source, INTS, lowAt + at, lows, 0, n / 4);
        MemorySegment.copy(source, INTS, highAt + at, highs, 0, n / 4);
        unshuffle(lows, highs, n / 4, words);
        MemorySegment.copy(words, 0, target, LONGS, 2L * at, n / 4);
        for (int i = at + n / 4 * 4; i < at + n; i++) {
          target.set(JAVA_BYTE, 2L * i, source.get(JAVA_BYTE, lowAt + i));
          target.set(JAVA_BYTE, 2L * i + 1, source.get(JAVA_BYTE, highAt + i));
        }
      }
    }
  }

  /** How many elements come next: if some are left over, those that are not. */
  private static int tile(int left) {
    int most = Math.min(TILE, left);
    return most < WHOLE ? most : most / WHOLE * WHOLE;
  }

  private static void shuffle(long[] words, int n, int[] lows, int[] highs) {
    for (int i = 0; i < n; i++) {
      long both = words[i];
      long a = both & BYTES;
      a = (a | a >>> 8) & PAIRS;
      lows[i] = (int) (a | a >>> 16);
      long b = both >>> 8 & BYTES;
      b = (b | b >>> 8) & PAIRS;
      highs[i] = (int) (b | b >>> 16);
    }
  }

  private static void unshuffle(int[] lows, int[] highs, int n, long[] words) {
    for (int i = 0; i < n; i++) {
      long a = lows[i] & 0xFFFF_FFFFL;
      a = (a | a << 16) & PAIRS;
      a = (a | a << 8) & BYTES;
      long b = highs[i] & 0xFFFF_FFFFL;
      b = (b | b << 16) & PAIRS;
      b = (b | b << 8) & BYTES;
      words[i] = a | b << 8;
    }
  }
}
