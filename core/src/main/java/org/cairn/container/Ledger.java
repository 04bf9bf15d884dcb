// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
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

  /** The list of a version that is no longer retained, to be used again. */
  private ExtentList spare = new ExtentList();

  /** Records of the root before the newest. */
  private ExtentList outdatedRecords = new ExtentList();

  Space space() {
    return space;
  }

  long memoryBytes() {
    long bytes = spare.memoryBytes() + outdatedRecords.memoryBytes();
    for (ExtentList list : replaced.values()) {
      bytes += list.memoryBytes();
    }
    return bytes;
  }

  /** What one version has in the file, as a set. */
  record Holding(VersionId version, ExtentList extents) {}

  /** Counts everything anew, from what each version has, oldest first, and all records. */
  void countAnew(List<Holding> holdings, Set<Pointer> records) {
    replaced.clear();
    for (int i = 0; i + 1 < holdings.size(); i++) {
      ExtentList extents = holdings.get(i).extents();
      extents.removeAll(holdings.get(i + 1).extents());
      replaced.put(holdings.get(i).version(), extents);
    }
    rebuild(holdings.isEmpty() ? new ExtentList() : holdings.getLast().extents(), records);
  }

  private void rebuild(ExtentList newest, Set<Pointer> records) {
    long[] live = {0};
    long[] end = {0};
    BlockMap.ExtentVisitor add =
        (place, length) -> {
          live[0] += length;
          end[0] = Math.max(end[0], place + length);
        };
    newest.forEach(add);
    replaced.values().forEach(list -> list.forEach(add));
    records.forEach(record -> end[0] = Math.max(end[0], record.end()));
    space = new Space(Math.max(Space.regionBitsFor(live[0]), Space.leastRegionBits(end[0])));
    newest.forEach(space::occupyMovable);
    replaced.values().forEach(list -> list.forEach(space::occupy));
    records.forEach(record -> space.occupy(record.offset(), record.length()));
    outdatedRecords.forEach(space::occupy);
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
                entry.getValue().forEach(space::release);
                spare = entry.getValue();
              }
              return dropped;
            });
  }

  /**
   * Applies a durable delta to the map, and notes the places it replaces.
   *
   * @param counting whether space follows; it need not if all is counted anew, and cannot if the
   *     map is of an older version than the one space calls newest
   */
  MapRecord.Visitor applying(BlockMap map, ExtentList places, boolean counting) {
    return new MapRecord.Visitor() {
      @Override
      public void block(int slot, int blockLength, int stored, long place, long low, long high) {
        replaceSlot(slot);
        map.block(slot, blockLength, stored, place, low, high);
        if (counting) {
          space.occupyMovable(place, BlockMap.storedLength(stored));
        }
      }

      @Override
      public void zeros(int first, int count, int blockLength) {
        replaceSlots(first, count);
        map.zeros(first, count, blockLength);
      }

      @Override
      public void released(int first, int count) {
        replaceSlots(first, count);
        map.released(first, count);
      }

      private void replaceSlots(int first, int count) {
        for (int slot = first; slot < first + count; slot++) {
          replaceSlot(slot);
        }
      }

      private void replaceSlot(int slot) {
        long place = map.place(slot);
        if (place >= 0) {
          int length = BlockMap.storedLength(map.stored(slot));
          places.extent(place, length);
          if (counting) {
            space.outdate(place, length);
          }
        }
      }
    };
  }
}
