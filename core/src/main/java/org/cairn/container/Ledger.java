// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.cairn.version.BlockMap;
import org.cairn.version.MapRecord;
import org.cairn.version.VersionId;

/**
 * Who still needs which bytes of the file: keeps {@link Space} in step with the retained versions.
 *
 * <p>A block that a commit replaces is still part of the version before; it waits in that version's
 * list until the version is dropped. Records (maps, catalogs, roots) that the newest root does not
 * refer to any more wait one commit longer: should the newest superblock rot, the other one still
 * leads somewhere.
 */
final class Ledger {
  private Space space = new Space(Space.regionBitsFor(0));

  /** For each retained version but the newest: what it has and its successor does not. */
  private final LinkedHashMap<VersionId, ExtentList> replaced = new LinkedHashMap<>();

  /**
   * What versions have that are kept for ever, each place with the last of them that has it: so
   * that a version between them and the newest can be dropped without reading any map.
   */
  private final LinkedHashMap<VersionId, ExtentList> kept = new LinkedHashMap<>();

  /** The list of a version that is no longer retained, to be used again. */
  private ExtentList spare = new ExtentList();

  /** Records of the root before the newest. */
  private ExtentList outdatedRecords = new ExtentList();

  /** Places that somebody reads, which must not be given away meanwhile. */
  private final List<ExtentList> held = new ArrayList<>();

  /** Places that lost what was written there once. */
  private final ExtentList avoided = new ExtentList();

  /** Versions whose maps cannot be read: nobody knows what they have. */
  private Set<VersionId> unreadable = Set.of();

  /** All that they may have lies before this; 0 if there are none. */
  private long sealed;

  Space space() {
    return space;
  }

  /** Keeps places from being given away, whatever becomes of the versions that have them. */
  void hold(ExtentList places) {
    held.add(places);
    places.forEach(space::occupy);
  }

  /** Ends {@link #hold}, with the very same list. */
  void letGo(ExtentList places) {
    if (held.removeIf(list -> list == places)) {
      places.forEach(space::release);
    }
  }

  /** Never gives a place away again; heeded when all is counted anew. */
  void avoid(long place, long length) {
    avoided.extent(place, length);
    avoided.makeSet();
  }

  long memoryBytes() {
    long bytes = spare.memoryBytes() + outdatedRecords.memoryBytes();
    for (ExtentList list : replaced.values()) {
      bytes += list.memoryBytes();
    }
    for (ExtentList list : kept.values()) {
      bytes += list.memoryBytes();
    }
    return bytes;
  }

  /**
   * Counts everything anew, walking from version to version, oldest first, and all records.
   *
   * <p>What a version has whose map cannot be read, now or at all, nobody can say: then all that
   * was ever written stays as it is until the version is dropped, and only what is written later is
   * used again.
   *
   * @param branched whether a version may have what the one after it has not, and a later one has
   * @param end what versions have lies before this
   */
  void countAnew(
      MapWalk walk, List<Root.Entry> versions, boolean branched, Set<Pointer> records, long end)
      throws IOException {
    replaced.clear();
    kept.clear();
    Set<VersionId> unread = new HashSet<>();
    for (Root.Entry version : versions) {
      Root.Entry before = walk.version();
      ExtentList places = walk.goTo(version);
      if (places == null) {
        unread.add(version.info().id());
        continue;
      }
      if (before != null) {
        replaced.put(before.info().id(), places);
      }
      if (version.info().label().kept()) {
        keep(version.info().id(), walk.map());
      }
    }
    seal(unread, end);
    ExtentList newest = ExtentList.joined(walk.map());
    if (branched || newest.firstOverlap() >= 0) {
      newest = new ExtentList();
      walk.map().forEachExtent(newest);
      newest.makeSet();
    }
    if (branched) {
      leaveToTheLast(versions, newest);
    }
    rebuild(newest, records);
  }

  /** Remembers what a version has that is kept for ever; it is the newest of those. */
  void keep(VersionId version, BlockMap map) {
    ExtentList all = new ExtentList();
    map.forEachExtent(all);
    all.makeSet();
    kept.values().forEach(older -> older.removeAll(all));
    kept.put(version, all);
  }

  /** Versions kept for ever of which it is remembered what they have. */
  Set<VersionId> remembered() {
    return kept.keySet();
  }

  /** A place counts for the last version that has it: only with that one does it become free. */
  private void leaveToTheLast(List<Root.Entry> versions, ExtentList newest) {
    ExtentList later = new ExtentList();
    later.addAll(newest);
    for (Root.Entry version : versions.reversed()) {
      ExtentList places = replaced.get(version.info().id());
      if (places != null) {
        later.makeSet();
        places.makeSet();
        places.removeAll(later);
        later.addAll(places);
      }
    }
  }

  private void seal(Set<VersionId> unread, long end) {
    if (unread.isEmpty()) {
      sealed = 0;
    } else if (!unreadable.containsAll(unread)) {
      sealed = Math.max(end, space.end());
    }
    unreadable = unread;
  }

  /** The versions of which nobody knows what they have. */
  Set<VersionId> unreadable() {
    return unreadable;
  }

  private void rebuild(ExtentList newest, Set<Pointer> records) {
    long[] live = {0};
    long[] end = {sealed};
    BlockMap.ExtentVisitor add =
        (place, length) -> {
          live[0] += length;
          end[0] = Math.max(end[0], place + length);
        };
    newest.forEach(add);
    replaced.values().forEach(list -> list.forEach(add));
    records.forEach(record -> end[0] = Math.max(end[0], record.end()));
    space = new Space(Math.max(Space.regionBitsFor(live[0]), Space.leastRegionBits(end[0])));
    space.seal(sealed);
    newest.forEach(space::occupyMovable);
    replaced.values().forEach(list -> list.forEach(space::occupy));
    records.forEach(record -> space.occupy(record.offset(), record.length()));
    outdatedRecords.forEach(space::occupy);
    held.forEach(list -> list.forEach(space::occupy));
    avoided.forEach(space::occupy);
  }

  /** Keeps regions in proportion to the state. */
  void resizeRegions(BlockMap newest, Set<Pointer> records) {
    if (Math.abs(Space.regionBitsFor(space.liveBytes()) - space.regionBits()) > 1) {
      ExtentList extents = new ExtentList();
      newest.forEachExtent(extents);
      rebuild(extents, records);
    }
  }

  /** An empty list for the places that a commit replaces. */
  ExtentList takeList(int expected) {
    ExtentList list = spare;
    spare = new ExtentList();
    list.clear();
    list.reserve(expected);
    return list;
  }

  /** What {@code version} has and its successor, which just became durable, does not. */
  void replace(VersionId version, ExtentList places) {
    replaced.put(version, places);
  }

  /** The newest root refers to other records than the one before. */
  void changeRecords(Set<Pointer> before, Set<Pointer> after) {
    outdatedRecords.forEach(space::release);
    ExtentList outdated = new ExtentList();
    for (Pointer record : before) {
      if (!after.contains(record)) {
        outdated.extent(record.offset(), record.length());
      }
    }
    outdatedRecords = outdated;
    for (Pointer record : after) {
      if (!before.contains(record)) {
        space.occupy(record.offset(), record.length());
      }
    }
  }

  /** Frees what only versions had that are no longer retained. */
  void dropAllBut(Set<VersionId> retained) {
    replaced
        .entrySet()
        .removeIf(
            entry -> {
              boolean dropped = !retained.contains(entry.getKey());
              if (dropped) {
                entry.getValue().forEach(this::releaseUnlessKept);
                spare = entry.getValue();
              }
              return dropped;
            });
  }

  /** What a version has that is kept for ever waits with that one from now on. */
  private void releaseUnlessKept(long place, long length) {
    if (kept.isEmpty()) {
      space.release(place, length); // an iterator for each extent would be garbage
      return;
    }
    for (Map.Entry<VersionId, ExtentList> one : kept.entrySet()) {
      if (one.getValue().has(place, length)) {
        replaced.computeIfAbsent(one.getKey(), _ -> new ExtentList()).extent(place, length);
        return;
      }
    }
    space.release(place, length);
  }

  /**
   * Applies a durable delta to the map, and notes the places it replaces.
   *
   * @param counting whether space follows; it need not if all is counted anew, and cannot if the
   *     map is of an older version than the one space calls newest
   */
  MapRecord.Visitor applying(BlockMap map, ExtentList places, boolean counting) {
    if (!counting) {
      return new Applying(map, places);
    }
    BlockMap.ExtentVisitor replacing =
        (place, length) -> {
          places.extent(place, length);
          space.outdate(place, length);
        };
    return new Applying(map, replacing) {
      @Override
      public void block(int slot, int blockLength, int stored, long place, long low, long high) {
        super.block(slot, blockLength, stored, place, low, high);
        space.occupyMovable(place, BlockMap.storedLength(stored));
      }

      @Override
      public void blocks(int first, int count, int blockLength, long place, long[] digests) {
        super.blocks(first, count, blockLength, place, digests);
        space.occupyMovable(place, (long) count * blockLength);
      }
    };
  }

  /** Applies a delta to a map, and tells which places it replaces. */
  static class Applying implements MapRecord.Visitor {
    private final BlockMap map;
    private final BlockMap.ExtentVisitor replaced;

    Applying(BlockMap map, BlockMap.ExtentVisitor replaced) {
      this.map = map;
      this.replaced = replaced;
    }

    @Override
    public void block(int slot, int blockLength, int stored, long place, long low, long high) {
      long before = map.place(slot);
      if (before >= 0) {
        replaced.extent(before, BlockMap.storedLength(map.stored(slot)));
      }
      map.block(slot, blockLength, stored, place, low, high);
    }

    @Override
    public void blocks(int first, int count, int blockLength, long place, long[] digests) {
      map.forEachExtent(first, count, replaced);
      map.blocks(first, count, blockLength, place, digests);
    }

    @Override
    public void zeros(int first, int count, int blockLength) {
      map.forEachExtent(first, count, replaced);
      map.zeros(first, count, blockLength);
    }

    @Override
    public void released(int first, int count) {
      map.forEachExtent(first, count, replaced);
      map.released(first, count);
    }
  }
}
