// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.util.Arrays;
import java.util.BitSet;
import org.cairn.store.StoreFile;
import org.cairn.supply.Supply;
import org.cairn.version.VersionFormat;
import org.jspecify.annotations.Nullable;

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
 * full; a commit writes 1.2 to 1.3 times its delta (see {@link MoveQuota}), and the file stays
 * below twice the live data plus the delta in flight. {@code SpaceTest} has the figures.
 *
 * <p>What lives for two commits only, the list of many versions, is kept {@linkplain #takeApart
 * apart}: between blocks that older versions need it would leave a hole with every commit, and
 * regions with holes are not free.
 *
 * <p>Nothing of this is in the file: the counts follow from the maps.
 *
 * <p>While one thread takes space for a commit, another may occupy and release what it reads.
 */
final class Space {
  /** A page: what is smaller cannot be written without touching what is durable beside it. */
  private static final int MIN_REGION_BITS = 12;

  private static final int MAX_REGION_BITS = 24;
  private static final int REGIONS_WANTED_BITS = 8;

  /** Cleaning starts when the file would become longer than this times the live data. */
  private static final double FILL_LIMIT = 1.65;

  /** Free space that is kept ready, at most, as a part of the live data. */
  private static final double RESERVE = 0.3;

  /** A longer file is cut if its tail is free, but not below the limit for cleaning. */
  private static final double LENGTH_LIMIT = 1.75;

  /** A longer file is emptied at any price. */
  private static final double TOO_LONG = 1.95;

  /** How much of what is clean a commit writes anew, for each byte that has changed; and beside. */
  private static final double MOVED_PART = 0.3;

  private static final long LITTLE = 1L << 20;

  /** What a file may have beside, in pages that are not full. */
  private static final long PAGES = 64 << 10;

  /** How many of what is kept apart are put beside each other. */
  private static final int APART_AT_ONCE = 4;

  /** Fuller regions are never moved: it would cost more than it gains. */
  private static final double WORTH_MOVING = 0.75;

  private final int regionBits;
  private long[] live = new long[64];

  /** Of the live bytes, those of blocks of the newest version: a commit can put them elsewhere. */
  private long[] movable = new long[64];

  private final BitSet inFlight = new BitSet();
  private long liveBytes;
  private long end = ContainerFormat.FIRST_EXTENT;

  /** Where the next blocks go, and where what is kept apart. */
  private Stretch blocks = Stretch.NONE;

  private Stretch apart = Stretch.NONE;

  /** What lies before this is not given away; see {@link #seal}. */
  private long sealed;

  /** A part of the file that is being filled: what lies from {@code at} on is free. */
  record Stretch(long at, long limit) {
    static final Stretch NONE = new Stretch(0, 0);

    long room() {
      return limit - at;
    }

    boolean isOpenEnded() {
      return limit == VersionFormat.MAX_FILE;
    }

    Stretch after(long length) {
      return new Stretch(at + length, limit);
    }

    /** The same from the next page on: a commit does not write to pages that hold anything. */
    Stretch onNewPage() {
      return new Stretch(Math.min(align(at), limit), limit);
    }

    /** The same, as far as it lies before the end of the file. */
    Stretch before(long end) {
      return at >= end ? NONE : new Stretch(at, Math.min(limit, end));
    }

    boolean overlaps(long from, long to) {
      return at < to && limit > from;
    }
  }

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

  /**
   * Gives nothing away any more that lies before an offset, whether it is live or not: for when
   * nobody can say what is. Cleaning leaves that part alone, too, as it would gain nothing.
   */
  void seal(long before) {
    sealed = before;
    end = Math.max(end, before);
  }

  /** Counts bytes of records, or of blocks that only older versions have, as live. */
  synchronized void occupy(long offset, long length) {
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
  synchronized void release(long offset, long length) {
    count(offset, length, -1, false);
    liveBytes -= length;
    assert liveBytes >= 0 : liveBytes + " bytes live";
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
  record Mark(long end, Stretch blocks, Stretch apart) {}

  /** Starts a commit: what it takes is in flight until {@link #settle} or {@link #abort}. */
  Mark begin() {
    final Mark mark = new Mark(end, blocks, apart);
    if (blocks.isOpenEnded() || blocks.at > wantedLength() && isTooLong(0)) {
      // The last commit grew the file, or it was longer then; by now there may be room inside.
      blocks = Stretch.NONE;
    }
    blocks = blocks.onNewPage();
    apart = apart.onNewPage();
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
    blocks = mark.blocks;
    apart = mark.apart;
  }

  /** A part of the file that was free. */
  record Extent(long offset, long length) {}

  /**
   * Takes free space. What is large begins on a page, as the memory does that it is written from.
   *
   * @param wanted how many bytes would be best
   * @param least how many bytes must be in one piece
   */
  synchronized Extent take(long wanted, long least) {
    if (wanted >= StoreFile.LARGE) {
      blocks = blocks.onNewPage();
    }
    if (blocks.room() < least) {
      blocks = Stretch.NONE;
      Stretch free = firstFree(least);
      blocks = free == null ? new Stretch(tail(), VersionFormat.MAX_FILE) : free;
    }
    refuseBeyond(blocks, least);
    Extent extent = new Extent(blocks.at, Math.min(wanted, blocks.room()));
    assert extent.length >= least : extent + " is less than " + least;
    blocks = blocks.after(extent.length);
    return inFlight(extent);
  }

  /**
   * Takes free space for what lives for two commits only: in regions of its own, several beside
   * each other, so that these are free again soon.
   */
  synchronized Extent takeApart(long length) {
    if (apart.room() < length) {
      apart = Stretch.NONE;
      Stretch free = firstFree(length);
      apart = free == null ? behindTheEnd(length) : free;
      apart = new Stretch(apart.at, Math.min(apart.limit, apart.at + roomApart(length)));
    }
    refuseBeyond(apart, length);
    Extent extent = new Extent(apart.at, length);
    apart = apart.after(length);
    return inFlight(extent);
  }

  /** Where the file can grow; what is kept apart may have more room than it has used so far. */
  private long tail() {
    return align(Math.max(end, apart.limit));
  }

  private long roomApart(long length) {
    return roundUp(APART_AT_ONCE * align(length));
  }

  /** On a region of its own; blocks that grow the file then go behind it. */
  private Stretch behindTheEnd(long length) {
    if (blocks.isOpenEnded()) {
      blocks = Stretch.NONE;
    }
    long at = roundUp(end);
    return new Stretch(at, Math.min(VersionFormat.MAX_FILE, at + roomApart(length)));
  }

  private long roundUp(long offset) {
    long mask = (1L << regionBits) - 1;
    return (offset + mask) & ~mask;
  }

  private static void refuseBeyond(Stretch stretch, long least) {
    if (stretch.room() < least) {
      throw new IllegalStateException(
          "the container cannot grow beyond " + (VersionFormat.MAX_FILE >> 40) + " TiB");
    }
  }

  private Extent inFlight(Extent extent) {
    long extentEnd = extent.offset + extent.length;
    end = Math.max(end, extentEnd);
    inFlight.set(region(extent.offset), region(extentEnd - 1) + 1);
    return extent;
  }

  /**
   * The first run of free regions that will do. Regions are large, so that even single ones make
   * for sequential writes; filling the file from its head leaves the free space at its tail, where
   * it can be cut off.
   */
  private @Nullable Stretch firstFree(long least) {
    int regions = region(end - 1) + 1;
    int region = firstRegion();
    while (region < regions) {
      int first = region;
      while (region < regions && isFree(region)) {
        region++;
      }
      long length = (long) (region - first) << regionBits;
      if (length >= least) {
        return new Stretch((long) first << regionBits, (long) region << regionBits);
      }
      region++;
    }
    return null;
  }

  /** The first region without a part of a superblock, or of what is sealed. */
  private int firstRegion() {
    return region(Math.max(ContainerFormat.FIRST_EXTENT, sealed) - 1) + 1;
  }

  private boolean isFree(int region) {
    long from = (long) region << regionBits;
    return (region >= live.length || live[region] == 0)
        && !inFlight.get(region)
        && !blocks.overlaps(from, regionEnd(region))
        && !apart.overlaps(from, regionEnd(region));
  }

  /** How many bytes of the file are in regions where nothing is live. */
  long freeBytes() {
    long free = 0;
    for (int region = firstRegion(); region <= region(end - 1); region++) {
      boolean empty = region >= live.length || live[region] == 0;
      free += empty && !inFlight.get(region) ? 1L << regionBits : 0;
    }
    return Math.min(free, end);
  }

  /**
   * The regions whose live blocks the next commit should write anew. A region that was emptied
   * becomes free only when the older versions that still refer to it are dropped, so the supply
   * must last for two commits.
   *
   * @param expectedDelta how many bytes the next commit will probably write
   * @param tooLong whether the file is to become shorter at any price
   */
  BitSet victims(long expectedDelta, boolean tooLong) {
    long regionBytes = 1L << regionBits;
    long used = unsealedLiveBytes();
    long length = end - sealed;
    double growth = Math.min(expectedDelta, RESERVE * used);
    if (length + growth <= FILL_LIMIT * used + 2 * regionBytes) {
      return new BitSet();
    }
    long need = (long) Math.min(3.0 * expectedDelta, RESERVE * used) + regionBytes;
    long shortage = Math.max(0, need - supply());
    long excess = Math.max(0, length - (long) (LENGTH_LIMIT * used));
    long usual = (long) (MOVED_PART * expectedDelta) + LITTLE;
    long budget = tooLong ? Math.max(2 * expectedDelta, usual) : usual;
    return choose(emptiestFirst(tooLong), shortage + excess, budget);
  }

  /**
   * Whether the file would soon have twice the live data: then it matters less what is written.
   *
   * @param mostLive how many bytes were live lately, at most
   */
  boolean isTooLong(long mostLive) {
    long used = Math.max(unsealedLiveBytes(), mostLive);
    return end - sealed > TOO_LONG * used + (2L << regionBits);
  }

  /**
   * Whether a record is at the end of a file that is too long, and need not be: there is room for
   * it further ahead. Nobody else moves it, and one that stays for long keeps the tail for as long.
   * So what counts is what is live now: by the time that what was live lately counts no more the
   * record is to be gone.
   */
  boolean isStranded(Pointer record) {
    return isStranded(record, record.length());
  }

  /**
   * The same of a record in whose place another one is written.
   *
   * @param length how long that is
   */
  boolean isStranded(Pointer record, long length) {
    long wanted = wantedLength();
    if (record.offset() + record.length() <= wanted || !isTooLong(0)) {
      return false;
    }
    Stretch next = blocks.room() < length ? firstFree(length) : blocks;
    return next != null && next.at + length <= wanted;
  }

  /** How long a file with as much in it should be; regions are taken whole, and pages. */
  private long wantedLength() {
    return sealed + (long) (LENGTH_LIMIT * unsealedLiveBytes()) + (2L << regionBits) + PAGES;
  }

  private long unsealedLiveBytes() {
    if (sealed == 0) {
      return liveBytes;
    }
    long bytes = 0;
    for (int region = firstRegion(); region <= lastRegion(); region++) {
      bytes += live[region];
    }
    return bytes;
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
    for (int region = firstRegion(); region <= lastRegion(); region++) {
      bytes += movable[region] == 0 ? 1L << regionBits : 0;
    }
    return bytes;
  }

  private int lastRegion() {
    return Math.min(region(end - 1), live.length - 1);
  }

  /**
   * Regions that are worth emptying; of those that are as full, the first ones first.
   *
   * @param tooLong whether full ones are, too, that lie where the file should have ended before:
   *     the last ones first
   */
  private int[] emptiestFirst(boolean tooLong) {
    long limit = (long) (WORTH_MOVING * (1L << regionBits));
    int current = blocks.room() > 0 ? region(blocks.at) : -1;
    int first = sealed == 0 ? 0 : firstRegion();
    long[] byFill = Supply.longs(Math.max(0, lastRegion() - first + 1));
    int count = 0;
    for (int region = first; region <= lastRegion(); region++) {
      if (movable[region] > 0 && movable[region] <= limit && region != current) {
        byFill[count++] = movable[region] << Integer.SIZE | region;
      }
    }
    Arrays.sort(byFill, 0, count);
    int past = tooLong ? region(wantedLength()) : Integer.MAX_VALUE;
    for (int region = lastRegion(); region > past; region--) {
      if (movable[region] > limit && region != current) {
        byFill[count++] = region;
      }
    }
    int[] regions = Supply.ints(count);
    for (int i = 0; i < count; i++) {
      regions[i] = (int) byFill[i];
    }
    return regions;
  }

  /** Whether any byte of an extent lies in one of some regions. */
  boolean touches(BitSet regions, long place, long length) {
    int first = region(place);
    int last = region(place + length - 1);
    if (first == last) {
      return regions.get(first); // nearly always
    }
    int next = regions.nextSetBit(first);
    return next >= 0 && next <= last;
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
    long needed = Math.max(sealed, regionEnd(last));
    long shorter = Math.min(end, Math.max(needed, regionEnd(region(enough))));
    if (end <= LENGTH_LIMIT * liveBytes + expectedDelta || end - shorter < 2L << regionBits) {
      return;
    }
    end = shorter;
    blocks = blocks.before(end);
    apart = apart.before(end);
  }

  private static long align(long offset) {
    long mask = ContainerFormat.COMMIT_ALIGNMENT - 1;
    return (offset + mask) & ~mask;
  }
}
