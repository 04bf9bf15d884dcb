// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.util.List;
import org.cairn.CorruptContainerException;
import org.cairn.record.RecordReader;

/**
 * What leads from one version to another: the blocks that changed, came or went, with what they
 * were and what they are, places and digests. It names both versions by identity and root digest,
 * and a union of several is as good as one. Immutable.
 *
 * <p>Blocks that merely moved, or changed there and back, do not count; but where they lay and lie
 * is known, since a union needs it: a place that was left may be written to again.
 *
 * <p>Takes memory for what changed, however large the state is. Many threads may ask at once, each
 * with {@linkplain #forEachChanged an iteration} of its own.
 */
public final class Delta {
  private final VersionInfo base;
  private final VersionInfo version;
  private final Catalog baseCatalog;
  private final Catalog catalog;

  /** What is in slots that something happened to: in the base, and in the version. */
  private final BlockMap before = new BlockMap();

  private final BlockMap now = new BlockMap();

  private Delta(VersionInfo base, Catalog baseCatalog, VersionInfo version, Catalog catalog) {
    this.base = base;
    this.baseCatalog = baseCatalog;
    this.version = version;
    this.catalog = catalog;
  }

  /** A version as its container knows it. */
  public record Known(VersionInfo info, Catalog catalog) {}

  /**
   * What a map record says, seen beside the map that it is to change.
   *
   * @param record as a commit wrote it, from memory
   * @param map of the base, before it is changed
   */
  public static Delta of(Known base, Known version, RecordReader record, BlockMap map)
      throws CorruptContainerException {
    Delta delta = new Delta(base.info, base.catalog, version.info, version.catalog);
    MapRecord.read(record, false, delta.new Recorder(map));
    return delta;
  }

  /** Notes what changes, and what was there. */
  private final class Recorder implements MapRecord.Visitor {
    private final BlockMap map;

    Recorder(BlockMap map) {
      this.map = map;
    }

    @Override
    public void block(int slot, int blockLength, int stored, long place, long low, long high) {
      copy(map, slot, 1, before);
      now.block(slot, blockLength, stored, place, low, high);
    }

    @Override
    public void zeros(int first, int count, int blockLength) {
      keepOld(first, count);
      now.zeros(first, count, blockLength);
    }

    @Override
    public void released(int first, int count) {
      keepOld(first, count);
    }

    private void keepOld(int first, int count) {
      int slot = first;
      while (slot < first + count) {
        int some = Math.min(map.sameFrom(slot), first + count - slot);
        copy(map, slot, some, before);
        slot += some;
      }
    }
  }

  /** Puts what one map has in some slots, which are alike in it, into another. */
  private static void copy(BlockMap from, int slot, int count, BlockMap to) {
    long place = from.place(slot);
    if (place >= 0) {
      to.block(slot, 0, from.stored(slot), place, from.low(slot), from.high(slot));
    } else if (place == BlockMap.ZERO) {
      to.zeros(slot, count, from.stored(slot));
    } else {
      to.released(slot, count);
    }
  }

  /**
   * What several deltas are together.
   *
   * @param chain at least one, oldest first; each but the first is to the version of the one before
   */
  static Delta union(List<Delta> chain) {
    if (chain.size() == 1) {
      return chain.getFirst();
    }
    Delta first = chain.getFirst();
    Delta last = chain.getLast();
    assert isChain(chain) : "deltas that do not follow each other: " + chain;
    Delta union = new Delta(first.base, first.baseCatalog, last.version, last.catalog);
    chain.forEach(union::append);
    return union;
  }

  private static boolean isChain(List<Delta> chain) {
    for (int i = 1; i < chain.size(); i++) {
      if (!chain.get(i).base.id().equals(chain.get(i - 1).version.id())) {
        return false;
      }
    }
    return true;
  }

  private void append(Delta next) {
    int slot = next.touched(0);
    while (slot >= 0) {
      int some = Math.min(next.before.sameFrom(slot), next.now.sameFrom(slot));
      some = Math.min(some, Math.min(before.sameFrom(slot), now.sameFrom(slot)));
      assert some > 0 : "nothing happened to slot " + slot;
      boolean known = before.place(slot) != BlockMap.ABSENT || now.place(slot) != BlockMap.ABSENT;
      if (!known) {
        copy(next.before, slot, some, before);
      }
      copy(next.now, slot, some, now);
      slot = next.touched(slot + some);
    }
  }

  /** The first slot from this one on that something happened to; -1 if there is none. */
  private int touched(int slot) {
    int one = before.nextPresent(slot);
    int other = now.nextPresent(slot);
    return one < 0 || other < 0 ? Math.max(one, other) : Math.min(one, other);
  }

  /** The version that it leads from. */
  public VersionInfo base() {
    return base;
  }

  /** The version that it leads to. */
  public VersionInfo version() {
    return version;
  }

  /** Whether base and changes together have the root digest that the version says it has. */
  boolean isSound() {
    RootDigest digest = new RootDigest(base);
    SlotOwners ownersBefore = SlotOwners.of(baseCatalog);
    SlotOwners ownersNow = SlotOwners.of(catalog);
    DigestUpdate.datasets(digest, baseCatalog, catalog);
    DigestUpdate update = new DigestUpdate(digest, before, ownersBefore, ownersNow);
    int slot = touched(0);
    while (slot >= 0) {
      int some = Math.min(before.sameFrom(slot), now.sameFrom(slot));
      long place = now.place(slot);
      if (place >= 0) {
        update.block(slot, 0, now.stored(slot), place, now.low(slot), now.high(slot));
      } else if (place == BlockMap.ZERO) {
        update.zeros(slot, some, now.stored(slot));
      } else {
        update.released(slot, some);
      }
      slot = touched(slot + some);
    }
    return digest.isOf(version);
  }

  /**
   * Calls for every block of the version that the base does not have, in the order of slots, in
   * which a checkpoint mostly writes them. A comparison of whole maps, {@link
   * VersionMap#forEachChanged}, finds the same. An entry is always the same object for the same
   * dataset.
   */
  public <E extends Exception> void forEachChanged(VersionMap.BlockVisitor<E> visitor) throws E {
    new Comparison(this).forEach(now, catalog, true, visitor);
  }

  /** Calls for every block of the base that the version does not have any more as it was. */
  public <E extends Exception> void forEachGone(VersionMap.BlockVisitor<E> visitor) throws E {
    new Comparison(this).forEach(before, baseCatalog, false, visitor);
  }

  /** Tells blocks that changed from those that something else happened to. For one thread. */
  private static final class Comparison {
    private final Delta delta;
    private final SlotOwners ownersBefore;
    private final SlotOwners ownersNow;

    Comparison(Delta delta) {
      this.delta = delta;
      this.ownersBefore = SlotOwners.of(delta.baseCatalog);
      this.ownersNow = SlotOwners.of(delta.catalog);
    }

    <E extends Exception> void forEach(
        BlockMap map, Catalog catalog, boolean now, VersionMap.BlockVisitor<E> visitor) throws E {
      SlotOwners owners = now ? ownersNow : ownersBefore;
      DatasetSpec spec = null;
      DatasetEntry entry = null;
      for (int slot = map.nextPresent(0); slot >= 0; slot = map.nextPresent(slot + 1)) {
        if (isSame(slot) || !owners.find(slot)) {
          continue;
        }
        if (entry == null || owners.spec() != spec) {
          spec = owners.spec();
          entry = catalog.find(spec.name());
        }
        if (entry != null) {
          visitor.block(entry, owners.block(slot));
        }
      }
    }

    private boolean isSame(int slot) {
      BlockMap before = delta.before;
      BlockMap now = delta.now;
      return before.place(slot) >= 0 == now.place(slot) >= 0
          && before.low(slot) == now.low(slot)
          && before.high(slot) == now.high(slot)
          && isSameBlock(slot);
    }

    /** A slot may have gone to another dataset, or its block have another length. */
    private boolean isSameBlock(int slot) {
      if (!ownersBefore.find(slot) || !ownersNow.find(slot)) {
        return false;
      }
      DatasetSpec old = ownersBefore.spec();
      DatasetSpec current = ownersNow.spec();
      int block = ownersNow.block(slot);
      return ownersBefore.block(slot) == block
          && old.name().equals(current.name())
          && old.blockSize() == current.blockSize()
          && old.algorithm() == current.algorithm()
          && length(old, block) == length(current, block);
    }

    private static long length(DatasetSpec spec, int block) {
      return Math.min(spec.blockSize(), spec.byteLength() - (long) block * spec.blockSize());
    }
  }

  /**
   * One of the two versions as far as they differ: what it says of other blocks means nothing.
   *
   * @param map where the blocks lie, in a file that retains the version
   */
  public record Part(VersionInfo info, Catalog catalog, BlockMap map) {}

  /** The version as far as it changed. */
  public Part changed() {
    return new Part(version, catalog, now);
  }

  /** The base as far as it is gone. */
  public Part gone() {
    return new Part(base, baseCatalog, before);
  }

  /** How many bytes of memory it takes, about. */
  long memoryBytes() {
    return before.memoryBytes() + now.memoryBytes();
  }

  @Override
  public String toString() {
    return "what leads from version %s to %s".formatted(base.id(), version.id());
  }
}
