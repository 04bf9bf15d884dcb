// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.transfer;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.cairn.container.VersionView;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetEntry;
import org.cairn.version.Delta;
import org.cairn.version.VersionMap;
import org.jspecify.annotations.Nullable;

/** The blocks of a version that another rank does not have; without an object for each. */
final class Selection {
  private final List<DatasetEntry> datasets;
  private final Map<DatasetEntry, Integer> numbers = new IdentityHashMap<>();

  /** Dataset and block in one number. */
  private long[] chosen = new long[64];

  private int count;

  private Selection(VersionView version) {
    this.datasets = new ArrayList<>(version.datasets());
    datasets.forEach(dataset -> numbers.put(dataset, numbers.size()));
  }

  /** What leads to a version. */
  static Selection of(Delta delta, VersionView changed) {
    Selection selection = new Selection(changed);
    delta.<RuntimeException>forEachChanged(selection::add);
    return selection;
  }

  /**
   * What a comparison of maps finds.
   *
   * @param base what the other rank has; null if it has nothing
   * @param lost slots whose blocks it has no more, though they did not change
   */
  static Selection between(@Nullable VersionMap base, VersionView version, Set<Integer> lost) {
    Selection selection = new Selection(version);
    Set<Integer> left = new HashSet<>(lost);
    version.<RuntimeException>forEachChanged(
        base,
        (dataset, block) -> {
          left.remove(dataset.slotOf(block));
          selection.add(dataset, block);
        });
    selection.addLost(left);
    return selection;
  }

  private void addLost(Set<Integer> lost) {
    for (DatasetEntry dataset : datasets) {
      for (int block = 0; block < dataset.blocks() && !lost.isEmpty(); block++) {
        if (lost.contains(dataset.slotOf(block))) {
          add(dataset, block);
        }
      }
    }
  }

  private void add(DatasetEntry dataset, int block) {
    long one = (long) numbers.get(dataset) << 32 | block;
    if (count == chosen.length) {
      chosen = Supply.copy(chosen, 2 * count);
    }
    chosen[count++] = one;
  }

  int count() {
    return count;
  }

  /** The number of the dataset, as the head of the version has them. */
  int number(int index) {
    return (int) (chosen[index] >>> 32);
  }

  DatasetEntry dataset(int index) {
    return datasets.get(number(index));
  }

  int block(int index) {
    return (int) chosen[index];
  }
}
