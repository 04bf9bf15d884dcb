// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.cairn.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.jspecify.annotations.Nullable;

/** The datasets of a version by name. Immutable once built. */
public final class Catalog {
  /** No datasets. */
  public static final Catalog EMPTY = new Catalog(new LinkedHashMap<>());

  private final Map<String, DatasetEntry> datasets;

  /** These datasets, by name; whoever made the map does not change it any more. */
  public Catalog(LinkedHashMap<String, DatasetEntry> datasets) {
    this.datasets = Collections.unmodifiableMap(datasets);
  }

  /** These datasets, in their order. */
  static Catalog of(Collection<DatasetEntry> datasets) {
    LinkedHashMap<String, DatasetEntry> byName = LinkedHashMap.newLinkedHashMap(datasets.size());
    datasets.forEach(dataset -> byName.put(dataset.name(), dataset));
    return new Catalog(byName);
  }

  /** The datasets in the order in which they were saved. */
  public Collection<DatasetEntry> datasets() {
    return datasets.values();
  }

  /** The dataset of this name; null if there is none. */
  public @Nullable DatasetEntry find(String name) {
    return datasets.get(name);
  }

  /** Writes the record. */
  public void write(RecordWriter out) {
    out.putInt(VersionFormat.TAG_CATALOG);
    out.putInt(datasets.size());
    datasets.values().forEach(dataset -> dataset.write(out));
  }

  /** Reads the record. */
  public static Catalog read(RecordReader in) throws IOException {
    in.expectTag(VersionFormat.TAG_CATALOG, "a catalog");
    int count = in.getCount(DatasetEntry.MIN_BYTES);
    if (count > VersionFormat.MAX_DATASETS) {
      throw in.corrupt(
          "%d datasets; there are at most %d".formatted(count, VersionFormat.MAX_DATASETS));
    }
    LinkedHashMap<String, DatasetEntry> datasets = new LinkedHashMap<>();
    long slots = 0;
    for (int i = 0; i < count; i++) {
      DatasetEntry dataset = DatasetEntry.read(in.getCountedRecord());
      slots += dataset.blocks();
      if (datasets.put(dataset.name(), dataset) != null) {
        throw in.corrupt("two datasets are called \"" + dataset.name() + "\"");
      }
    }
    if (slots > VersionFormat.MAX_SLOTS) {
      throw in.corrupt("the datasets claim " + slots + " blocks");
    }
    in.expectEnd();
    refuseSharedSlots(datasets.values(), in);
    return new Catalog(datasets);
  }

  /** Each block has its slot to itself; otherwise saving one would lose another. */
  private static void refuseSharedSlots(Collection<DatasetEntry> datasets, RecordReader in)
      throws CorruptContainerException {
    long[] runs =
        datasets.stream()
            .map(DatasetEntry::slots)
            .flatMapToLong(
                slots ->
                    IntStream.range(0, slots.runs())
                        .mapToLong(run -> (long) slots.first(run) << 32 | slots.count(run)))
            .sorted()
            .toArray();
    for (int i = 1; i < runs.length; i++) {
      if ((runs[i - 1] >>> 32) + (int) runs[i - 1] > runs[i] >>> 32) {
        throw in.corrupt("slot " + (runs[i] >>> 32) + " belongs to two blocks");
      }
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Catalog that
        && datasets.size() == that.datasets.size()
        && datasets.equals(that.datasets);
  }

  @Override
  public int hashCode() {
    return datasets.hashCode();
  }
}
