// SPDX-License-Identifier: Apache-2.0
package org.cairn.hash;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * SpookyHash V2 of any length, written down a second time: the twin that {@link SecondOpinion}
 * asks.
 *
 * <p>It shares nothing with the kernels, and is written to be compiled in another way: the state is
 * an array, what is done to it stands in tables, and words are put together from single bytes.
 */
final class ReferenceSpooky {
  private static final int SHORT = 192;
  private static final long FILLING = 0xDEADBEEFDEADBEEFL;

  /** How far word {@code i} of twelve is rotated in a step with input. */
  private static final int[] MIX = {11, 32, 43, 31, 17, 28, 39, 57, 55, 54, 22, 46};

  /** How far word {@code i + 1} of twelve is rotated in a step without. */
  private static final int[] END = {44, 15, 34, 21, 38, 33, 10, 13, 38, 53, 42, 54};

  /** The same of four words, beginning with the third. */
  private static final int[] SHORT_MIX = {50, 52, 30, 41, 54, 48, 38, 37, 62, 34, 5, 36};

  private static final int[] SHORT_END = {15, 52, 26, 51, 28, 9, 47, 54, 32, 25, 63};

  private final MemorySegment data;
  private final long from;
  private final long length;
  private final long[] state;

  private ReferenceSpooky(MemorySegment data, long from, long length, long seed) {
    this.data = data;
    this.from = from;
    this.length = length;
    this.state =
        length < SHORT
            ? new long[] {seed, seed, FILLING, FILLING}
            : new long[] {
              seed, seed, FILLING, seed, seed, FILLING, seed, seed, FILLING, seed, seed, FILLING
            };
  }

  /**
   * The digest of a range, to {@code digest[0]} (low half) and {@code digest[1]}.
   *
   * @param seed both seeds; that of digests in files is 0
   */
  static void digest(MemorySegment data, long from, long length, long seed, long[] digest) {
    ReferenceSpooky twin = new ReferenceSpooky(data, from, length, seed);
    if (length < SHORT) {
      twin.digestShort();
    } else {
      twin.digestLong();
    }
    System.arraycopy(twin.state, 0, digest, 0, 2);
  }

  // ---------------------------------------------------------------- words

  private static int of(int words, int index) {
    return Math.floorMod(index, words);
  }

  private void add(int words, int to, int other) {
    state[of(words, to)] += state[of(words, other)];
  }

  private void flip(int words, int to, int other) {
    state[of(words, to)] ^= state[of(words, other)];
  }

  private void turn(int words, int index, int bits) {
    long word = state[of(words, index)];
    state[of(words, index)] = (word << bits) + (word >>> (64 - bits));
  }

  /** The word at this place of the input; bytes behind its end are zero. */
  private long word(long at) {
    long word = 0;
    for (int i = 7; i >= 0; i--) {
      int value = at + i < length ? data.get(ValueLayout.JAVA_BYTE, from + at + i) & 0xFF : 0;
      word = (word << 8) + value;
    }
    return word;
  }

  // ---------------------------------------------------------------- long input

  private void digestLong() {
    long whole = length - length % 96;
    for (long group = 0; group < whole; group += 96) {
      for (int i = 0; i < 12; i++) {
        state[i] += word(group + 8L * i);
        flip(12, i + 2, i - 2);
        flip(12, i - 1, i);
        turn(12, i, MIX[i]);
        add(12, i - 1, i + 1);
      }
    }
    for (int i = 0; i < 12; i++) {
      state[i] += word(whole + 8L * i);
    }
    state[11] += (length - whole) << 56;
    for (int step = 0; step < 36; step++) {
      int i = step % 12;
      add(12, i - 1, i + 1);
      flip(12, i + 2, i - 1);
      turn(12, i + 1, END[i]);
    }
  }

  // ---------------------------------------------------------------- short input

  private void digestShort() {
    long whole = length - length % 16;
    for (long at = 0; at < whole; at += 16) {
      int to = at % 32 == 0 ? 2 : 0;
      state[to] += word(at);
      state[to + 1] += word(at + 8);
      if (to == 2) {
        mixShort();
      }
    }
    boolean ends = whole == length;
    state[2] += ends ? FILLING : word(whole);
    state[3] += (ends ? FILLING : word(whole + 8)) + (length << 56);
    for (int i = 0; i < SHORT_END.length; i++) {
      flip(4, i + 3, i + 2);
      turn(4, i + 2, SHORT_END[i]);
      add(4, i + 3, i + 2);
    }
  }

  private void mixShort() {
    for (int i = 0; i < SHORT_MIX.length; i++) {
      turn(4, i + 2, SHORT_MIX[i]);
      add(4, i + 2, i + 3);
      flip(4, i, i + 2);
    }
  }
}
