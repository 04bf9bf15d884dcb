// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.cairn.CorruptContainerException;
import org.cairn.version.BlockMap;
import org.cairn.version.Catalog;
import org.cairn.version.DigestUpdate;
import org.cairn.version.MapRecord;
import org.cairn.version.RootDigest;
import org.cairn.version.SlotOwners;
import org.jspecify.annotations.Nullable;

/**
 * Follows the maps of all retained versions, oldest first. Where one is a delta to the one before,
 * only the delta is read: so a walk takes as long as reading all map records once, and as much
 * memory as one map, however many versions there are.
 */
final class MapWalk {
  private final ContainerFile records;
  private final Root root;
  private final Consumer<CorruptContainerException> problems;

  /** The version the walk has come to; null before the first that can be read. */
  private @Nullable Step current;

  private BlockMap map = new BlockMap();

  /** Whether that is the map of the current version: a damaged record may have spoilt it. */
  private boolean sound;

  /** A version that was verified before; null if none was. Catalog and map may be large. */
  private final @Nullable Known known;

  /** A version whose map and catalog are in memory, verified. */
  record Known(Root.Entry version, Catalog catalog, SlotOwners owners, BlockMap map) {}

  /** A version whose map can be read, and what is needed to go on from it. */
  private record Step(Root.Entry version, @Nullable Catalog catalog, @Nullable SlotOwners owners) {}

  /**
   * A walk that begins before the oldest version.
   *
   * @param known a version that was verified before; null if none was
   * @param problems is told of maps that cannot be read, or are not what their version says
   */
  MapWalk(
      ContainerFile records,
      Root root,
      @Nullable Known known,
      Consumer<CorruptContainerException> problems) {
    this.records = records;
    this.root = root;
    this.known = known;
    this.problems = problems;
  }

  /** The map of the version the walk has come to. */
  BlockMap map() {
    return map;
  }

  /** The version the walk has come to; null before the first that can be read. */
  Root.@Nullable Entry version() {
    return current == null ? null : current.version;
  }

  /**
   * Goes on to a version.
   *
   * @return what the version before has in the file and this one does not; null if its map cannot
   *     be read and the walk stays where it is
   */
  @Nullable ExtentList goTo(Root.Entry next) throws IOException {
    ExtentList replaced = new ExtentList();
    try {
      if (continues(next)) {
        follow(next, replaced);
      } else {
        load(next, replaced);
      }
      return replaced;
    } catch (CorruptContainerException e) {
      problems.accept(e);
      goBack();
      return isKnownLast(next) ? loadKnown(next) : null;
    }
  }

  /** What could be read a moment ago is what the next version is built on, whatever is read now. */
  private ExtentList loadKnown(Root.Entry last) throws IOException {
    ExtentList replaced = new ExtentList();
    load(last, replaced);
    return replaced;
  }

  /** The map is again that of the current version, which could be read before. */
  private void goBack() throws IOException {
    Step last = current;
    if (!sound && last != null) {
      map = records.map(root, last.version);
      sound = true;
    }
  }

  /** Whether the chain of the next version is that of the current one with more behind it. */
  private boolean continues(Root.Entry next) {
    Step from = current;
    return sound
        && from != null
        && root.chain(next).size() > root.chain(from.version).size()
        && root.chain(next).getFirst().equals(root.chain(from.version).getFirst());
  }

  private void follow(Root.Entry next, ExtentList replaced) throws IOException {
    Step from = current;
    if (from == null) {
      throw new AssertionError("nothing to go on from");
    }
    List<Root.MapRef> chain = root.chain(next);
    List<Root.MapRef> delta = chain.subList(root.chain(from.version).size(), chain.size());
    Step step = step(next, from);
    SlotOwners before = from.owners;
    SlotOwners after = step.owners;
    MapRecord.Visitor applying = new Ledger.Applying(map, replaced);
    sound = false;
    if (delta.size() > 1) {
      followOver(delta, next, replaced);
      verify(step);
    } else if (before == null || after == null || from.catalog == null || step.catalog == null) {
      records.apply(delta, next, applying);
      verify(step);
    } else {
      RootDigest digest = new RootDigest(from.version.info());
      DigestUpdate.datasets(digest, from.catalog, step.catalog);
      DigestUpdate update = new DigestUpdate(digest, map, before, after);
      records.apply(delta, next, new MapRecord.Both(update, applying));
      if (!digest.isOf(next.info())) {
        verify(step);
      }
    }
    current = step;
    sound = true;
  }

  /**
   * Applies records of versions in between, which are no longer retained. What these had and
   * neither end has is free, and may be used by others since: it must not count for the version
   * before.
   */
  private void followOver(List<Root.MapRef> delta, Root.Entry next, ExtentList replaced)
      throws IOException {
    ExtentList born = new ExtentList();
    MapRecord.Visitor applying =
        new Ledger.Applying(map, replaced) {
          @Override
          public void block(
              int slot, int blockLength, int stored, long place, long low, long high) {
            super.block(slot, blockLength, stored, place, low, high);
            born.extent(place, BlockMap.storedLength(stored));
          }

          @Override
          public void blocks(int first, int count, int blockLength, long place, long[] digests) {
            super.blocks(first, count, blockLength, place, digests);
            for (int i = 0; i < count; i++) {
              born.extent(place + (long) i * blockLength, blockLength);
            }
          }
        };
    records.apply(delta, next, applying);
    born.makeSet();
    replaced.makeSet();
    replaced.removeAll(born);
  }

  private void load(Root.Entry next, ExtentList replaced) throws IOException {
    BlockMap loaded = mapOf(next);
    if (current != null) {
      ExtentList before = new ExtentList();
      map.forEachExtent(before);
      before.makeSet();
      ExtentList now = new ExtentList();
      loaded.forEachExtent(now);
      now.makeSet();
      before.removeAll(now);
      before.forEach(replaced);
    }
    map = loaded;
    current = step(next, null);
    sound = true;
    verify(current);
  }

  private BlockMap mapOf(Root.Entry version) throws IOException {
    Known verified = knownAs(version);
    return verified != null && isKnownLast(version) ? verified.map : records.map(root, version);
  }

  /** The walk does not change the map of the last version. */
  private boolean isKnownLast(Root.Entry version) {
    return knownAs(version) != null && version.equals(root.versions().getLast());
  }

  private @Nullable Known knownAs(Root.Entry version) {
    return known != null && known.version.equals(version) ? known : null;
  }

  private Step step(Root.Entry version, @Nullable Step from) throws IOException {
    if (from != null && from.version.catalog().equals(version.catalog())) {
      return new Step(version, from.catalog, from.owners);
    }
    Known verified = knownAs(version);
    if (verified != null) {
      return new Step(version, verified.catalog, verified.owners);
    }
    try {
      Catalog catalog = records.catalog(version);
      return new Step(version, catalog, SlotOwners.of(catalog));
    } catch (CorruptContainerException e) {
      problems.accept(e);
      return new Step(version, null, null);
    }
  }

  /** A version that cannot be restored is told of, but nobody takes its space before its time. */
  private void verify(Step step) {
    try {
      if (step.catalog != null && knownAs(step.version) == null) {
        records.verify(root, step.version, step.catalog, map);
      }
    } catch (CorruptContainerException e) {
      problems.accept(e);
    }
  }
}
