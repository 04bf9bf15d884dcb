// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.util.Arrays;
import java.util.BitSet;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * Where the blocks of one dataset lie, and their digests. Immutable; what an {@linkplain #edit
 * editor} makes of it shares all pages that it did not touch, so that a change costs what changed.
 *
 * <p>Blocks that lie side by side, all of one length, take 16 bytes each, others 32; blocks of
 * zeros take nothing where they fill pages.
 */
final class BlockPlaces {
  static final BlockPlaces NONE = new BlockPlaces(0, new Page[0]);

  private static final int PAGE = 256;
  private static final int LENGTH_BITS = 24;
  private static final int ZERO = -1;

  /** The number of no segment. */
  static final int NOWHERE = -2;

  private final int blocks;
  private final @Nullable Page[] pages;

  private BlockPlaces(int blocks, @Nullable Page[] pages) {
    this.blocks = blocks;
    this.pages = pages;
  }

  /** Consecutive blocks. Of those that lie side by side only the first place is kept. */
  private static final class Page {
    final int[] segments;
    final long[] offsets;
    final int[] stored;
    final long[] digests;

    private Page(int[] segments, long[] offsets, int[] stored, long[] digests) {
      this.segments = segments;
      this.offsets = offsets;
      this.stored = stored;
      this.digests = digests;
    }

    /** A page of zeros. */
    static Page ofZeros(int blocks) {
      int[] segments = Supply.ints(blocks);
      Arrays.fill(segments, ZERO);
      return new Page(
          segments, Supply.longs(blocks), Supply.ints(blocks), Supply.longs(2 * blocks));
    }

    int blocks() {
      return digests.length / 2;
    }

    boolean isSideBySide() {
      return segments.length < blocks();
    }

    int segment(int i) {
      return segments[isSideBySide() ? 0 : i];
    }

    int stored(int i) {
      return stored[isSideBySide() ? 0 : i];
    }

    long offset(int i) {
      return isSideBySide() ? offsets[0] + (long) i * length(stored[0]) : offsets[i];
    }

    /** A copy to be changed, of so many blocks. */
    Page copy(int count) {
      Page copy = ofZeros(count);
      for (int i = 0; i < Math.min(count, blocks()); i++) {
        copy.segments[i] = segment(i);
        copy.offsets[i] = offset(i);
        copy.stored[i] = stored(i);
        copy.digests[2 * i] = digests[2 * i];
        copy.digests[2 * i + 1] = digests[2 * i + 1];
      }
      return copy;
    }

    private void shift(int segment, long by) {
      for (int i = 0; i < segments.length; i++) {
        offsets[i] += segments[i] == segment ? by : 0;
      }
    }

    /** The same in less memory, if that can be; null if it is all zeros. */
    @Nullable Page compact() {
      boolean zeros = true;
      boolean sideBySide = segments[0] != ZERO && blocks() > 1;
      for (int i = 0; i < blocks(); i++) {
        zeros &= segments[i] == ZERO;
        sideBySide &=
            segments[i] == segments[0]
                && stored[i] == stored[0]
                && offsets[i] == offsets[0] + (long) i * length(stored[0]);
      }
      if (zeros) {
        return null;
      }
      return sideBySide
          ? new Page(
              new int[] {segments[0]}, new long[] {offsets[0]}, new int[] {stored[0]}, digests)
          : this;
    }
  }

  private static int length(int stored) {
    return stored & (1 << LENGTH_BITS) - 1;
  }

  /** Where the page of a block ends, or all do; there may be two billion. */
  private static int endOfPage(int block, int end) {
    return (int) Math.min(end, (block / PAGE + 1L) * PAGE);
  }

  int blocks() {
    return blocks;
  }

  private @Nullable Page page(int block) {
    return pages[block / PAGE];
  }

  boolean isZero(int block) {
    return segment(block) == ZERO;
  }

  /** How many blocks from this one on are zeros; 0 if this one is not. */
  int zerosFrom(int block) {
    int at = block;
    while (at < blocks) {
      if (page(at) == null) {
        at = endOfPage(at, blocks);
      } else if (isZero(at)) {
        at++;
      } else {
        break;
      }
    }
    return at - block;
  }

  /** The number of the segment that a block lies in; -1 if it is zeros. */
  int segment(int block) {
    Page page = page(block);
    return page == null ? ZERO : page.segment(block % PAGE);
  }

  long offset(int block) {
    Page page = page(block);
    return page == null ? 0 : page.offset(block % PAGE);
  }

  int storedLength(int block) {
    Page page = page(block);
    return page == null ? 0 : length(page.stored(block % PAGE));
  }

  int codec(int block) {
    Page page = page(block);
    return page == null ? 0 : page.stored(block % PAGE) >>> LENGTH_BITS;
  }

  long low(int block) {
    Page page = page(block);
    return page == null ? 0 : page.digests[2 * (block % PAGE)];
  }

  long high(int block) {
    Page page = page(block);
    return page == null ? 0 : page.digests[2 * (block % PAGE) + 1];
  }

  /** Adds the blocks that lie in one of these segments. */
  void find(BitSet segments, BlockSet.Builder found) {
    find(segments, (_, _, _) -> true, found);
  }

  /** Wants blocks by where they lie. */
  interface Wanted {
    boolean wants(int segment, long offset, int codec);
  }

  /** Adds the blocks that are wanted of these segments. */
  void find(BitSet segments, Wanted wanted, BlockSet.Builder found) {
    for (int number = 0; number < pages.length; number++) {
      Page page = pages[number];
      if (page == null || page.isSideBySide() && !segments.get(page.segments[0])) {
        continue;
      }
      for (int i = 0; i < page.blocks(); i++) {
        int segment = page.segment(i);
        if (segment != ZERO
            && segments.get(segment)
            && wanted.wants(segment, page.offset(i), page.stored(i) >>> LENGTH_BITS)) {
          found.add(number * PAGE + i);
        }
      }
    }
  }

  /** The same places for a dataset of so many blocks, to be changed; further ones are zeros. */
  Editor edit(int count) {
    return new Editor(this, count);
  }

  /** Makes places of others. For one thread. */
  static final class Editor {
    private final int blocks;
    private final @Nullable Page[] pages;
    private final BitSet own = new BitSet();

    private Editor(BlockPlaces before, int blocks) {
      this.blocks = blocks;
      this.pages = Arrays.copyOf(before.pages, (int) ((blocks + PAGE - 1L) / PAGE));
      int last = pages.length - 1;
      Page partial = last < 0 ? null : pages[last];
      if (partial != null && partial.blocks() != pageBlocks(last)) {
        own(last);
      }
      int formerLast = before.pages.length - 1;
      if (formerLast >= 0 && formerLast < last && pages[formerLast] != null) {
        own(formerLast); // it may have been shorter than a page in the middle is
      }
    }

    private int pageBlocks(int page) {
      return Math.min(PAGE, blocks - page * PAGE);
    }

    private Page own(int number) {
      Page page = pages[number];
      if (page == null || !own.get(number)) {
        int count = pageBlocks(number);
        page = page == null ? Page.ofZeros(count) : page.copy(count);
        pages[number] = page;
        own.set(number);
      }
      return page;
    }

    void put(
        int block, int segment, long offset, int storedLength, int codec, long low, long high) {
      if (storedLength < 1 || storedLength >>> LENGTH_BITS != 0 || codec < 0 || codec > 0xFF) {
        throw new IllegalArgumentException(
            "block %d: stored length %d, codec %d".formatted(block, storedLength, codec));
      }
      set(block, segment, offset, codec << LENGTH_BITS | storedLength, low, high);
    }

    private void set(int block, int segment, long offset, int stored, long low, long high) {
      Page page = own(block / PAGE);
      int i = block % PAGE;
      page.segments[i] = segment;
      page.offsets[i] = offset;
      page.stored[i] = stored;
      page.digests[2 * i] = low;
      page.digests[2 * i + 1] = high;
    }

    void putZeros(int first, int count) {
      int end = first + count;
      for (int block = first; block < end; block++) {
        if (pages[block / PAGE] == null) {
          block = endOfPage(block, end) - 1;
        } else {
          set(block, ZERO, 0, 0, 0, 0);
        }
      }
    }

    /**
     * The places.
     *
     * @param fresh the number of the segment whose blocks were all put now, counted from its start
     * @param start where they begin there
     */
    BlockPlaces build(int fresh, long start) {
      for (int i = own.nextSetBit(0); i >= 0; i = own.nextSetBit(i + 1)) {
        Page page = pages[i];
        if (page != null) {
          page.shift(fresh, start);
          pages[i] = page.compact();
        }
      }
      return new BlockPlaces(blocks, pages);
    }
  }
}
