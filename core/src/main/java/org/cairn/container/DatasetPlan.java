// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.Set;
import org.cairn.version.BlockMap;
import org.cairn.version.DatasetEntry;
import org.cairn.version.Zeros;

/**
 * What a commit knows of a dataset before it has seen the bytes: which blocks have a digest to be
 * compared with, and which must be written in any case. Many threads may ask at once.
 */
public final class DatasetPlan {
  private final DatasetEntry entry;
  private final BlockMap map;
  private final int comparable;
  private final Space space;
  private final BitSet victims;
  private final MoveQuota quota;
  private final Set<Long> bad;
  private final BlockMap.ExtentFilter inVictims;
  private final long[] zeroDigest = new long[2];
  private final long[] zeroTailDigest = new long[2];

  /**
   * A plan.
   *
   * @param victims regions that are to be emptied
   * @param quota how much of what is clean may be written anew for that
   * @param bad places that lost what was written there
   */
  DatasetPlan(
      DatasetEntry entry,
      BlockMap map,
      int comparable,
      Space space,
      BitSet victims,
      MoveQuota quota,
      Set<Long> bad) {
    this.entry = entry;
    this.map = map;
    this.comparable = comparable;
    this.space = space;
    this.victims = victims;
    this.quota = quota;
    this.bad = bad;
    this.inVictims = (place, length) -> space.touches(victims, place, length);
    digestZeros();
  }

  private void digestZeros() {
    int blocks = entry.blocks();
    if (blocks == 0) {
      return;
    }
    digestZeros(entry.blockLength(0), zeroDigest);
    int tail = entry.blockLength(blocks - 1);
    if (tail == entry.blockLength(0)) {
      System.arraycopy(zeroDigest, 0, zeroTailDigest, 0, 2);
    } else {
      digestZeros(tail, zeroTailDigest);
    }
  }

  private void digestZeros(int length, long[] digest) {
    Zeros.digest(entry.spec().algorithm(), length, digest);
  }

  /** The dataset as the new version will have it. */
  public DatasetEntry entry() {
    return entry;
  }

  /** Whether a block was saved before with the same length, so that digests tell if it changed. */
  public boolean isComparable(int block) {
    return block < comparable;
  }

  /** How many blocks were saved before with the same length. */
  public int comparableBlocks() {
    return comparable;
  }

  /** Whether a comparable block still has the digest under which it was saved. */
  public boolean isClean(int block, long low, long high) {
    int slot = entry.slotOf(block);
    return map.hasDigest(slot, low, high)
        || isZeroDigest(block, low, high) && map.place(slot) == BlockMap.ZERO;
  }

  /** The digest under which a comparable block was saved. */
  public long[] savedDigest(int block) {
    int slot = entry.slotOf(block);
    if (map.place(slot) >= 0) {
      return new long[] {map.low(slot), map.high(slot)};
    }
    return (block == entry.blocks() - 1 ? zeroTailDigest : zeroDigest).clone();
  }

  /** Whether this is the digest that a block has if all of it is zero. */
  public boolean isZeroDigest(int block, long low, long high) {
    long[] zero = block == entry.blocks() - 1 ? zeroTailDigest : zeroDigest;
    return zero[0] == low && zero[1] == high;
  }

  /** A block is not clean: the more there are, the more of the others may be moved. */
  public void changed(int block) {
    quota.changed(entry.blockLength(block));
  }

  /**
   * Whether a clean block may have to be written anew: so that the place it is in becomes free, or
   * because what lies there is no longer what was written.
   */
  public boolean mayMove(int block) {
    return isBad(block) || (!victims.isEmpty() && quota.isOpen() && isInVictim(block));
  }

  /**
   * Whether a clean block would be moved, since the file is too long, if anything were known to
   * have changed already: then it is to be looked at once more.
   */
  public boolean waitsToMove(int block) {
    return !victims.isEmpty() && quota.waitsForChange() && isInVictim(block) && !isBad(block);
  }

  /** Whether a clean block is to be written anew; then that is part of what may be moved. */
  public boolean takeToMove(int block) {
    return isBad(block)
        || (!victims.isEmpty() && isInVictim(block) && quota.take(entry.blockLength(block)));
  }

  /**
   * Which of at most 64 comparable blocks, in slots one behind the other, have to be looked at one
   * by one: a bit each, that of the first is the lowest. The others are clean and stay where they
   * are.
   *
   * @param digests of the dataset, those of each block two words
   */
  public long doubtful(int first, int count, long[] digests) {
    long all = count == Long.SIZE ? -1 : (1L << count) - 1;
    if (!bad.isEmpty()) {
      return all;
    }
    int slot = entry.slotOf(first);
    long changed = all & ~map.whichHaveDigests(slot, count, digests, 2 * first);
    if (victims.isEmpty() || !quota.isOpen()) {
      return changed;
    }
    return changed | map.whichLie(slot, count, inVictims);
  }

  private boolean isBad(int block) {
    return !bad.isEmpty() && bad.contains(map.place(entry.slotOf(block)));
  }

  private boolean isInVictim(int block) {
    int slot = entry.slotOf(block);
    long place = map.place(slot);
    return place >= 0 && space.touches(victims, place, BlockMap.storedLength(map.stored(slot)));
  }

  /**
   * Whether all bytes of a block are zero; looked at byte by byte, never inferred from a digest.
   */
  public static boolean isZero(MemorySegment memory, long offset, int length) {
    return Zeros.isZero(memory, offset, length);
  }
}
