// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.util.Arrays;
import java.util.Random;
import org.cairn.Checkpointer;
import org.cairn.LongCell;
import org.cairn.testkit.random.Seeds;

/**
 * The state of one rank of a small program: an array that grows and shrinks, another that comes and
 * goes, and a mark that tells which step of which life this is. Ranks have different sizes.
 */
final class RankState {
  private static final long[] UNTOUCHED = {42};

  private final int rank;
  private final int usual;
  private long[] grid = new long[0];
  private long[] extra = UNTOUCHED.clone();
  private boolean hasExtra;
  private LongCell mark = new LongCell(new long[1]);

  RankState(int rank) {
    this(rank, 2000 + 700 * rank);
  }

  /** With a first array of so many longs. */
  RankState(int rank, int usual) {
    this.rank = rank;
    this.usual = usual;
  }

  /** What a rank had at one step. */
  record Snapshot(long mark, long[] grid, long[] extra) {
    boolean matches(Snapshot other) {
      return mark == other.mark
          && Arrays.equals(grid, other.grid)
          && Arrays.equals(extra, other.extra);
    }

    @Override
    public String toString() {
      return "mark %d, %d longs %08x, %d longs %08x"
          .formatted(
              mark, grid.length, Arrays.hashCode(grid), extra.length, Arrays.hashCode(extra));
    }
  }

  void protect(Checkpointer cairn) {
    mark = cairn.protect("mark", 0L);
    cairn.protect("grid", long[].class, () -> grid, this::newGrid);
    protectExtra(cairn);
  }

  private void protectExtra(Checkpointer cairn) {
    cairn.protect("extra", long[].class, () -> extra, this::newExtra);
    hasExtra = true;
  }

  private long[] newGrid(long size) {
    grid = new long[(int) size];
    return grid;
  }

  private long[] newExtra(long size) {
    extra = new long[(int) size];
    return extra;
  }

  long mark() {
    return mark.get();
  }

  Snapshot snapshot() {
    return new Snapshot(mark.get(), grid.clone(), hasExtra ? extra.clone() : UNTOUCHED);
  }

  /** What was restored. A dataset that the version did not have must not have been touched. */
  Snapshot restored(Checkpointer cairn, boolean withExtra) {
    Snapshot found = new Snapshot(mark.get(), grid.clone(), extra.clone());
    if (!withExtra) {
      cairn.unprotect("extra");
      hasExtra = false;
    }
    return found;
  }

  /** Computes one step; the same for all that begin with the same state. */
  void advance(Checkpointer cairn, long newMark) {
    mark.set(newMark);
    Random random = Seeds.content(31 * newMark + rank);
    int size = Math.max(40, grid.length == 0 ? usual : grid.length);
    size += random.nextInt(5) == 0 ? random.nextInt(600) - 300 : 0;
    grid = Arrays.copyOf(grid, Math.max(size, 40));
    int changes = random.nextInt(4) == 0 ? grid.length : grid.length / 30;
    for (int i = 0; i < changes; i++) {
      grid[random.nextInt(grid.length)] = random.nextInt(3) == 0 ? 0 : random.nextLong();
    }
    if (random.nextInt(3) == 0) {
      if (hasExtra) {
        cairn.unprotect("extra");
        hasExtra = false;
        extra = UNTOUCHED.clone();
      } else {
        extra = random.longs(random.nextInt(1, 400)).toArray();
        protectExtra(cairn);
      }
    } else if (hasExtra && random.nextBoolean()) {
      extra = random.longs(random.nextInt(1, 400)).toArray();
    }
  }
}
