// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.cairn.supply.Mutex;
import org.cairn.supply.UnseenWrites;

/**
 * All memory of this process that is watched. There is one watch, and what it tells it forgets: so
 * whatever a scan finds is told to everybody whose range it lies in, however many datasets and
 * checkpointers have the same memory.
 */
public final class WatchedPages {
  private final Mutex mutex = new Mutex();
  private final PageWatch watch;

  /** By where they begin: there may be many. */
  private final TreeMap<Long, List<Range>> all = new TreeMap<>();

  /** No range was ever longer: none that begins further before an address reaches it. */
  private long longest;

  private int count;

  /** How many more there may be before it is asked again. */
  private int room;

  /** Whether there was none left when it was asked: it is not asked each time. */
  private boolean full;

  /** Memory that is watched for somebody. */
  static final class Range {
    private final long from;
    private final long to;
    private final PageWatch.Written owner;

    /** Others that have some of the same pages. */
    private final List<Range> others = new ArrayList<>();

    private Range(long from, long to, PageWatch.Written owner) {
      this.from = from;
      this.to = to;
      this.owner = owner;
    }

    long from() {
      return from;
    }

    long to() {
      return to;
    }

    private void tell(long first, long end) {
      owner.pages(first, end);
      for (Range other : others) {
        other.tellOwner(first, end);
      }
    }

    /** What of it is in this range. */
    private void tellOwner(long first, long end) {
      long begin = Math.max(first, from);
      long stop = Math.min(end, to);
      if (begin < stop) {
        owner.pages(begin, stop);
      }
    }
  }

  /** All that a watch tells. */
  public WatchedPages(PageWatch watch) {
    this.watch = watch;
    UnseenWrites.listen(this::mark);
  }

  int pageSize() {
    return watch.pageSize();
  }

  PageWatch.Ground ground() throws UnwatchableException {
    return watch.ground();
  }

  /**
   * Begins to watch a range for somebody, who is told at once what was written to it before: all of
   * it, perhaps.
   *
   * @param owner is told what is written, by whatever thread scans, one at a time
   */
  Range add(long from, long to, PageWatch.Written owner) throws UnwatchableException {
    try (Mutex.Held _ = mutex.hold()) {
      requireRoom();
      watch.watch(from, to);
      Range added = new Range(from, to, owner);
      for (Range other : meeting(from, to)) {
        other.others.add(added);
        added.others.add(other);
      }
      put(added);
      try {
        watch.scan(from, to, added::tell);
      } catch (UnwatchableException e) {
        added.tell(from, to);
        take(added);
        throw e;
      }
      return added;
    }
  }

  /** Ranges that lie side by side need less than was thought: so it is asked again, once. */
  private void requireRoom() throws UnwatchableException {
    if (room == 0 && !full) {
      room = watch.room();
      full = room == 0;
    }
    if (room == 0) {
      throw new UnwatchableException(
          "so many stretches of memory are watched that few mappings are left for all else; see sysctl vm.max_map_count");
    }
  }

  /** Watches a range no longer, but for what others have of it. */
  void remove(List<Range> ranges) {
    try (Mutex.Held _ = mutex.hold()) {
      ranges.forEach(this::take);
    }
  }

  private void put(Range range) {
    all.computeIfAbsent(range.from, _ -> new ArrayList<>()).add(range);
    longest = Math.max(longest, range.to - range.from);
    count++;
    room--;
  }

  private List<Range> meeting(long from, long to) {
    List<Range> meeting = new ArrayList<>();
    for (List<Range> some : all.subMap(from - longest, to).values()) {
      for (Range range : some) {
        if (range.to > from) {
          meeting.add(range);
        }
      }
    }
    return meeting;
  }

  private void take(Range range) {
    List<Range> begun = Objects.requireNonNull(all.get(range.from));
    begun.remove(range);
    if (begun.isEmpty()) {
      all.remove(range.from);
    }
    count--;
    room++;
    long next = range.from;
    while (next < range.to) {
      long free = endOfFree(range, next);
      if (free > next) {
        watch.unwatch(next, free);
      }
      next = Math.max(free, endOfTaken(range, free));
    }
    for (Range other : range.others) {
      other.others.remove(range);
    }
  }

  /** Up to where nobody else has pages from an address on. */
  private static long endOfFree(Range range, long from) {
    long end = range.to;
    for (Range other : range.others) {
      if (other.to > from) {
        end = Math.min(end, Math.max(from, other.from));
      }
    }
    return end;
  }

  /** Up to where somebody else has the pages from an address on. */
  private static long endOfTaken(Range range, long from) {
    long end = from;
    for (Range other : range.others) {
      if (other.from <= from && other.to > from) {
        end = Math.max(end, other.to);
      }
    }
    return end;
  }

  /**
   * Tells everybody what was written in some ranges, and then does something before anybody else
   * can scan them.
   *
   * @throws UnwatchableException if some of it is watched no longer: all of it counts as written
   *     then, for everybody
   */
  void scan(List<Range> ranges, Runnable then) throws UnwatchableException {
    try (Mutex.Held _ = mutex.hold()) {
      for (Range range : ranges) {
        try {
          watch.scan(range.from, range.to, range::tell);
        } catch (UnwatchableException e) {
          range.tell(range.from, range.to);
          throw e;
        }
      }
      // Of what is on its way nobody knows how much has come: it counts for now and for later.
      UnseenWrites.forEachExpected(this::tell);
      then.run();
      UnseenWrites.forEachExpected(this::tell);
    }
  }

  /** Tells everybody of writes that no page table has seen. */
  void mark(long from, long to) {
    try (Mutex.Held _ = mutex.hold()) {
      tell(from, to);
    }
  }

  private void tell(long from, long to) {
    long page = watch.pageSize();
    long first = from / page * page;
    // Who marks all there is has an end that cannot be rounded up.
    long end = Math.min(Math.ceilDiv(to, page), Long.MAX_VALUE / page) * page;
    for (Range range : meeting(first, end)) {
      range.tellOwner(first, end);
    }
  }

  /** How many ranges are watched, for tests. */
  int ranges() {
    try (Mutex.Held _ = mutex.hold()) {
      return count;
    }
  }
}
