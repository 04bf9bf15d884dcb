// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.util.Map;
import java.util.TreeMap;

/** Which slots are taken. Released runs are reused before new slots are appended. */
final class SlotSpace {
  private final TreeMap<Integer, Integer> free = new TreeMap<>();
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
            space.free.put(space.next, first - space.next);
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
    for (Map.Entry<Integer, Integer> run : free.entrySet()) {
      if (run.getValue() >= count) {
        return runs.plus(cut(run.getKey(), run.getValue(), count), count);
      }
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
    free.remove(first);
    if (length > count) {
      free.put(first + count, length - count);
    }
    return first;
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
      free.remove(before.getKey());
      start = before.getKey();
      length += before.getValue();
    }
    Integer after = free.remove(start + length);
    if (after != null) {
      length += after;
    }
    if (start + length == next) {
      next = start;
    } else {
      free.put(start, length);
    }
  }
}
