// SPDX-License-Identifier: Apache-2.0
package org.cairn.supply;

import java.util.Map;
import java.util.TreeMap;

/** Addresses, as stretches that do not meet each other; any thread. */
final class Stretches {
  private final Mutex mutex = new Mutex();
  private final TreeMap<Long, Long> ends = new TreeMap<>();

  /** Adds a stretch, which may be there already. */
  void add(long from, long to) {
    try (Mutex.Held _ = mutex.hold()) {
      Map.Entry<Long, Long> before = ends.floorEntry(from);
      boolean joins = before != null && before.getValue() >= from;
      if (joins && before.getValue() >= to) {
        return; // as nearly always: programs write to the same memory again
      }
      long first = joins ? before.getKey() : from;
      long end = to;
      Map.Entry<Long, Long> next = ends.ceilingEntry(first);
      while (next != null && next.getKey() <= end) {
        end = Math.max(end, next.getValue());
        ends.remove(next.getKey());
        next = ends.ceilingEntry(first);
      }
      ends.put(first, end);
    }
  }

  /** Takes a stretch out of all that have some of it. */
  void remove(long from, long to) {
    try (Mutex.Held _ = mutex.hold()) {
      Map.Entry<Long, Long> last = ends.lowerEntry(to);
      while (last != null && last.getValue() > from) {
        ends.remove(last.getKey());
        if (last.getValue() > to) {
          ends.put(to, last.getValue());
        }
        if (last.getKey() < from) {
          ends.put(last.getKey(), from);
        }
        last = ends.lowerEntry(to);
      }
    }
  }

  /** Whether some of a stretch is in one that was added. */
  boolean meet(long from, long to) {
    try (Mutex.Held _ = mutex.hold()) {
      Map.Entry<Long, Long> before = ends.lowerEntry(to);
      return before != null && before.getValue() > from;
    }
  }
}
