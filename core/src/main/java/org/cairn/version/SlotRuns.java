// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.util.Arrays;
import org.cairn.supply.Supply;

/** The slots of a dataset, block by block, as runs of consecutive ones. Immutable. */
public final class SlotRuns {
  /** No slots. */
  public static final SlotRuns NONE = new SlotRuns(new int[0], new int[0]);

  private final int[] firsts;

  /** Where each run ends, counted in blocks of the dataset. */
  private final int[] ends;

  private SlotRuns(int[] firsts, int[] ends) {
    this.firsts = firsts;
    this.ends = ends;
  }

  /** How many runs there are. */
  public int runs() {
    return firsts.length;
  }

  /** The first slot of a run. */
  public int first(int run) {
    return firsts[run];
  }

  /** How many slots a run has. */
  public int count(int run) {
    return ends[run] - (run == 0 ? 0 : ends[run - 1]);
  }

  /** How many slots there are. */
  public int blocks() {
    return ends.length == 0 ? 0 : ends[ends.length - 1];
  }

  /** The slot of a block. */
  public int slotOf(int block) {
    assert block >= 0 && block < blocks() : "block " + block + " of " + blocks();
    if (firsts.length == 1) {
      return firsts[0] + block;
    }
    int run = runOf(block);
    return firsts[run] + block - (run == 0 ? 0 : ends[run - 1]);
  }

  /** How many blocks, from this one on, have slots one behind the other. */
  public int contiguousFrom(int block) {
    assert block >= 0 && block < blocks() : "block " + block + " of " + blocks();
    return ends[runOf(block)] - block;
  }

  private int runOf(int block) {
    int found = Arrays.binarySearch(ends, block + 1);
    return found >= 0 ? found : -found - 1;
  }

  /** Calls for each run with the slots it begins and ends before. */
  public void forEach(RunVisitor visitor) {
    for (int run = 0; run < runs(); run++) {
      visitor.run(first(run), first(run) + count(run));
    }
  }

  /** Receives runs of slots. */
  public interface RunVisitor {
    void run(int from, int to);
  }

  /** These runs and one more behind them; adjacent ones become one. */
  public SlotRuns plus(int first, int count) {
    if (count == 0) {
      return this;
    }
    int n = firsts.length;
    if (n > 0 && firsts[n - 1] + count(n - 1) == first) {
      int[] longer = ends.clone();
      longer[n - 1] += count;
      return new SlotRuns(firsts, longer);
    }
    int[] newFirsts = Arrays.copyOf(firsts, n + 1);
    int[] newEnds = Arrays.copyOf(ends, n + 1);
    newFirsts[n] = first;
    newEnds[n] = blocks() + count;
    return new SlotRuns(newFirsts, newEnds);
  }

  /** The slots of the first {@code blocks} blocks. */
  public SlotRuns prefix(int blocks) {
    Builder kept = new Builder(runs());
    for (int run = 0; run < runs() && kept.blocks() < blocks; run++) {
      kept.add(first(run), Math.min(count(run), blocks - kept.blocks()));
    }
    return kept.build();
  }

  /** The slots of the blocks from {@code blocks} on. */
  public SlotRuns suffix(int blocks) {
    Builder rest = new Builder(runs());
    int passed = 0;
    for (int run = 0; run < runs(); run++) {
      int skip = Math.min(count(run), Math.max(0, blocks - passed));
      if (skip < count(run)) {
        rest.add(first(run) + skip, count(run) - skip);
      }
      passed += count(run);
    }
    return rest.build();
  }

  /** Collects runs one by one, in linear time. */
  public static final class Builder {
    private final int[] firsts;
    private final int[] ends;
    private int runs;

    /** For so many runs. */
    public Builder(int capacity) {
      firsts = Supply.ints(capacity);
      ends = Supply.ints(capacity);
    }

    /** Appends a run; false if slots or blocks would pass the largest number there is. */
    public boolean add(int first, int count) {
      long end = (long) count + (runs == 0 ? 0 : ends[runs - 1]);
      if ((long) first + count > VersionFormat.MAX_SLOTS || end > VersionFormat.MAX_SLOTS) {
        return false;
      }
      firsts[runs] = first;
      ends[runs++] = (int) end;
      return true;
    }

    /** How many slots there are so far. */
    public int blocks() {
      return runs == 0 ? 0 : ends[runs - 1];
    }

    /** The runs so far. */
    public SlotRuns build() {
      return new SlotRuns(Arrays.copyOf(firsts, runs), Arrays.copyOf(ends, runs));
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SlotRuns that
        && Arrays.equals(firsts, that.firsts)
        && Arrays.equals(ends, that.ends);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(firsts) + Arrays.hashCode(ends);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int run = 0; run < runs(); run++) {
      text.append(run == 0 ? "" : ", ").append(first(run)).append('+').append(count(run));
    }
    return "[" + text + "]";
  }
}
