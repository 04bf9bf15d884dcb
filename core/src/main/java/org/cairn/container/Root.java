// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.cairn.CorruptContainerException;
import org.cairn.HashAlgorithm;
import org.cairn.record.Feature;
import org.cairn.record.Field;
import org.cairn.record.Fields;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.version.Catalog;
import org.cairn.version.Ownership;
import org.cairn.version.VersionFormat;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;

/**
 * All retained versions, oldest first, and the map records they are made of.
 *
 * <p>The map of a version is what {@code records[base..lastRecord]} say, where {@code base} is the
 * last base at or before {@code lastRecord}, or the first record if there is none.
 */
record Root(
    Ownership ownership,
    List<Feature> features,
    List<MapRef> records,
    List<Entry> versions,
    List<Field> unknown) {
  private static final int FEATURES = 1;
  private static final int OWNERSHIP = 2;
  private static final int RECORDS = 3;
  private static final int VERSIONS = 4;

  /** A root without versions. */
  static Root empty(Ownership ownership) {
    return new Root(ownership, List.of(), List.of(), List.of(), List.of());
  }

  /** The same of another run. */
  Root ownedBy(Ownership next) {
    return new Root(next, features, records, versions, unknown);
  }

  /** The same with these versions, and without the map records that none of them needs. */
  Root with(List<MapRef> newRecords, List<Entry> newVersions) {
    return new Root(ownership, features, newRecords, newVersions, unknown).pruned();
  }

  /** The same, naming what releases must know to read a version with these datasets. */
  Root naming(Catalog catalog) {
    boolean named =
        features.contains(ContainerFormat.SPOOKY)
            || catalog.datasets().stream()
                .noneMatch(dataset -> dataset.spec().algorithm() == HashAlgorithm.SPOOKY_128);
    if (named) {
      return this;
    }
    List<Feature> more = new ArrayList<>(features);
    more.add(ContainerFormat.SPOOKY);
    return new Root(ownership, List.copyOf(more), records, versions, unknown);
  }

  /** A map record: a base says all, a delta what changed since the record before. */
  record MapRef(boolean base, Pointer place) {
    static final int BYTES = 8 + Pointer.BYTES;
  }

  /** A version, the last of its map records, and its catalog. */
  record Entry(VersionInfo info, int lastRecord, Pointer catalog) {}

  /** The records that make the map of a version, in the order in which they apply. */
  List<MapRef> chain(Entry version) {
    return records.subList(firstRecord(version), version.lastRecord + 1);
  }

  /** Whether a version cannot be read without a record. */
  boolean needs(Entry version, Pointer record) {
    return version.catalog.equals(record)
        || chain(version).stream().anyMatch(ref -> ref.place.equals(record));
  }

  private int firstRecord(Entry version) {
    for (int i = version.lastRecord; i > 0; i--) {
      if (records.get(i).base) {
        return i;
      }
    }
    return 0;
  }

  private Root pruned() {
    BitSet needed = new BitSet(records.size());
    versions.forEach(version -> needed.set(firstRecord(version), version.lastRecord + 1));
    int[] renamed = new int[records.size()];
    List<MapRef> kept = new ArrayList<>();
    for (int i = needed.nextSetBit(0); i >= 0; i = needed.nextSetBit(i + 1)) {
      renamed[i] = kept.size();
      kept.add(records.get(i));
    }
    return new Root(
        ownership,
        features,
        kept,
        versions.stream().map(v -> new Entry(v.info, renamed[v.lastRecord], v.catalog)).toList(),
        unknown);
  }

  void write(RecordWriter out) {
    out.putInt(ContainerFormat.TAG_ROOT);
    long start = out.begin();
    long field = out.beginField(FEATURES);
    Feature.write(features, out);
    out.end(field);
    field = out.beginField(OWNERSHIP);
    ownership.write(out);
    out.end(field);
    field = out.beginField(RECORDS);
    for (MapRef record : records) {
      out.putInt(record.base ? 1 : 0).putInt(0);
      record.place.write(out);
    }
    out.end(field);
    field = out.beginField(VERSIONS);
    versions.forEach(version -> write(version, out));
    out.end(field);
    out.putFields(unknown).end(start);
  }

  private static void write(Entry version, RecordWriter out) {
    long start = out.begin();
    version.info.writeKnown(out);
    out.putIntField(VersionInfo.LAST_RECORD, version.lastRecord);
    long field = out.beginField(VersionInfo.CATALOG);
    version.catalog.write(out);
    out.end(field);
    out.putFields(version.info.unknown()).end(start);
  }

  /**
   * Reads a root. What it says of features comes first: whoever must not read the file must not
   * call it damaged either.
   */
  static Root read(RecordReader in) throws IOException {
    in.expectTag(ContainerFormat.TAG_ROOT, "a root");
    Fields fields = Fields.read(in.getCountedRecord());
    in.expectEnd();
    List<Feature> features = Feature.read(fields.get(FEATURES, "list of features"));
    Feature.refuseToRead(features, ContainerFormat.FEATURES, in.file());
    List<Field> unknown = fields.unknown(FEATURES, OWNERSHIP, RECORDS, VERSIONS);
    RecordReader owner = fields.get(OWNERSHIP, "owner");
    Ownership ownership = Ownership.read(owner);
    owner.expectEnd();
    List<MapRef> records = readRecords(fields.get(RECORDS, "list of map records"));
    List<Entry> versions = readVersions(fields.get(VERSIONS, "list of versions"), records.size());
    Root root = new Root(ownership, features, records, versions, unknown);
    root.checkOrder(in);
    root.checkPlaces(in);
    return root;
  }

  private static List<MapRef> readRecords(RecordReader in) throws CorruptContainerException {
    List<MapRef> records = new ArrayList<>();
    while (in.remaining() > 0) {
      boolean base = in.getInt() != 0;
      in.getInt();
      records.add(new MapRef(base, Pointer.read(in)));
    }
    return records;
  }

  private static List<Entry> readVersions(RecordReader in, int recordCount) throws IOException {
    List<Entry> versions = new ArrayList<>();
    while (in.remaining() > 0) {
      if (versions.size() == ContainerFormat.MAX_VERSIONS) {
        throw in.corrupt("more than " + ContainerFormat.MAX_VERSIONS + " versions");
      }
      versions.add(readEntry(in.getCountedRecord(), recordCount));
    }
    return versions;
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
      boolean possible = place.length() > 0 && place.length() <= VersionFormat.MAX_FILE;
      if (!possible || place.offset() < end || place.end() > VersionFormat.MAX_FILE) {
        throw in.corrupt(
            "a record of %d bytes at %d is impossible, or overlaps another"
                .formatted(place.length(), place.offset()));
      }
      end = place.end();
    }
  }

  /** The identities of all versions. */
  Set<VersionId> ids() {
    Set<VersionId> ids = new HashSet<>();
    versions.forEach(version -> ids.add(version.info.id()));
    return ids;
  }

  /**
   * Whether the next root drops a version that has an older one before it. What such a version
   * shares with the older one must stay, and its list of replaced places does not tell; counting
   * anew does.
   *
   * @param remembered older ones that do not matter: what they have is known
   */
  boolean leavesGap(Root next, Set<VersionId> remembered) {
    Set<VersionId> kept = next.ids();
    boolean older = false;
    for (Entry version : versions) {
      boolean stays = kept.contains(version.info.id());
      if (older && !stays) {
        return true;
      }
      older |= stays && !remembered.contains(version.info.id());
    }
    return false;
  }

  /** Where all records lie that this root needs, itself included. */
  Set<Pointer> placesWith(Pointer itself) {
    Set<Pointer> places = places();
    if (!itself.isNone()) {
      places.add(itself);
    }
    return places;
  }

  /** Where all map records and catalogs lie. */
  Set<Pointer> places() {
    Set<Pointer> places = new HashSet<>();
    records.forEach(record -> places.add(record.place));
    versions.forEach(version -> places.add(version.catalog));
    return places;
  }

  private static Entry readEntry(RecordReader in, int recordCount) throws IOException {
    Fields fields = Fields.read(in);
    VersionInfo info = VersionInfo.read(fields);
    RecordReader last = fields.get(VersionInfo.LAST_RECORD, "map record of a version");
    int lastRecord = last.getInt();
    last.expectEnd();
    if (lastRecord < 0 || lastRecord >= recordCount) {
      throw in.corrupt("version " + info.id() + " refers to map record " + lastRecord);
    }
    RecordReader catalog = fields.get(VersionInfo.CATALOG, "catalog of a version");
    Entry entry = new Entry(info, lastRecord, Pointer.read(catalog));
    catalog.expectEnd();
    return entry;
  }
}
