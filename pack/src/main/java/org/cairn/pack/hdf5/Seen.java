// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack.hdf5;

/**
 * Which places of a file were looked at. Every node and object is at a place of its own, so that
 * whoever comes to one again goes in a circle, or was led there to go everywhere many times.
 */
final class Seen {
  /** More objects and nodes than this are not looked at. */
  static final int MOST = 1 << 22;

  /** Places plus one, at the position that their hash gives, or the next free one; 0 is free. */
  private long[] table = new long[1 << 10];

  private int count;

  /** Whether a place is new and there is room for it. */
  boolean add(long place) {
    if (count >= MOST) {
      return false;
    }
    if (!insert(table, place + 1)) {
      return false;
    }
    if (++count > table.length / 2) {
      grow();
    }
    return true;
  }

  /** Whether there is no more room. */
  boolean isFull() {
    return count >= MOST;
  }

  private void grow() {
    long[] larger = new long[2 * table.length];
    for (long key : table) {
      if (key != 0) {
        insert(larger, key);
      }
    }
    table = larger;
  }

  private static boolean insert(long[] table, long key) {
    int mask = table.length - 1;
    int i = (int) (key * 0x9E3779B97F4A7C15L >>> 32) & mask;
    while (table[i] != 0) {
      if (table[i] == key) {
        return false;
      }
      i = i + 1 & mask;
    }
    table[i] = key;
    return true;
  }
}
