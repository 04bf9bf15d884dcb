// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.util.BitSet;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.cairn.supply.Supply;

/**
 * Which parts of the file are in use, kept as the number of live bytes of each region.
 *
 * <p>New bytes go only to regions in which nothing is live, or behind the end of the file. So
 * writes stay large and sequential however old the file is. On a state that changes at random
 * hardly any region becomes empty by itself; therefore a commit also moves what is left in the
 * emptiest regions ({@link #victims}), as many as it needs to give back what it takes. This is the
 * cleaning of log-structured file systems (Rosenblum and Ousterhout), except that nothing is read
 * back: a live block is also in the program's memory, verified by the hash pass, and is simply
 * treated as dirty.
 *
 * <p>At 1.7 times the live data, uniformly random changes leave the emptiest regions about 30 %
 * full; a commit writes 1.25 to 1.4 times its delta, and the file stays below twice the live data
 * plus the delta in flight. {@code SpaceTest} has the figures.
 *
 * <p>Nothing of this is in the file: the counts follow from the maps.
 */
final class Space {
  private static final int MIN_REGION_BITS = 16;
  private static final int MAX_REGION_BITS = 24;
  private static final int REGIONS_WANTED_BITS = 8;

  /** Cleaning starts when the file would become longer than this times the live data. */
  private static final double FILL_LIMIT = 1.65;

  /** Free space that is kept ready, at most, as a part of the live data. */
  private static final double RESERVE = 0.3;

  /** A longer file is cut if its tail is free, but not below the limit for cleaning. */
  private static final double LENGTH_LIMIT = 1.75;

  /** Fuller regions are never moved: it would cost more than it gains. */
  private static final double WORTH_MOVING = 0.75;

  private final int regionBits;
  private long[] live = new long[64];

  /** Of the live bytes, those of blocks of the newest version: a commit can put them elsewhere. */
  private long[] movable = new long[64];

  private final BitSet inFlight = new BitSet();
  private long liveBytes;
  private long end = ContainerFormat.FIRST_EXTENT;
  private long cursor;
  private long cursorLimit;

  Space(int regionBits) {
    this.regionBits = regionBits;
  }

  /** The size of regions, as a power of two, that suits this many live bytes. */
  static int regionBitsFor(long liveBytes) {
    int bits = 64 - Long.numberOfLeadingZeros(Math.max(1, liveBytes) >>> REGIONS_WANTED_BITS);
    return Math.clamp(bits, MIN_REGION_BITS, MAX_REGION_BITS);
  }

  /** A file that claims to be very long for what it holds must not take memory for its length. */
  static int leastRegionBits(long end) {
    return Math.clamp(64 - Long.numberOfLeadingZeros(end >>> 20), MIN_REGION_BITS, MAX_REGION_BITS);
  }

  int regionBits() {
    return regionBits;
  }

  long liveBytes() {
    return liveBytes;
  }

  /** The first byte behind everything that is live or in flight. */
  long end() {
    return end;
  }

  /** Counts bytes of records, or of blocks that only older versions have, as live. */
  void occupy(long offset, long length) {
    count(offset, length, 1, false);
    liveBytes += length;
    end = Math.max(end, offset + length);
  }

  /** Counts bytes of a block of the newest version as live. */
  void occupyMovable(long offset, long length) {
    occupy(offset, length);
    count(offset, length, 1, true);
  }

  /** A block is no longer part of the newest version, but still of older ones. */
  void outdate(long offset, long length) {
    count(offset, length, -1, true);
  }

  /** Counts bytes that are not (or no longer) movable as no longer live. */
  void release(long offset, long length) {
    count(offset, length, -1, false);
    liveBytes -= length;
  }

  private void count(long offset, long length, int sign, boolean ofMovable) {
    reach(region(offset + length - 1));
    long[] counts = ofMovable ? movable : live;
    long at = offset;
    long left = length;
    while (left > 0) {
      int region = region(at);
      long piece = Math.min(left, regionEnd(region) - at);
      counts[region] += sign * piece;
      assert counts[region] >= 0 : "region " + region + " has " + counts[region] + " bytes";
      at += piece;
      left -= piece;
    }
  }

  private int region(long offset) {
    return (int) (offset >>> regionBits);
  }

  private long regionEnd(int region) {
    return (region + 1L) << regionBits;
  }

  private void reach(int region) {
    if (region >= live.length) {
      live = Supply.copy(live, Math.max(region + 1, live.length * 2));
      movable = Supply.copy(movable, live.length);
    }
  }

  /** Where an allocation begins to be undone by {@link #abort}. */
  record Mark(long end, long cursor, long cursorLimit) {}

  /** Starts a commit: what it takes is in flight until {@link #settle} or {@link #abort}. */
  Mark begin() {
    Mark mark = new Mark(end, cursor, cursorLimit);
    if (cursorLimit == ContainerFormat.MAX_FILE) {
      // The last commit grew the file; by now there may be room inside.
      cursorLimit = cursor;
    }
    cursor = Math.min(align(cursor), cursorLimit);
    return mark;
  }

  /** The commit is durable, and all it took has been counted as live. */
  void settle() {
    inFlight.clear();
  }

  /** The commit failed: nothing it took is live. */
  void abort(Mark mark) {
    inFlight.clear();
    end = mark.end;
    cursor = mark.cursor;
    cursorLimit = mark.cursorLimit;
  }

  /** A part of the file that was free. */
  record Extent(long offset, long length) {}

  /**
   * Takes free space.
   *
   * @param wanted how many bytes would be best
   * @param least how many bytes must be in one piece
   */
  Extent take(long wanted, long least) {
    if (cursorLimit - cursor < least) {
      chooseRun(least);
    }
    if (cursorLimit - cursor < least) {
      throw new IllegalStateException(
          "the container cannot grow beyond " + (ContainerFormat.MAX_FILE >> 40) + " TiB");
    }
    long length = Math.min(wanted, cursorLimit - cursor);
    Extent extent = new Extent(cursor, length);
    cursor += length;
    end = Math.max(end, cursor);
    inFlight.set(region(extent.offset), region(cursor - 1) + 1);
    return extent;
  }

  /**
   * The first run of free regions that will do. Regions are large, so that even single ones make
   * for sequential writes; filling the file from its head leaves the free space at its tail, where
   * it can be cut off.
   */
  private void chooseRun(long least) {
    int regions = region(end - 1) + 1;
    int region = 1;
    while (region < regions) {
      int first = region;
      while (region < regions && isFree(region)) {
        region++;
      }
      long length = (long) (region - first) << regionBits;
      if (length >= least) {
        cursor = (long) first << regionBits;
        cursorLimit = cursor + length;
        return;
      }
      region++;
    }
    cursor = align(end);
    cursorLimit = ContainerFormat.MAX_FILE;
  }

  private boolean isFree(int region) {
    return (region >= live.length || live[region] == 0) && !inFlight.get(region);
  }

  /** How many bytes of the file are in regions where nothing is live. */
  long freeBytes() {
    long free = 0;
    for (int region = 1; region <= region(end - 1); region++) {
      free += isFree(region) ? 1L << regionBits : 0;
    }
    return Math.min(free, end);
  }

  /**
   * The regions whose live blocks the next commit should write anew. A region that was emptied
   * becomes free only when the older versions that still refer to it are dropped, so the supply
   * must last for two commits.
   *
   * @param expectedDelta how many bytes the next commit will probably write
   */
  BitSet victims(long expectedDelta) {
    long regionBytes = 1L << regionBits;
    double growth = Math.min(expectedDelta, RESERVE * liveBytes);
    if (end + growth <= FILL_LIMIT * liveBytes + 2 * regionBytes) {
      return new BitSet();
    }
    long need = (long) Math.min(3.0 * expectedDelta, RESERVE * liveBytes) + regionBytes;
    long shortage = Math.max(0, need - supply());
    long excess = Math.max(0, end - (long) (LENGTH_LIMIT * liveBytes));
    return choose(emptiestFirst(), shortage + excess, 2 * expectedDelta);
  }

  /** The first of some regions, until enough is gained or too much would have to be moved. */
  private BitSet choose(int[] candidates, long wanted, long budget) {
    BitSet victims = new BitSet();
    long gained = 0;
    long moved = 0;
    for (int region : candidates) {
      if (gained >= wanted || moved >= budget) {
        break;
      }
      victims.set(region);
      gained += (1L << regionBits) - movable[region];
      moved += movable[region];
    }
    return victims;
  }

  /** Bytes in regions that are free, or will be without anything being moved. */
  private long supply() {
    long bytes = 0;
    for (int region = 1; region <= lastRegion(); region++) {
      bytes += movable[region] == 0 ? 1L << regionBits : 0;
    }
    return bytes;
  }

  private int lastRegion() {
    return Math.min(region(end - 1), live.length - 1);
  }

  private int[] emptiestFirst() {
    long limit = (long) (WORTH_MOVING * (1L << regionBits));
    int current = cursorLimit > cursor ? region(cursor) : -1;
    return IntStream.rangeClosed(0, lastRegion())
        .filter(region -> movable[region] > 0 && movable[region] <= limit && region != current)
        .mapToObj(region -> region)
        .sorted(Comparator.comparingLong(region -> movable[region]))
        .mapToInt(region -> region)
        .toArray();
  }

  /** Whether any byte of an extent lies in one of some regions; blocks may straddle two. */
  boolean touches(BitSet regions, long place, long length) {
    return regions.get(region(place)) || regions.get(region(place + length - 1));
  }

  /**
   * Moves the end forward if that is worth it, so that the file can be cut. What is cut off is
   * free, so nothing is lost if a crash undoes the cut.
   */
  void shrink(long expectedDelta) {
    int last = Math.min(region(end - 1), live.length - 1);
    while (last > 0 && live[last] == 0) {
      last--;
    }
    long enough = (long) (FILL_LIMIT * liveBytes) + expectedDelta;
    long shorter = Math.min(end, Math.max(regionEnd(last), regionEnd(region(enough))));
    if (end <= LENGTH_LIMIT * liveBytes + expectedDelta || end - shorter < 2L << regionBits) {
      return;
    }
    end = shorter;
    if (cursor >= end) {
      cursor = 0;
      cursorLimit = 0;
    }
    cursorLimit = Math.min(cursorLimit, Math.max(cursor, end));
  }

  private static long align(long offset) {
    long mask = ContainerFormat.COMMIT_ALIGNMENT - 1;
    return (offset + mask) & ~mask;
  }
}
