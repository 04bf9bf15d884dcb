// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Which slots are taken. Released runs are reused before new slots are appended. */
final class SlotSpace {
  /** The length of each free run, by its first slot. */
  private final TreeMap<Integer, Integer> free = new TreeMap<>();

  /** The free runs by length, then by first slot: finding one must not take a look at all. */
  private final TreeSet<Long> byLength = new TreeSet<>();

  private int next;

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
    if (count == 0) {
      return runs;
    }
    Long fits = byLength.ceiling(key(0, count));
    if (fits != null) {
      return runs.plus(cut(fits.intValue(), (int) (fits >>> 32), count), count);
    }
    if ((long) next + count > ContainerFormat.MAX_SLOTS) {
      throw new IllegalArgumentException(
          "the state has more than "
              + ContainerFormat.MAX_SLOTS
              + " blocks; choose a larger block size");
    }
    int first = next;
    next += count;
    return runs.plus(first, count);
  }

  private int cut(int first, int length, int count) {
    remove(first, length);
    if (length > count) {
      add(first + count, length - count);
    }
    return first;
  }

  private static long key(int first, int length) {
    return (long) length << 32 | first;
  }

  private void add(int first, int length) {
    free.put(first, length);
    byLength.add(key(first, length));
  }

  private void remove(int first, int length) {
    free.remove(first);
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
