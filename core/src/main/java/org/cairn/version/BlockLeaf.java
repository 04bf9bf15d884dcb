// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.util.Arrays;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * Up to 64 slots of a {@link BlockMap}; only those that have bytes take room for place and digest.
 */
final class BlockLeaf {
  static final int BITS = 6;
  static final int SLOTS = 1 << BITS;
  static final int MASK = SLOTS - 1;

  /** What one takes in a heap below 32 GiB, without places and lengths. */
  static final long BYTES = 56;

  private static final long[] NO_PLACES = {};

  /** Which slots are blocks with bytes, and which are blocks of zeros, a bit each. */
  long stored;

  long zeros;

  /** Of the blocks with bytes, in the order of their slots. */
  long[] places = NO_PLACES;

  long[] digests = NO_PLACES;

  /** Null if all slots have the stored length {@code common}. */
  int @Nullable [] lengths;

  int common;

  /** Whether this leaf stands for many, so that it must not change. */
  final boolean shared;

  BlockLeaf(long place, int length, boolean shared) {
    zeros = place == BlockMap.ZERO ? -1L : 0;
    common = length;
    this.shared = shared;
  }

  boolean isStored(int index) {
    return (stored >>> index & 1) != 0;
  }

  /** How many slots before this one have bytes. */
  private int rank(int index) {
    return Long.bitCount(stored & ((1L << index) - 1));
  }

  long place(int index) {
    if (isStored(index)) {
      return places[rank(index)];
    }
    return (zeros >>> index & 1) != 0 ? BlockMap.ZERO : BlockMap.ABSENT;
  }

  long digest(int index, int half) {
    return isStored(index) ? digests[2 * rank(index) + half] : 0;
  }

  boolean hasDigest(int index, long low, long high) {
    if (!isStored(index)) {
      return false;
    }
    int at = 2 * rank(index);
    return digests[at] == low && digests[at + 1] == high;
  }

  /** Whether some slots, a bit each and one behind the other, have bytes with these digests. */
  boolean haveDigests(long slots, long[] expected, int at) {
    if ((stored & slots) != slots) {
      return false;
    }
    int from = 2 * rank(Long.numberOfTrailingZeros(slots));
    int count = 2 * Long.bitCount(slots);
    return Arrays.equals(digests, from, from + count, expected, at, at + count);
  }

  /**
   * Which of some slots, a bit each and one behind the other, have bytes with these digests.
   *
   * @param at where those of the first of the slots begin
   */
  long whichHaveDigests(long slots, long[] expected, int at) {
    int first = Long.numberOfTrailingZeros(slots);
    int rank = 2 * rank(first);
    long same = 0;
    for (long left = stored & slots; left != 0; left &= left - 1) {
      int index = Long.numberOfTrailingZeros(left);
      int word = at + 2 * (index - first);
      if (digests[rank] == expected[word] && digests[rank + 1] == expected[word + 1]) {
        same |= 1L << index;
      }
      rank += 2;
    }
    return same;
  }

  /** Which of some slots, a bit each and one behind the other, have bytes in places like that. */
  long whichLie(long slots, BlockMap.ExtentFilter filter) {
    int rank = rank(Long.numberOfTrailingZeros(slots));
    long found = 0;
    for (long left = stored & slots; left != 0; left &= left - 1) {
      int index = Long.numberOfTrailingZeros(left);
      if (filter.accepts(places[rank++], BlockMap.storedLength(stored(index)))) {
        found |= 1L << index;
      }
    }
    return found;
  }

  int stored(int index) {
    return lengths == null ? common : lengths[index];
  }

  void set(int index, long place, int how, long low, long high) {
    setLengths(1L << index, how);
    if (!isStored(index)) {
      insert(index);
    }
    int rank = rank(index);
    assert digests.length >= 2 * places.length : "a place without a digest";
    places[rank] = place;
    digests[2 * rank] = low;
    digests[2 * rank + 1] = high;
  }

  /** Blocks as they are, side by side, in consecutive slots. */
  void setAll(int first, int count, long place, int length, long[] digests) {
    if (stored >>> first != 0) {
      for (int i = 0; i < count; i++) {
        long at = place + (long) i * length;
        set(first + i, at, BlockMap.stored(0, length), digests[2 * i], digests[2 * i + 1]);
      }
      return;
    }
    long slots = (count == SLOTS ? -1L : (1L << count) - 1) << first;
    setLengths(slots, BlockMap.stored(0, length));
    int rank = Long.bitCount(stored);
    if (rank + count > places.length) {
      grow(Math.min(SLOTS, Math.max(rank + count, 2 * places.length)));
    }
    for (int i = 0; i < count; i++) {
      places[rank + i] = place + (long) i * length;
    }
    System.arraycopy(digests, 0, this.digests, 2 * rank, 2 * count);
    stored |= slots;
    zeros &= ~slots;
  }

  private void grow(int count) {
    // Both, or none, where memory runs out.
    long[] more = Supply.copy(places, count);
    digests = Supply.copy(digests, 2 * count);
    places = more;
  }

  private void insert(int index) {
    int count = Long.bitCount(stored);
    if (count == places.length) {
      grow(Math.clamp(2L * count, 1, SLOTS));
    }
    int rank = rank(index);
    System.arraycopy(places, rank, places, rank + 1, count - rank);
    System.arraycopy(digests, 2 * rank, digests, 2 * rank + 2, 2 * (count - rank));
    stored |= 1L << index;
    zeros &= ~(1L << index);
  }

  /** Makes some slots, a bit each, zero or absent. */
  void clear(long slots, long place, int length) {
    if (place == BlockMap.ZERO) {
      setLengths(slots, length);
    }
    for (long left = stored & slots; left != 0; left &= left - 1) {
      remove(Long.numberOfTrailingZeros(left));
    }
    zeros = place == BlockMap.ZERO ? zeros | slots : zeros & ~slots;
  }

  private void remove(int index) {
    int count = Long.bitCount(stored);
    int rank = rank(index);
    System.arraycopy(places, rank + 1, places, rank, count - rank - 1);
    System.arraycopy(digests, 2 * rank + 2, digests, 2 * rank, 2 * (count - rank - 1));
    stored &= ~(1L << index);
  }

  /** What is absent may have any length: a table of lengths is made only if it has to be. */
  private void setLengths(long slots, int how) {
    if (((stored | zeros) & ~slots) == 0) {
      common = how;
      lengths = null;
    }
    if (lengths == null) {
      if (common == how) {
        return;
      }
      lengths = Supply.ints(SLOTS);
      Arrays.fill(lengths, common);
    }
    for (long left = slots; left != 0; left &= left - 1) {
      lengths[Long.numberOfTrailingZeros(left)] = how;
    }
  }

  /** How many slots from this one on are zero. */
  int zerosFrom(int index) {
    return Long.numberOfTrailingZeros(~(zeros >>> index));
  }

  /** How many slots from this one on, up to the end of the leaf, are absent. */
  int absentFrom(int index) {
    return Math.min(SLOTS - index, Long.numberOfTrailingZeros((stored | zeros) >>> index));
  }

  /** How many slots from this one on, up to the end of the leaf, surely are blocks of one kind. */
  int alikeFrom(int index) {
    return lengths == null ? Long.numberOfTrailingZeros(~((stored | zeros) >>> index)) : 1;
  }

  /** How many slots from this one on, at most so many, have bytes. */
  private int storedFrom(int index, int most) {
    return Math.min(most, Long.numberOfTrailingZeros(~(stored >>> index)));
  }

  /**
   * How many slots from this one on, at most so many, have bytes that are stored in this way, side
   * by side from a place on.
   */
  int sideBySideFrom(int index, int most, int how, long place) {
    int length = BlockMap.storedLength(how);
    int rank = rank(index);
    int end = storedFrom(index, most);
    int count = 0;
    while (count < end
        && places[rank + count] == place + (long) count * length
        && stored(index + count) == how) {
      count++;
    }
    return count;
  }

  /** Copies digests of blocks with bytes from this slot on, at most so many; says how many. */
  int digestsFrom(int index, int most, long[] copies) {
    int count = storedFrom(index, most);
    System.arraycopy(digests, 2 * rank(index), copies, 0, 2 * count);
    return count;
  }

  /** Calls for what holds bytes, once for what lies side by side. */
  void forEachStretch(BlockMap.ExtentVisitor visitor) {
    if (lengths != null) {
      forEachExtent(-1L, visitor);
      return;
    }
    int length = BlockMap.storedLength(common);
    int count = Long.bitCount(stored);
    int first = 0;
    for (int rank = 1; rank <= count; rank++) {
      if (rank == count || places[rank] != places[rank - 1] + length) {
        visitor.extent(places[first], (long) (rank - first) * length);
        first = rank;
      }
    }
  }

  void forEachExtent(long slots, BlockMap.ExtentVisitor visitor) {
    int rank = Long.bitCount(stored & (Long.lowestOneBit(slots) - 1));
    for (long left = stored & slots; left != 0; left &= left - 1) {
      visitor.extent(
          places[rank++], BlockMap.storedLength(stored(Long.numberOfTrailingZeros(left))));
    }
  }

  long memoryBytes() {
    long bytes = BYTES + 24L * places.length + (places.length == 0 ? 0 : 32);
    return lengths == null ? bytes : bytes + 16 + 4L * SLOTS;
  }
}
