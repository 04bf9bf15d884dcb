// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.lang.foreign.MemorySegment;
import org.cairn.supply.Supply;
import org.cairn.version.BlockMap;
import org.jspecify.annotations.Nullable;

/**
 * Blocks on their way to the file: their bytes side by side in native memory, and what the map will
 * say of them. One thread fills it, another writes it; the hand-over between them is the caller's.
 */
public final class StagedBlocks {
  private static final int INITIAL = 64;

  private final MemorySegment memory;
  private final boolean keptUntilCleared;
  private long used;
  private int blocks;
  private int[] slots = new int[INITIAL];
  private int[] lengths = new int[INITIAL];
  private int[] stored = new int[INITIAL];
  private long[] digests = new long[2 * INITIAL];
  private long[] positions = new long[INITIAL];

  /** Who reads from the memory until it is cleared. */
  private @Nullable RecentBytes rememberedBy;

  /** Stages into {@code memory}, which must be native. */
  public StagedBlocks(MemorySegment memory) {
    this(memory, false);
  }

  private StagedBlocks(MemorySegment memory, boolean keptUntilCleared) {
    this.memory = memory;
    this.keptUntilCleared = keptUntilCleared;
  }

  /**
   * The same, with a promise: after blocks were stored the memory is neither changed nor given back
   * until they are {@linkplain #clear cleared}. So others may read from it, any thread of them.
   */
  public static StagedBlocks keptUntilCleared(MemorySegment memory) {
    return new StagedBlocks(memory, true);
  }

  boolean isKeptUntilCleared() {
    return keptUntilCleared;
  }

  void rememberedBy(RecentBytes reader) {
    rememberedBy = reader;
  }

  /** Whether somebody may read from the memory, who would have to read a file otherwise. */
  public boolean isRemembered() {
    return rememberedBy != null;
  }

  /** Forgets all blocks. From now on nobody else reads from the memory. */
  public void clear() {
    RecentBytes reader = rememberedBy;
    if (reader != null) {
      reader.forget(this);
      rememberedBy = null;
    }
    used = 0;
    blocks = 0;
  }

  /** The memory to stage into: the next block goes to {@link #used()}. */
  public MemorySegment memory() {
    return memory;
  }

  /** How many bytes of the memory hold blocks. */
  public long used() {
    return used;
  }

  /** How many more bytes fit. */
  public long room() {
    return memory.byteSize() - used;
  }

  /** How many blocks, those of zeros included, are staged. */
  public int blocks() {
    return blocks;
  }

  /** A block whose bytes have been put at {@link #used()}, as they are. */
  public void addRaw(int slot, int length, long low, long high) {
    assert length <= room() : length + " bytes were put where " + room() + " fit";
    add(slot, length, BlockMap.stored(0, length), low, high);
    used += length;
  }

  /** A block of which {@code storedLength} coded bytes have been put at {@link #used()}. */
  public void addCoded(int slot, int length, int codec, int storedLength, long low, long high) {
    assert storedLength <= room() : storedLength + " bytes were put where " + room() + " fit";
    add(slot, length, BlockMap.stored(codec, storedLength), low, high);
    used += storedLength;
  }

  /** A block of zeros, of which nothing is stored. */
  public void addZero(int slot, int length) {
    add(slot, length, 0, 0, 0);
  }

  private void add(int slot, int length, int howStored, long low, long high) {
    assert slot >= 0 && length > 0 : "slot " + slot + ", " + length + " bytes";
    if (blocks == slots.length) {
      grow();
    }
    slots[blocks] = slot;
    lengths[blocks] = length;
    stored[blocks] = howStored;
    digests[2 * blocks] = low;
    digests[2 * blocks + 1] = high;
    positions[blocks] = used;
    blocks++;
  }

  private void grow() {
    int capacity = blocks * 2;
    slots = Supply.copy(slots, capacity);
    lengths = Supply.copy(lengths, capacity);
    stored = Supply.copy(stored, capacity);
    digests = Supply.copy(digests, 2 * capacity);
    positions = Supply.copy(positions, capacity);
  }

  /** The length of a staged block before coding. */
  public int length(int index) {
    return lengths[index];
  }

  /** The digests, two words a block, for whoever computes them after staging. */
  public long[] digests() {
    return digests;
  }

  /** Where the bytes of a block lie in the memory. */
  long position(int index) {
    return positions[index];
  }

  /** The last of some blocks that does not begin behind a position in the memory. */
  int indexAt(long position, int from, int to) {
    int low = from;
    int high = to - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      low = positions[middle] <= position ? middle : low;
      high = positions[middle] <= position ? high : middle - 1;
    }
    return low;
  }

  int slot(int index) {
    return slots[index];
  }

  int stored(int index) {
    return stored[index];
  }

  int storedLength(int index) {
    return BlockMap.storedLength(stored[index]);
  }

  boolean isZero(int index) {
    return stored[index] == 0;
  }

  long low(int index) {
    return digests[2 * index];
  }

  long high(int index) {
    return digests[2 * index + 1];
  }
}
