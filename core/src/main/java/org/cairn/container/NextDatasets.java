// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import org.cairn.record.Field;
import org.cairn.version.Catalog;
import org.cairn.version.DatasetEntry;
import org.cairn.version.DatasetSpec;
import org.cairn.version.MapRecord;
import org.cairn.version.SlotOwners;
import org.cairn.version.SlotRuns;
import org.cairn.version.VersionFormat;
import org.jspecify.annotations.Nullable;

/**
 * The datasets of a version in the making: which slots their blocks get, and which are given up.
 */
final class NextDatasets {
  private final Catalog before;
  private final SlotSpace slots;
  private final LinkedHashMap<String, DatasetEntry> datasets = new LinkedHashMap<>();
  private final SlotReleases released = new SlotReleases();
  private long blocks;

  NextDatasets(Holdings held) {
    this.before = held.catalog();
    this.slots = held.slots();
  }

  /** Adds a dataset, and gives its blocks slots. */
  DatasetEntry add(DatasetSpec spec) {
    if (datasets.containsKey(spec.name())) {
      throw new IllegalStateException("dataset \"" + spec.name() + "\" was added before");
    }
    refuseDatasets(datasets.size() + 1);
    if (spec.blocks() > VersionFormat.MAX_SLOTS) {
      throw new IllegalArgumentException(
          "dataset \"%s\" has %d blocks; choose a larger block size"
              .formatted(spec.name(), spec.blocks()));
    }
    DatasetEntry old = before.find(spec.name());
    DatasetEntry entry = new DatasetEntry(spec, slotsFor(spec, old), unknownFields(spec, old));
    datasets.put(spec.name(), entry);
    blocks += entry.blocks();
    return entry;
  }

  /** Takes all datasets of another container's version, in the slots that they have there. */
  void copy(Collection<DatasetEntry> entries) {
    if (!datasets.isEmpty()) {
      throw new IllegalStateException("datasets were added before");
    }
    refuseDatasets(entries.size());
    for (DatasetEntry entry : entries) {
      datasets.put(entry.name(), entry);
      blocks += entry.blocks();
    }
  }

  private static void refuseDatasets(int count) {
    if (count > VersionFormat.MAX_DATASETS) {
      throw new IllegalArgumentException(
          "a version has at most %d datasets; put several into one"
              .formatted(VersionFormat.MAX_DATASETS));
    }
  }

  /** What a later release said of a dataset holds as long as the dataset is the same. */
  private static List<Field> unknownFields(DatasetSpec spec, @Nullable DatasetEntry old) {
    return old != null && old.spec().equals(spec) ? old.unknown() : List.of();
  }

  private static boolean sameBlocks(DatasetSpec spec, @Nullable DatasetEntry old) {
    return old != null
        && old.spec().blockSize() == spec.blockSize()
        && old.spec().algorithm() == spec.algorithm();
  }

  private SlotRuns slotsFor(DatasetSpec spec, @Nullable DatasetEntry old) {
    int count = (int) spec.blocks();
    if (old == null) {
      return slots.take(SlotRuns.NONE, count);
    }
    if (!sameBlocks(spec, old)) {
      released.add(old.slots());
      return slots.take(SlotRuns.NONE, count);
    }
    int kept = Math.min(count, old.blocks());
    if (old.blocks() == kept && count == kept) {
      return old.slots();
    }
    released.add(old.slots().suffix(kept));
    return slots.take(old.slots().prefix(kept), count - kept);
  }

  /**
   * How many blocks of a dataset there are digests to compare with. A last block that was or is
   * short has another length now, and none.
   */
  int comparableBlocks(DatasetSpec spec) {
    DatasetEntry old = before.find(spec.name());
    if (old == null || !sameBlocks(spec, old)) {
      return 0;
    }
    if (old.spec().byteLength() == spec.byteLength()) {
      return old.blocks();
    }
    return (int) (Math.min(old.spec().byteLength(), spec.byteLength()) / spec.blockSize());
  }

  /** Gives up what no dataset has any more: all were added. */
  void complete(boolean copied) {
    if (!copied) {
      releaseAbsent();
    } else {
      releaseUncopied();
    }
  }

  private void releaseAbsent() {
    for (DatasetEntry old : before.datasets()) {
      if (!datasets.containsKey(old.name())) {
        released.add(old.slots());
      }
    }
  }

  /** In a copy a slot may have gone from one dataset to another; what no dataset has is free. */
  private void releaseUncopied() {
    SlotOwners owners = SlotOwners.of(catalog());
    for (DatasetEntry old : before.datasets()) {
      old.slots().forEach((from, to) -> releaseUnowned(owners, from, to));
    }
  }

  private void releaseUnowned(SlotOwners owners, int from, int to) {
    int slot = from;
    while (slot < to) {
      int some = Math.min(owners.sameFrom(slot), to - slot);
      if (!owners.find(slot)) {
        released.add(SlotRuns.NONE.plus(slot, some));
      }
      slot += some;
    }
  }

  /** Says which slots are given up. */
  void describeReleased(MapRecord.Visitor out) {
    released.describe(out);
  }

  SlotRuns released() {
    return released.all();
  }

  Collection<DatasetEntry> all() {
    return datasets.values();
  }

  Catalog catalog() {
    return new Catalog(datasets);
  }

  long blocks() {
    return blocks;
  }
}
