// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.cairn.record.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.version.Ownership;

/**
 * All retained versions, oldest first, and the map records they are made of.
 *
 * <p>The map of a version is what {@code records[base..lastRecord]} say, where {@code base} is the
 * last base at or before {@code lastRecord}, or the first record if there is none.
 */
record Root(Ownership ownership, List<MapRef> records, List<Entry> versions) {
  /** A root without versions. */
  static Root empty(Ownership ownership) {
    return new Root(ownership, List.of(), List.of());
  }

  /** A map record: a base says all, a delta what changed since the record before. */
  record MapRef(boolean base, Pointer place) {
    static final int BYTES = 8 + Pointer.BYTES;
  }

  /** A version, the last of its map records, and its catalog. */
  record Entry(VersionInfo info, int lastRecord, Pointer catalog) {
    static final int BYTES = VersionInfo.BYTES + 8 + Pointer.BYTES;
  }

  /** The records that make the map of a version, in the order in which they apply. */
  List<MapRef> chain(Entry version) {
    return records.subList(firstRecord(version), version.lastRecord + 1);
  }

  private int firstRecord(Entry version) {
    for (int i = version.lastRecord; i > 0; i--) {
      if (records.get(i).base) {
        return i;
      }
    }
    return 0;
  }

  /** The same without the map records that no version needs. */
  Root pruned() {
    int[] renamed = new int[records.size()];
    List<MapRef> kept = new ArrayList<>();
    for (int i = 0; i < records.size(); i++) {
      int record = i;
      boolean needed =
          versions.stream().anyMatch(v -> firstRecord(v) <= record && record <= v.lastRecord);
      renamed[i] = needed ? kept.size() : -1;
      if (needed) {
        kept.add(records.get(i));
      }
    }
    return new Root(
        ownership,
        kept,
        versions.stream().map(v -> new Entry(v.info, renamed[v.lastRecord], v.catalog)).toList());
  }

  void write(RecordWriter out) {
    out.putInt(ContainerFormat.TAG_ROOT);
    out.putInt(records.size());
    out.putInt(versions.size());
    out.putInt(0);
    for (MapRef record : records) {
      out.putInt(record.base ? 1 : 0);
      out.putInt(0);
      record.place.write(out);
    }
    for (Entry version : versions) {
      version.info.write(out);
      out.putInt(version.lastRecord);
      out.putInt(0);
      version.catalog.write(out);
    }
    ownership.write(out);
  }

  static Root read(RecordReader in) throws CorruptContainerException {
    in.expectTag(ContainerFormat.TAG_ROOT, "a root");
    int recordCount = in.getCount(MapRef.BYTES);
    int versionCount = in.getCount(Entry.BYTES);
    in.getInt();
    List<MapRef> records = new ArrayList<>(recordCount);
    for (int i = 0; i < recordCount; i++) {
      boolean base = in.getInt() != 0;
      in.getInt();
      records.add(new MapRef(base, Pointer.read(in)));
    }
    List<Entry> versions = new ArrayList<>(versionCount);
    for (int i = 0; i < versionCount; i++) {
      versions.add(readEntry(in, recordCount));
    }
    Ownership ownership = Ownership.read(in);
    in.expectEnd();
    Root root = new Root(ownership, records, versions);
    root.checkOrder(in);
    root.checkPlaces(in);
    return root;
  }

  /** Versions only grow, and each is made of a bounded number of records of its own. */
  private void checkOrder(RecordReader in) throws CorruptContainerException {
    for (int i = 0; i < versions.size(); i++) {
      Entry version = versions.get(i);
      Entry before = i == 0 ? null : versions.get(i - 1);
      if (before != null
          && (before.info.id().compareTo(version.info.id()) >= 0
              || before.lastRecord >= version.lastRecord)) {
        throw in.corrupt("version " + version.info.id() + " after " + before.info.id());
      }
      int length = version.lastRecord + 1 - firstRecord(version);
      if (length > ContainerFormat.MAX_CHAIN) {
        throw in.corrupt("version " + version.info.id() + " has " + length + " map records");
      }
    }
  }

  /** Records lie in the file, and nowhere twice: so reading all takes no longer than the file. */
  private void checkPlaces(RecordReader in) throws CorruptContainerException {
    if (records.stream().distinct().count() != records.size()) {
      throw in.corrupt("a map record is listed twice");
    }
    List<Pointer> sorted = new ArrayList<>(places());
    sorted.sort(Comparator.comparingLong(Pointer::offset));
    long end = ContainerFormat.FIRST_EXTENT;
    for (Pointer place : sorted) {
      boolean possible = place.length() > 0 && place.length() <= ContainerFormat.MAX_FILE;
      if (!possible || place.offset() < end || place.end() > ContainerFormat.MAX_FILE) {
        throw in.corrupt(
            "a record of %d bytes at %d is impossible, or overlaps another"
                .formatted(place.length(), place.offset()));
      }
      end = place.end();
    }
  }

  /** Where all map records and catalogs lie. */
  Set<Pointer> places() {
    Set<Pointer> places = new HashSet<>();
    records.forEach(record -> places.add(record.place));
    versions.forEach(version -> places.add(version.catalog));
    return places;
  }

  private static Entry readEntry(RecordReader in, int recordCount)
      throws CorruptContainerException {
    VersionInfo info = VersionInfo.read(in);
    int lastRecord = in.getInt();
    in.getInt();
    if (lastRecord < 0 || lastRecord >= recordCount) {
      throw in.corrupt("version " + info.id() + " refers to map record " + lastRecord);
    }
    return new Entry(info, lastRecord, Pointer.read(in));
  }
}
