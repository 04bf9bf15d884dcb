// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import org.cairn.CorruptContainerException;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.store.StoreFile;
import org.cairn.supply.Supply;
import org.cairn.version.BlockMap;
import org.cairn.version.Catalog;
import org.cairn.version.DatasetEntry;
import org.cairn.version.MapRecord;
import org.cairn.version.RootDigest;
import org.cairn.version.VersionInfo;

/** Reads the records of an open container file, each verified before it is believed. */
final class ContainerFile {
  private final StoreFile file;
  private final String location;

  ContainerFile(StoreFile file, String location) {
    this.file = file;
    this.location = location;
  }

  StoreFile file() {
    return file;
  }

  String location() {
    return location;
  }

  /**
   * The newest superblock whose root can be read, that root, and what was wrong on the way.
   *
   * @param lastSequence of the newest version that any superblock tells of
   */
  record Anchor(
      Superblock superblock,
      Root root,
      List<String> problems,
      long newestEpoch,
      long lastSequence) {}

  Anchor anchor() throws IOException {
    Superblock.Pair pair = Superblock.readBoth(file, location);
    List<String> problems = new ArrayList<>(pair.problems());
    long newestEpoch = pair.readable().stream().mapToLong(Superblock::epoch).max().orElseThrow();
    long lastSequence =
        pair.readable().stream().mapToLong(Superblock::lastSequence).max().orElseThrow();
    CorruptContainerException first = null;
    for (Superblock superblock : pair.readable()) {
      try {
        return new Anchor(superblock, root(superblock), problems, newestEpoch, lastSequence);
      } catch (CorruptContainerException e) {
        problems.add("the list of versions of superblock " + superblock.slot() + ": " + message(e));
        first = first == null ? e : first;
      }
    }
    if (first == null) {
      throw new AssertionError("no superblock, yet no complaint");
    }
    throw first;
  }

  private static String message(CorruptContainerException e) {
    return String.valueOf(e.getMessage());
  }

  private Root root(Superblock superblock) throws IOException {
    try (Arena arena = Supply.confinedArena()) {
      return Root.read(
          record(superblock.root(), "the list of versions", ContainerFormat.MAX_ROOT, arena));
    }
  }

  Catalog catalog(Root.Entry version) throws IOException {
    String what = "the catalog of version " + version.info().id();
    try (Arena arena = Supply.confinedArena()) {
      return Catalog.read(record(version.catalog(), what, ContainerFormat.MAX_CATALOG, arena));
    } catch (OutOfMemoryError e) {
      throw tooLarge(version.catalog(), what, e);
    }
  }

  /** The map of a version, which has every block of its catalog and the right root digest. */
  BlockMap map(Root root, Root.Entry version, Catalog catalog) throws IOException {
    BlockMap map = map(root, version);
    verify(root, version, catalog, map);
    return map;
  }

  /** Refuses a map that is not the one that the version says it has. */
  void verify(Root root, Root.Entry version, Catalog catalog, BlockMap map)
      throws CorruptContainerException {
    refuseSharedPlaces(version, map);
    for (DatasetEntry dataset : catalog.datasets()) {
      int block = map.firstUnfit(dataset);
      if (block >= 0) {
        throw corrupt(
            root,
            version,
            "does not have block %d of \"%s\", %d bytes"
                .formatted(block, dataset.name(), dataset.blockLength(block)));
      }
    }
    VersionInfo info = version.info();
    VersionView view = new VersionView(this, info, catalog, map);
    Digest told = new Digest(info.digestLow(), info.digestHigh());
    if (!RootDigest.holds(digest -> digest.add(view), told)) {
      throw corrupt(
          root,
          version,
          "has root digest %s, expected %016x%016x"
              .formatted(RootDigest.of(view), info.digestHigh(), info.digestLow()));
    }
  }

  /**
   * Each block has its place to itself; otherwise freeing one would give another away, and a file
   * of a few bytes could make a reader read them over and over.
   */
  private void refuseSharedPlaces(Root.Entry version, BlockMap map)
      throws CorruptContainerException {
    if (ExtentList.joined(map).firstOverlap() >= 0) {
      ExtentList all = new ExtentList();
      map.forEachExtent(all);
      long shared = all.firstOverlap();
      throw new CorruptContainerException(
          location, shared, "two blocks of version " + version.info().id() + " overlap");
    }
  }

  private CorruptContainerException corrupt(Root root, Root.Entry version, String what) {
    return new CorruptContainerException(
        location,
        root.records().get(version.lastRecord()).place().offset(),
        "the block map of version %s %s".formatted(version.info().id(), what));
  }

  /**
   * What the map records of a version say, whether or not it is what the version says.
   *
   * @throws IOException without a word of damage, if this JVM has too little memory: others may
   *     read the file, and nobody must fall back to an older version for that
   */
  BlockMap map(Root root, Root.Entry version) throws IOException {
    // Two of them may be needed at a time, and some memory beside.
    BlockMap map = new BlockMap(Runtime.getRuntime().maxMemory() / 5 * 2);
    apply(root.chain(version), version, map);
    map.lift();
    return map;
  }

  /**
   * Lets a map follow records.
   *
   * @param version whose records they are, for messages
   */
  void apply(List<Root.MapRef> refs, Root.Entry version, MapRecord.Visitor map) throws IOException {
    String what = "the block map of version " + version.info().id();
    for (Root.MapRef ref : refs) {
      try (Arena arena = Supply.confinedArena()) {
        RecordReader record = record(ref.place(), what, ContainerFormat.MAX_MAP_RECORD, arena);
        MapRecord.read(record, ref.base(), map);
      } catch (OutOfMemoryError | BlockMap.TooLargeException e) {
        throw tooLarge(ref.place(), what, e);
      }
    }
  }

  private IOException tooLarge(Pointer place, String what, Throwable e) {
    return new IOException(
        "%s: %s, a record of %d bytes at offset %d, is too much for %d bytes of memory; give the JVM more (-Xmx)"
            .formatted(
                location, what, place.length(), place.offset(), Runtime.getRuntime().maxMemory()),
        e);
  }

  /** A bad sector is damage like any other: an older version may be fine. */
  private long read(Pointer place, String what, MemorySegment bytes) throws IOException {
    try {
      return file.read(place.offset(), bytes);
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      CorruptContainerException corrupt =
          new CorruptContainerException(
              location, place.offset(), what + " cannot be read: " + e.getMessage());
      corrupt.initCause(e);
      throw corrupt;
    }
  }

  /** Reads a record, after comparing it with its checksum, into memory of {@code arena}. */
  RecordReader record(Pointer place, String what, long limit, Arena arena) throws IOException {
    // Before allocating: a damaged or hostile pointer may claim any length.
    if (place.length() > limit) {
      throw new CorruptContainerException(
          location,
          place.offset(),
          "%s claims %d bytes; it has at most %d".formatted(what, place.length(), limit));
    }
    long size = file.size();
    if (place.offset() < ContainerFormat.FIRST_EXTENT
        || place.length() <= 0
        || place.offset() > size - place.length()) {
      throw new CorruptContainerException(
          location,
          place.offset(),
          "%s should be %d bytes, but the file ends at %d".formatted(what, place.length(), size));
    }
    MemorySegment bytes = arena.allocate(place.length(), 8);
    long count = read(place, what, bytes);
    Digest checksum = new Digest(place.checksumLow(), place.checksumHigh());
    if (count < place.length() || !checksum.isOf(bytes)) {
      throw new CorruptContainerException(
          location,
          place.offset(),
          "%s has checksum %s, expected %s".formatted(what, Digest.of(bytes), checksum));
    }
    return new RecordReader(bytes, location, place.offset());
  }
}
