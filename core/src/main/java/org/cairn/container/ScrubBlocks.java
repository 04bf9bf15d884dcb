// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.cairn.CorruptContainerException;
import org.cairn.supply.Mutex;
import org.cairn.version.BlockMap;
import org.cairn.version.Catalog;
import org.cairn.version.DatasetSpec;
import org.cairn.version.SlotOwners;
import org.cairn.version.VersionId;

/**
 * The blocks of one version, in the order of their slots, a piece a step. What is read is held from
 * before it is read until after.
 */
abstract sealed class ScrubBlocks implements ScrubPhase {
  /** Slots without bytes are passed over, but the lock is not held for long. */
  private static final int PIECE_SLOTS = 1 << 14;

  final ScrubReader reader;
  final Holdings holdings;
  private int slot;

  private ScrubBlocks(ScrubReader reader) {
    this.reader = reader;
    this.holdings = reader.holdings();
  }

  /** What the next step reads, and the phase to go on with after it. */
  record Piece(List<ScrubReader.Candidate> blocks, ScrubPhase next) {}

  @Override
  public final Step step() throws IOException {
    Piece piece;
    ExtentList held = new ExtentList();
    try (Mutex.Held _ = reader.container().hold()) {
      reader.container().ensureReadable();
      piece = collect();
      piece.blocks.forEach(
          one -> held.extent(one.expected().place(), one.expected().storedLength()));
      holdings.ledger().hold(held);
    }
    try {
      reader.verify(piece.blocks);
    } finally {
      reader.letGo(held);
    }
    long bytes = piece.blocks.stream().mapToLong(one -> one.expected().storedLength()).sum();
    return new Step(bytes, piece.next);
  }

  /** Finds the next piece; under the lock. */
  abstract Piece collect();

  /** What comes when all slots have been seen, or the version has gone; under the lock. */
  abstract ScrubPhase after();

  final Piece gone() {
    return new Piece(List.of(), after());
  }

  final boolean isRetained(VersionId version) {
    return holdings.root().versions().stream().anyMatch(one -> one.info().id().equals(version));
  }

  /**
   * The blocks of the next piece.
   *
   * @param above the map of the next newer version, whose blocks have been read; empty if there is
   *     none
   */
  final Piece collect(
      VersionId version, BlockMap map, SlotOwners owners, Optional<BlockMap> above) {
    List<ScrubReader.Candidate> blocks = new ArrayList<>();
    int seen = 0;
    int room = ScrubReader.PIECE_BYTES;
    while (seen++ < PIECE_SLOTS) {
      int next = owners.next(slot);
      if (next < 0) {
        return new Piece(blocks, after());
      }
      long place = map.place(next);
      int stored = map.stored(next);
      if (place >= 0 && (above.isEmpty() || above.get().place(next) != place)) {
        if (BlockMap.storedLength(stored) > room) {
          return new Piece(blocks, this);
        }
        room -= BlockMap.storedLength(stored);
        blocks.add(candidate(map, owners, next, version));
      }
      slot = next + 1;
    }
    return new Piece(blocks, this);
  }

  private static ScrubReader.Candidate candidate(
      BlockMap map, SlotOwners owners, int at, VersionId version) {
    owners.find(at);
    DatasetSpec spec = owners.spec();
    int block = owners.block(at);
    long start = (long) block * spec.blockSize();
    int length = (int) Math.min(spec.blockSize(), spec.byteLength() - start);
    BlockCheck.Expected expected =
        new BlockCheck.Expected(
            map.place(at), map.stored(at), length, spec.algorithm(), map.low(at), map.high(at));
    return new ScrubReader.Candidate(expected, spec.name(), block, at, version);
  }

  // ---------------------------------------------------------------- versions

  /** The newest version, whichever that is at each step. */
  static final class Newest extends ScrubBlocks {
    private Catalog catalog = Catalog.EMPTY;
    private SlotOwners owners = SlotOwners.NOBODY;

    Newest(ScrubReader reader) {
      super(reader);
    }

    @Override
    Piece collect() {
      if (catalog != holdings.catalog()) {
        catalog = holdings.catalog();
        owners = SlotOwners.of(catalog);
      }
      Root.Entry newest = holdings.base().version();
      return newest == null || !isRetained(newest.info().id())
          ? gone()
          : collect(newest.info().id(), holdings.map(), owners, Optional.empty());
    }

    @Override
    ScrubPhase after() {
      Deque<VersionId> older = new ArrayDeque<>();
      for (Root.Entry version : holdings.root().versions().reversed()) {
        if (!version.equals(holdings.base().version())) {
          older.add(version.info().id());
        }
      }
      return new Next(reader, older, Optional.empty());
    }
  }

  /** An older version: what the next newer one does not have in the same place. */
  static final class Older extends ScrubBlocks {
    private final VersionId version;
    private final BlockMap map;
    private final SlotOwners owners;
    private final Next before;

    private Older(Next before, VersionId version, BlockMap map, SlotOwners owners) {
      super(before.reader);
      this.version = version;
      this.map = map;
      this.owners = owners;
      this.before = before;
    }

    @Override
    Piece collect() {
      BlockMap above = before.newer.orElseGet(holdings::map);
      return isRetained(version) ? collect(version, map, owners, Optional.of(above)) : gone();
    }

    @Override
    ScrubPhase after() {
      return new Next(reader, before.left, Optional.of(map));
    }
  }

  /**
   * Between two versions: the map of the next older one is loaded.
   *
   * @param left the versions that have not been looked at, newest first
   * @param newer the map of the version before; empty if that is the container's own, which changes
   */
  record Next(ScrubReader reader, Deque<VersionId> left, Optional<BlockMap> newer)
      implements ScrubPhase {
    @Override
    public Step step() throws IOException {
      Optional<Older> loaded = Optional.empty();
      while (loaded.isEmpty() && !left.isEmpty()) {
        loaded = load(left.remove());
      }
      return loaded.isPresent() ? loaded.get().step() : new Step(0, new Done());
    }

    /** Empty if the version is not retained any more, or its map cannot be read. */
    private Optional<Older> load(VersionId wanted) throws IOException {
      Holdings holdings = reader.holdings();
      Root root;
      Optional<Root.Entry> entry;
      ExtentList held = new ExtentList();
      try (Mutex.Held _ = reader.container().hold()) {
        reader.container().ensureReadable();
        root = holdings.root();
        entry =
            root.versions().stream()
                .filter(version -> version.info().id().equals(wanted))
                .findFirst();
        if (entry.isEmpty()) {
          return Optional.empty();
        }
        root.chain(entry.get())
            .forEach(one -> held.extent(one.place().offset(), one.place().length()));
        held.extent(entry.get().catalog().offset(), entry.get().catalog().length());
        holdings.ledger().hold(held);
      }
      try {
        Catalog catalog = holdings.records().catalog(entry.get());
        BlockMap map = holdings.records().map(root, entry.get(), catalog);
        return Optional.of(new Older(this, wanted, map, SlotOwners.of(catalog)));
      } catch (CorruptContainerException e) {
        // Its records were found to be bad before, or are from now on.
        reader.found(String.valueOf(e.getMessage()));
        return Optional.empty();
      } finally {
        reader.letGo(held);
      }
    }
  }
}
