// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

/**
 * The digest of a whole state: the sum of one well-mixed term per slot that has bytes, so that a
 * checkpoint updates it by the slots it changed, and claimed zeros cost nothing to check. It tells equal states from different ones, not friend from
 * foe: each block is verified by its own digest.
 */
final class RootDigest {
  private long low;
  private long high;

  long low() {
    return low;
  }

  long high() {
    return high;
  }

  void copyFrom(RootDigest other) {
    low = other.low;
    high = other.high;
  }

  /** Takes out what {@code map} holds at a slot, and puts in what is to be there. */
  void replace(int slot, BlockMap map, long place, long newLow, long newHigh) {
    if (map.place(slot) >= 0) {
      add(slot, map.low(slot), map.high(slot), -1);
    }
    if (place >= 0) {
      add(slot, newLow, newHigh, 1);
    }
  }

  private void add(int slot, long digestLow, long digestHigh, int sign) {
    long key = (slot + 1L) * 0x9E3779B97F4A7C15L;
    long first = mix(digestLow ^ key);
    low += sign * first;
    high += sign * mix(digestHigh + Long.rotateLeft(first, 32) + key);
  }

  private static long mix(long value) {
    long x = value;
    x = (x ^ (x >>> 32)) * 0xD6E8FEB86659FD93L;
    x = (x ^ (x >>> 32)) * 0xD6E8FEB86659FD93L;
    return x ^ (x >>> 32);
  }

  /** A visitor that follows a record as it would change {@code map}, without changing it. */
  MapRecord.Visitor following(BlockMap map) {
    return new MapRecord.Visitor() {
      @Override
      public void block(int slot, int blockLength, int stored, long place, long lo, long hi) {
        replace(slot, map, place, lo, hi);
      }

      @Override
      public void zeros(int first, int count, int blockLength) {
        remove(first, count);
      }

      @Override
      public void released(int first, int count) {
        remove(first, count);
      }

      private void remove(int first, int count) {
        for (int slot = first; slot < first + count; slot++) {
          replace(slot, map, BlockMap.ABSENT, 0, 0);
        }
      }
    };
  }
}
