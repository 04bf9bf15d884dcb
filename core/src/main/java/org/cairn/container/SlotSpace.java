// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.cairn.version.Catalog;
import org.cairn.version.DatasetEntry;
import org.cairn.version.SlotRuns;
import org.cairn.version.VersionFormat;

/**
 * Which slots are taken. Released runs are reused before new slots are appended.
 *
 * <p>The slots of a dataset are listed in every catalog, so they must stay few runs however often
 * it grows. It grows into the slots right behind it where these are free; where they are not, it
 * goes on elsewhere with as much room behind it as it is long. So each further run is about as long
 * as all before, and datasets that grow in turns have a run for each doubling, not for each growth.
 * The room is not set aside: what is new may take it, from its end, if it fits nowhere better.
 */
final class SlotSpace {
  /** Nobody gets room to grow beyond so many slots: blocks may need them. */
  private static final long PLENTY = VersionFormat.MAX_SLOTS / 2;

  /** The length of each free run, by its first slot. */
  private final TreeMap<Integer, Integer> free = new TreeMap<>();

  /** The free runs by length, then by first slot: finding one must not take a look at all. */
  private final TreeSet<Long> byLength;

  private long freeSlots;
  private int next;

  SlotSpace() {
    this(Comparator.naturalOrder());
  }

  /** With an order of lengths that can count how often it is asked. */
  SlotSpace(Comparator<Long> order) {
    byLength = new TreeSet<>(order);
  }

  /** The slots not used by any dataset of {@code catalog}. */
  static SlotSpace around(Catalog catalog) {
    SlotSpace space = new SlotSpace();
    TreeMap<Integer, Integer> taken = new TreeMap<>();
    for (DatasetEntry dataset : catalog.datasets()) {
      SlotRuns slots = dataset.slots();
      for (int run = 0; run < slots.runs(); run++) {
        taken.put(slots.first(run), slots.count(run));
      }
    }
    taken.forEach(
        (first, count) -> {
          if (first > space.next) {
            space.add(space.next, first - space.next);
          }
          space.next = Math.max(space.next, first + count);
        });
    return space;
  }

  /** Takes {@code count} slots behind {@code runs}, as one run where possible. */
  SlotRuns take(SlotRuns runs, int count) {
    if (VersionFormat.MAX_SLOTS - next + freeSlots < count) {
      throw new IllegalArgumentException(
          "the state has more than "
              + VersionFormat.MAX_SLOTS
              + " blocks; choose a larger block size");
    }
    SlotRuns grown = extend(runs, count);
    int left = count - (grown.blocks() - runs.blocks());
    return left == 0 ? grown : takeElsewhere(grown, left);
  }

  /** Takes the slots right behind, as many as there are. */
  private SlotRuns extend(SlotRuns runs, int count) {
    if (runs.blocks() == 0 || count == 0) {
      return runs;
    }
    int last = runs.runs() - 1;
    int end = runs.first(last) + runs.count(last);
    Integer room = free.get(end);
    int taken;
    if (room != null) {
      taken = Math.min(room, count);
      cut(end, room, taken);
    } else {
      taken = end == next ? (int) Math.min(count, VersionFormat.MAX_SLOTS - next) : 0;
      next += taken;
    }
    return runs.plus(end, taken);
  }

  private SlotRuns takeElsewhere(SlotRuns runs, int count) {
    long room = runs.blocks();
    Long fits =
        count + room > Integer.MAX_VALUE ? null : byLength.ceiling(key(0, count + (int) room));
    if (fits != null) {
      int first = fits.intValue();
      int length = (int) (fits >>> 32);
      // What is new leaves the slots behind others to these.
      return runs.plus(
          room == 0 && first > 0 ? cutEnd(first, length, count) : cut(first, length, count), count);
    }
    if ((long) next + count <= VersionFormat.MAX_SLOTS) {
      return runs.plus(append(count, room), count);
    }
    return takePieces(runs, count);
  }

  private int append(int count, long room) {
    int first = next;
    next += count;
    if (next + room <= PLENTY) {
      int behind = next;
      next += (int) room;
      if (room > 0) {
        add(behind, (int) room);
      }
    }
    return first;
  }

  /** The longest runs first; there are enough slots in all. */
  private SlotRuns takePieces(SlotRuns runs, int count) {
    SlotRuns taken = runs;
    int left = count;
    while (left > 0 && !byLength.isEmpty()) {
      long longest = byLength.last();
      int some = Math.min(left, (int) (longest >>> 32));
      taken = taken.plus(cut((int) longest, (int) (longest >>> 32), some), some);
      left -= some;
    }
    next += left;
    return left == 0 ? taken : taken.plus(next - left, left);
  }

  private int cut(int first, int length, int count) {
    remove(first, length);
    if (length > count) {
      add(first + count, length - count);
    }
    return first;
  }

  private int cutEnd(int first, int length, int count) {
    remove(first, length);
    if (length > count) {
      add(first, length - count);
    }
    return first + length - count;
  }

  private static long key(int first, int length) {
    return (long) length << 32 | first;
  }

  private void add(int first, int length) {
    assert length > 0 : length + " slots from " + first + " on";
    free.put(first, length);
    freeSlots += length;
    byLength.add(key(first, length));
  }

  private void remove(int first, int length) {
    Integer known = free.remove(first);
    assert known != null && known == length : first + "+" + length + " is not free, " + known;
    freeSlots -= length;
    assert freeSlots >= 0 : freeSlots + " slots are free";
    byLength.remove(key(first, length));
  }

  void release(SlotRuns runs) {
    for (int run = 0; run < runs.runs(); run++) {
      release(runs.first(run), runs.count(run));
    }
  }

  private void release(int first, int count) {
    int start = first;
    int length = count;
    Map.Entry<Integer, Integer> before = free.lowerEntry(start);
    if (before != null && before.getKey() + before.getValue() == start) {
      remove(before.getKey(), before.getValue());
      start = before.getKey();
      length += before.getValue();
    }
    Integer after = free.get(start + length);
    if (after != null) {
      remove(start + length, after);
      length += after;
    }
    if (start + length == next) {
      next = start;
    } else {
      add(start, length);
    }
  }
}
