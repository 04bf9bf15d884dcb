// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.TreeMap;
import org.cairn.version.BlockMap;

/**
 * What was written to a container a moment ago, as long as it still lies in the memory that it was
 * staged in: so that tiers need not read it back. Takes no memory for blocks of its own, and keeps
 * nobody from using that memory again: who does {@linkplain StagedBlocks#clear says so first}.
 *
 * <p>A block is found by its place, and only if length, codec and digest are those that were staged
 * with it: the digest was computed from these very bytes, so they are not hashed again. What the
 * file has come to say since does not matter.
 *
 * <p>Safe for use by many threads: a block is copied while nobody can take its memory.
 */
final class RecentBytes {
  /** Of a file that nobody writes to. */
  static final RecentBytes NONE = new RecentBytes();

  /** What was written, by its place in the file; no two overlap. */
  private final TreeMap<Long, Written> written = new TreeMap<>();

  private volatile boolean wanted;
  private volatile boolean empty = true;

  /**
   * Blocks that went to the file in one piece.
   *
   * @param from the first of the blocks in {@code staged}
   * @param to the one behind the last
   * @param end where the piece ends in the file
   */
  private record Written(StagedBlocks staged, int from, int to, long end) {}

  /** There is somebody who reads what is written. */
  void want() {
    wanted = true;
  }

  /** Blocks have been written to a place in the file. */
  void wrote(StagedBlocks staged, int from, int to, long place, long length) {
    if (wanted) {
      try {
        note(staged, from, to, place, place + length);
      } catch (OutOfMemoryError e) {
        clear(); // what is not known here is read from the file
      }
    }
  }

  private synchronized void note(StagedBlocks staged, int from, int to, long place, long end) {
    removeBetween(place, end);
    if (staged.isKeptUntilCleared()) {
      written.put(place, new Written(staged, from, to, end));
      staged.rememberedBy(this);
    }
    empty = written.isEmpty();
  }

  private void removeBetween(long place, long end) {
    Map.Entry<Long, Written> before = written.lowerEntry(place);
    if (before != null && before.getValue().end > place) {
      written.remove(before.getKey());
    }
    written.subMap(place, end).clear();
  }

  /** Its memory is used again. */
  synchronized void forget(StagedBlocks staged) {
    written.values().removeIf(one -> one.staged == staged);
    empty = written.isEmpty();
  }

  synchronized void clear() {
    written.clear();
    empty = true;
  }

  boolean isEmpty() {
    return empty;
  }

  /**
   * Copies a block as it is stored, if it is there.
   *
   * @param stored its length and codec, as the map has them
   */
  synchronized boolean copy(long place, int stored, long low, long high, MemorySegment target) {
    Map.Entry<Long, Written> found = written.floorEntry(place);
    if (found == null || found.getValue().end <= place) {
      return false;
    }
    Written one = found.getValue();
    StagedBlocks staged = one.staged;
    long position = staged.position(one.from) + place - found.getKey();
    int index = staged.indexAt(position, one.from, one.to);
    if (staged.position(index) != position
        || staged.stored(index) != stored
        || staged.low(index) != low
        || staged.high(index) != high) {
      return false;
    }
    MemorySegment.copy(staged.memory(), position, target, 0, BlockMap.storedLength(stored));
    return true;
  }
}
