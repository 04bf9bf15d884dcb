// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.track;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.Random;

/**
 * What a program writes between two checkpoints.
 *
 * @param percent of all pages
 * @param scattered at random, or all in a row
 * @param changes or the same values again
 */
public record Pattern(int percent, boolean scattered, boolean changes) {
  private static final int PAGE = 4 << 10;

  /** Which pages are written in a round: others each time. */
  BitSet pages(long bytes, long round) {
    int all = Math.toIntExact(bytes / PAGE);
    int wanted = (int) ((long) all * percent / 100);
    BitSet pages = new BitSet(all);
    Random random = new Random(31 * round + percent);
    if (!scattered) {
      int first = random.nextInt(all - wanted + 1);
      pages.set(first, first + wanted);
      return pages;
    }
    for (int left = wanted; left > 0; ) {
      int page = random.nextInt(all);
      if (!pages.get(page)) {
        pages.set(page);
        left--;
      }
    }
    return pages;
  }

  /** Writes all of some pages, as a loop over an array does. */
  void write(MemorySegment memory, BitSet pages, long round) {
    for (int page = pages.nextSetBit(0); page >= 0; page = pages.nextSetBit(page + 1)) {
      long at = (long) page * PAGE;
      for (long word = at; word < at + PAGE; word += Long.BYTES) {
        long value = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, word);
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, word, changes ? value + round : value);
      }
    }
  }

  /** The blocks that some pages are in. */
  static BitSet blocks(BitSet pages, int blockSize) {
    BitSet blocks = new BitSet();
    int each = blockSize / PAGE;
    for (int page = pages.nextSetBit(0); page >= 0; page = pages.nextSetBit(page + 1)) {
      blocks.set(page / each);
    }
    return blocks;
  }

  @Override
  public String toString() {
    if (percent == 0) {
      return "nothing";
    }
    return "%d %% %s%s"
        .formatted(percent, scattered ? "scattered" : "in a row", changes ? "" : ", same values");
  }
}
