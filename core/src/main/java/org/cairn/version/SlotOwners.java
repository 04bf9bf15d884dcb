// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.util.Arrays;
import java.util.Collection;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * Slot → dataset and block, for one catalog: what a map, which knows slots only, needs to take part
 * in a {@link RootDigest}. For one thread at a time; asking makes no garbage.
 */
public final class SlotOwners {
  /** No slot is anybody's. */
  public static final SlotOwners NOBODY = of(Catalog.EMPTY);

  private final DatasetSpec[] datasets;
  private final RootDigest.@Nullable Key[] keys;

  /**
   * Runs of slots in ascending order: where each begins and ends, whose it is, from which block.
   */
  private final int[] firsts;

  private final int[] ends;
  private final int[] owners;
  private final int[] blocks;

  /** The run that the last slot was found in; the next slot is mostly in it too. */
  private int run;

  private SlotOwners(DatasetSpec[] datasets, int runs) {
    this.datasets = datasets;
    this.keys = new RootDigest.Key[datasets.length];
    firsts = Supply.ints(runs);
    ends = Supply.ints(runs);
    owners = Supply.ints(runs);
    blocks = Supply.ints(runs);
  }

  /** Whose slots are whose in a version with this catalog. */
  public static SlotOwners of(Catalog catalog) {
    return of(catalog.datasets());
  }

  /** Whose slots are whose in a version with these datasets. */
  public static SlotOwners of(Collection<DatasetEntry> catalog) {
    DatasetEntry[] entries = catalog.toArray(DatasetEntry[]::new);
    DatasetSpec[] datasets = new DatasetSpec[entries.length];
    int runs = 0;
    for (int i = 0; i < entries.length; i++) {
      datasets[i] = entries[i].spec();
      runs += entries[i].slots().runs();
    }
    SlotOwners found = new SlotOwners(datasets, runs);
    found.fill(entries);
    return found;
  }

  private void fill(DatasetEntry[] entries) {
    // First slot and dataset as one number, so that runs can be sorted without objects.
    long[] order = Supply.longs(firsts.length);
    int runs = 0;
    for (int i = 0; i < entries.length; i++) {
      SlotRuns slots = entries[i].slots();
      for (int one = 0; one < slots.runs(); one++) {
        order[runs++] = (long) slots.first(one) << 32 | i;
      }
    }
    Arrays.sort(order);
    for (int i = 0; i < runs; i++) {
      firsts[i] = (int) (order[i] >>> 32);
      owners[i] = (int) order[i];
    }
    for (int i = 0; i < entries.length; i++) {
      fill(entries[i].slots());
    }
  }

  private void fill(SlotRuns slots) {
    int block = 0;
    for (int one = 0; one < slots.runs(); one++) {
      int at = Arrays.binarySearch(firsts, slots.first(one));
      ends[at] = slots.first(one) + slots.count(one);
      blocks[at] = block;
      block += slots.count(one);
    }
  }

  /** Looks for the owner of a slot; {@link #key} and {@link #block} then tell. */
  public boolean find(int slot) {
    if (run < firsts.length && slot >= firsts[run] && slot < ends[run]) {
      return true;
    }
    int found = Arrays.binarySearch(firsts, slot);
    int candidate = found >= 0 ? found : -found - 2;
    if (candidate < 0 || slot >= ends[candidate]) {
      return false;
    }
    run = candidate;
    return true;
  }

  /** How many slots from this one on are of the same run of one owner, or nobody's as it is. */
  public int sameFrom(int slot) {
    if (find(slot)) {
      return ends[run] - slot;
    }
    int found = Arrays.binarySearch(firsts, slot);
    int next = -found - 1;
    return next < firsts.length ? firsts[next] - slot : Integer.MAX_VALUE - slot;
  }

  /** The first slot from this one on that a dataset has; -1 if there is none. */
  public int next(int slot) {
    if (find(slot)) {
      return slot;
    }
    int after = -Arrays.binarySearch(firsts, slot) - 1;
    return after < firsts.length ? firsts[after] : -1;
  }

  /** The first slot behind all that datasets have. */
  public int end() {
    return ends.length == 0 ? 0 : ends[ends.length - 1];
  }

  /** The dataset that was found. */
  public DatasetSpec spec() {
    return datasets[owners[run]];
  }

  /** The key of the dataset that was found. */
  public RootDigest.Key key() {
    RootDigest.Key key = keys[owners[run]];
    if (key == null) {
      key = RootDigest.Key.of(datasets[owners[run]]);
      keys[owners[run]] = key;
    }
    return key;
  }

  /** Which block of the dataset that was found lies in the slot that was looked for. */
  public int block(int slot) {
    return blocks[run] + slot - firsts[run];
  }

  /** Memory taken, for reports. */
  public long memoryBytes() {
    return 16L * firsts.length + 48L * keys.length;
  }
}
