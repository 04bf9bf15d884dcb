// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import static java.util.stream.Collectors.toSet;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.cairn.CorruptContainerException;
import org.cairn.record.RecordReader;
import org.cairn.supply.Supply;
import org.cairn.version.BlockMap;
import org.cairn.version.Catalog;
import org.cairn.version.DatasetEntry;
import org.cairn.version.MapRecord;
import org.jspecify.annotations.Nullable;

/**
 * Brings what is bad in a container to new places, for all versions that have it.
 *
 * <p>Finds good bytes for each bad block, writes them to free space where they are not in the file
 * yet, then every map record that mentions a bad place once more with the good one, then a root
 * that lists these records instead, then the superblock. Nothing is overwritten: until the
 * superblock is durable the file is as it was. Versions share records as they share blocks, so one
 * replacement heals all that have the block, and no other.
 *
 * <p>For one use, with the lock of the container held and no commit open.
 */
final class Mending {
  private final Holdings held;
  private final ContainerWriter writer;
  private final BlockSource elsewhere;
  private final boolean last;
  private final Rot rot;
  private final Root root;
  private final Set<Long> badPlaces;
  private final Collection<BadBlock> badBlocks;

  /** Bad blocks that a version refers to. */
  private final Set<BadBlock> wanted = new HashSet<>();

  /** Of these, by the bad place, where the good bytes are. */
  private final Moves moves = new Moves();

  /** Of those whose good bytes are not in the file, what they are. */
  private final Map<BadBlock, byte[]> found = new LinkedHashMap<>();

  /** Records that cannot be read at all, with what ails them. */
  private final Map<Pointer, String> unreadable = new LinkedHashMap<>();

  private final Set<Pointer> rewritten = new HashSet<>();

  /**
   * The mending of a held.
   *
   * @param last whether there will be no commit that could bring good bytes from memory
   */
  Mending(Holdings held, BlockSource elsewhere, boolean last) {
    this.held = held;
    this.writer = held.writer();
    this.elsewhere = elsewhere;
    this.last = last;
    this.rot = held.rot();
    this.root = held.root();
    this.badPlaces = rot.places();
    this.badBlocks = rot.blocks();
  }

  /** Where a block is now. */
  private record Home(int slot, long place, int stored) {}

  /** Bad place → good place. */
  static final class Moves {
    private final Map<Long, Home> homes = new HashMap<>();

    private @Nullable Home of(int slot, long place) {
      Home home = homes.get(place);
      return home != null && home.slot == slot ? home : null;
    }

    /** Lets a map in memory say what the records say now. */
    void apply(BlockMap map) {
      homes.forEach(
          (place, home) -> {
            if (map.place(home.slot) == place) {
              map.block(
                  home.slot,
                  0, // a map does not keep it
                  home.stored,
                  home.place,
                  map.low(home.slot),
                  map.high(home.slot));
            }
          });
    }

    /** Passes on what a record says, with good places. */
    MapRecord.Visitor into(MapRecord.Visitor out) {
      return new MapRecord.Visitor() {
        @Override
        public void block(int slot, int length, int stored, long place, long low, long high) {
          Home home = of(slot, place);
          out.block(
              slot,
              length,
              home == null ? stored : home.stored,
              home == null ? place : home.place,
              low,
              high);
        }

        @Override
        public void zeros(int first, int count, int length) {
          out.zeros(first, count, length);
        }

        @Override
        public void released(int first, int count) {
          out.released(first, count);
        }
      };
    }

    /** Notes whether a record mentions a place that changed. */
    MapRecord.Visitor watching(boolean[] mentioned) {
      return new MapRecord.Visitor() {
        @Override
        public void block(int slot, int length, int stored, long place, long low, long high) {
          mentioned[0] |= of(slot, place) != null;
        }

        @Override
        public void zeros(int first, int count, int length) {}

        @Override
        public void released(int first, int count) {}
      };
    }
  }

  void run() throws IOException {
    try (BlockCheck check = new BlockCheck()) {
      for (Root.Entry version : root.versions().reversed()) {
        look(version, check);
      }
      badBlocks.stream().filter(bad -> !wanted.contains(bad)).forEach(rot::forget);
      lookElsewhere(check);
    }
    Set<Pointer> listed = root.places();
    rot.records().keySet().stream().filter(bad -> !listed.contains(bad)).forEach(rot::forget);
    findUnreadable();
    if (!moves.homes.isEmpty() || !found.isEmpty() || hasRecords() || rot.anchor() != null) {
      write();
    }
    tellLost();
  }

  // ---------------------------------------------------------------- looking for good bytes

  private void look(Root.Entry version, BlockCheck check) throws IOException {
    if (badBlocks.isEmpty()) {
      return;
    }
    boolean resident = version.equals(held.base().version());
    try {
      Catalog catalog = resident ? held.catalog() : held.records().catalog(version);
      BlockMap map = resident ? held.map() : held.records().map(root, version);
      VersionView view = new VersionView(held.records(), version.info(), catalog, map);
      for (BadBlock bad : badBlocks) {
        look(bad, view, check);
      }
    } catch (CorruptContainerException e) {
      // Nobody can say what such a version refers to.
      return;
    }
  }

  private void look(BadBlock bad, VersionView view, BlockCheck check) throws IOException {
    long place = view.map().place(bad.slot());
    if (place == bad.place()) {
      wanted.add(bad);
      return;
    }
    DatasetEntry entry = view.catalog().find(bad.dataset());
    if (place < 0
        || moves.homes.containsKey(bad.place())
        || badPlaces.contains(place)
        || entry == null
        || !bad.isSameAs(view, entry)
        || entry.slotOf(bad.block()) != bad.slot()) {
      return;
    }
    int stored = view.map().stored(bad.slot());
    BlockCheck.Expected expected =
        new BlockCheck.Expected(
            place, stored, bad.length(), bad.algorithm(), bad.low(), bad.high());
    if (check.read(held.records(), expected) == null) {
      moves.homes.put(bad.place(), new Home(bad.slot(), place, stored));
    }
  }

  private void lookElsewhere(BlockCheck check) {
    moves.homes.keySet().retainAll(wanted.stream().map(BadBlock::place).collect(toSet()));
    for (BadBlock bad : wanted) {
      if (!moves.homes.containsKey(bad.place())) {
        bytes(bad)
            .filter(bytes -> bytes.byteSize() == bad.length())
            .filter(bytes -> check.compare(bytes, bad.algorithm(), bad.low(), bad.high()) == null)
            .ifPresent(bytes -> found.put(bad, copy(bytes)));
      }
    }
  }

  private Optional<MemorySegment> bytes(BadBlock bad) {
    byte[] rescued = rot.rescued(bad.place());
    return rescued != null ? Optional.of(MemorySegment.ofArray(rescued)) : elsewhere.find(bad);
  }

  private static byte[] copy(MemorySegment bytes) {
    return bytes.toArray(ValueLayout.JAVA_BYTE);
  }

  private void findUnreadable() throws IOException {
    for (Map.Entry<Pointer, String> bad : rot.records().entrySet()) {
      try (Arena arena = Supply.confinedArena()) {
        read(bad.getKey(), arena);
      } catch (CorruptContainerException e) {
        unreadable.put(bad.getKey(), bad.getValue());
      }
    }
  }

  /** A record as the system's memory has it, or as it was when it was last seen well. */
  private RecordReader read(Pointer place, Arena arena) throws IOException {
    try {
      return held.records().record(place, "a record", ContainerFormat.MAX_MAP_RECORD, arena);
    } catch (CorruptContainerException e) {
      byte[] rescued = rot.rescued(place.offset());
      if (rescued == null || rescued.length != place.length()) {
        throw e;
      }
      MemorySegment bytes =
          arena.allocate(rescued.length, 8).copyFrom(MemorySegment.ofArray(rescued));
      return new RecordReader(bytes, writer.location(), place.offset());
    }
  }

  /** Whether there are bad records for which there is something to be done. */
  private boolean hasRecords() {
    Pointer ours = held.base().version() == null ? null : held.base().version().catalog();
    return rot.records().keySet().stream()
        .anyMatch(bad -> !unreadable.containsKey(bad) || bad.equals(ours) || mustRebase());
  }

  // ---------------------------------------------------------------- writing

  private void write() throws IOException {
    Space space = held.space();
    Pointer oldRoot = writer.superblock().root();
    Space.Mark mark = space.begin();
    Root mended;
    try {
      for (Map.Entry<BadBlock, byte[]> one : found.entrySet()) {
        store(one.getKey(), one.getValue());
      }
      List<Root.MapRef> records = records();
      Map<Pointer, Pointer> catalogs = catalogs();
      List<Root.Entry> versions = new ArrayList<>();
      for (Root.Entry version : root.versions()) {
        Pointer catalog = catalogs.getOrDefault(version.catalog(), version.catalog());
        versions.add(new Root.Entry(version.info(), version.lastRecord(), catalog));
      }
      if (mustRebase()) {
        Root.Entry newest = versions.removeLast();
        records.add(new Root.MapRef(true, writeBase()));
        versions.add(new Root.Entry(newest.info(), records.size() - 1, newest.catalog()));
      }
      mended = root.with(records, versions);
      Pointer place = writer.writeRoot(mended);
      writer.force();
      writer.writeSuperblock(place);
      if (rot.anchor() != null) {
        writer.writeSuperblock(place); // in the other slot too
      }
    } catch (IOException | RuntimeException | Error e) {
      space.abort(mark);
      held.cutTail();
      throw e;
    }
    for (BadBlock bad : wanted) {
      if (moves.homes.containsKey(bad.place())) {
        held.ledger().avoid(bad.place(), bad.storedLength());
        rot.healed(bad);
      }
    }
    rewritten.forEach(rot::healed);
    rot.healedAnchor();
    held.follow(mended, oldRoot, moves);
  }

  /** As they are, without coding: it is rare, and the next change codes the block again. */
  private void store(BadBlock bad, byte[] bytes) throws IOException {
    Space.Extent extent = held.space().take(bytes.length, bytes.length);
    writer.file().write(extent.offset(), MemorySegment.ofArray(bytes));
    moves.homes.put(
        bad.place(), new Home(bad.slot(), extent.offset(), BlockMap.stored(0, bytes.length)));
  }

  private List<Root.MapRef> records() throws IOException {
    List<Root.MapRef> records = new ArrayList<>();
    for (Root.MapRef record : root.records()) {
      records.add(
          unreadable.containsKey(record.place())
              ? record
              : new Root.MapRef(record.base(), mended(record)));
    }
    return records;
  }

  private Pointer mended(Root.MapRef record) throws IOException {
    boolean[] mentioned = {rot.records().containsKey(record.place())};
    try (Arena arena = Supply.confinedArena()) {
      MapRecord.read(read(record.place(), arena), record.base(), moves.watching(mentioned));
      if (!mentioned[0]) {
        return record.place();
      }
      MapRecord.Builder builder = new MapRecord.Builder(writer.scratch());
      builder.start(record.base());
      MapRecord.read(read(record.place(), arena), record.base(), moves.into(builder));
      noteRewritten(record.place());
      return writer.writeMap(builder.finish());
    } catch (CorruptContainerException e) {
      // Bad since it was looked at, or never noticed: those that need it are lost without it.
      rot.add(record.place(), String.valueOf(e.getMessage()), null);
      unreadable.put(record.place(), String.valueOf(e.getMessage()));
      return record.place();
    }
  }

  private void noteRewritten(Pointer record) {
    if (rot.records().containsKey(record)) {
      rewritten.add(record);
    }
  }

  private Map<Pointer, Pointer> catalogs() throws IOException {
    Map<Pointer, Pointer> catalogs = new HashMap<>();
    Root.Entry base = held.base().version();
    for (Root.Entry version : root.versions()) {
      Pointer place = version.catalog();
      if (!rot.records().containsKey(place) || catalogs.containsKey(place)) {
        continue;
      }
      if (base != null && place.equals(base.catalog())) {
        catalogs.put(place, writer.writeCatalog(held.catalog()));
        rewritten.add(place);
        unreadable.remove(place);
      } else if (!unreadable.containsKey(place)) {
        try (Arena arena = Supply.confinedArena()) {
          catalogs.put(place, writer.writeCatalog(Catalog.read(read(place, arena))));
          rewritten.add(place);
        }
      }
    }
    return catalogs;
  }

  /** Whether the map of the newest version is good in memory only. */
  private boolean mustRebase() {
    Root.Entry base = held.base().version();
    return base != null
        && base.equals(root.versions().getLast())
        && root.chain(base).stream().anyMatch(record -> unreadable.containsKey(record.place()));
  }

  private Pointer writeBase() throws IOException {
    MapRecord.Builder builder = new MapRecord.Builder(writer.scratch());
    builder.start(true);
    held.map().describe(held.catalog(), moves.into(builder));
    return writer.writeMap(builder.finish());
  }

  // ---------------------------------------------------------------- telling

  /** Which versions are lost with a record that is good in no cache, and not in memory. */
  private String without(Pointer record) {
    List<String> versions =
        held.root().versions().stream()
            .filter(version -> held.root().needs(version, record))
            .map(version -> version.info().id().toString())
            .toList();
    return "%s cannot be restored from this file, only from copies elsewhere: "
        .formatted((versions.size() == 1 ? "version " : "versions ") + String.join(", ", versions));
  }

  private void tellLost() {
    for (BadBlock bad : rot.blocks()) {
      if (last || held.map().place(bad.slot()) != bad.place()) {
        rot.lost(bad.what(), "");
      }
    }
    Set<Pointer> needed = held.root().places();
    for (Map.Entry<Pointer, String> bad : unreadable.entrySet()) {
      if (needed.contains(bad.getKey())) {
        rot.lost(bad.getValue(), without(bad.getKey()));
      } else {
        rot.healed(bad.getKey());
      }
    }
  }
}
