// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.cairn.container.BlockReader;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.store.Store;
import org.cairn.supply.Closing;
import org.cairn.version.DatasetEntry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets the blocks that a flush writes, each verified: those that changed out of the container, and
 * those that only move out of older segments. For one thread.
 */
final class BlockFetch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BlockFetch.class);

  private final ContainerReader own;
  private final VersionView view;
  private final Flushed before;
  private final BlockReader blocks;
  private final OpenSegments older;
  private final BlockVerifier verifier = new BlockVerifier();

  /** Empty unless a block is needed that did not change: a whole map is read for it. */
  private Optional<Whole> whole = Optional.empty();

  /** The version with its whole map. */
  private record Whole(VersionView view, BlockReader blocks) {}

  /**
   * A block.
   *
   * @param bytes as they are stored, valid until the next call
   * @param low the low half of its digest
   * @param high the high half
   */
  record Fetched(MemorySegment bytes, int codec, long low, long high) {}

  /**
   * Gets blocks of a version.
   *
   * @param view the version, at least as far as it changed
   * @param before what was flushed before
   */
  BlockFetch(ContainerReader own, Store shared, VersionView view, Flushed before) {
    this.own = own;
    this.view = view;
    this.before = before;
    this.blocks = new BlockReader(view);
    this.older = new OpenSegments(shared, before.references().values());
  }

  /** A block that changed, as the container has it. */
  Fetched changed(DatasetEntry dataset, int block) throws IOException {
    return read(dataset, block, blocks, view);
  }

  /** A block that did not change, as the container has it. */
  Fetched unchanged(DatasetEntry dataset, int block) throws IOException {
    Whole all = whole();
    return read(dataset, block, all.blocks, all.view);
  }

  private static Fetched read(DatasetEntry dataset, int block, BlockReader from, VersionView map)
      throws IOException {
    BlockReader.Stored stored = from.readStored(dataset, block);
    return new Fetched(
        stored.bytes(), stored.codec(), map.low(dataset, block), map.high(dataset, block));
  }

  /** A block that moves. The map has no word of it; the segment where it lies has it itself. */
  Fetched moved(DatasetEntry dataset, int block) throws IOException {
    BlockEntry old = before.index().entry(dataset, block);
    try {
      MemorySegment stored = readOld(dataset, block, old);
      return new Fetched(
          stored, old.isPlain() ? 0 : old.codec(), old.digestLow(), old.digestHigh());
    } catch (IOException e) {
      LOG.warn("a block is taken from the container instead: {}", e.toString());
      return unchanged(dataset, block);
    }
  }

  private MemorySegment readOld(DatasetEntry dataset, int block, BlockEntry old)
      throws IOException {
    SegmentReader segment = older.open(before.index().segment(old.segment()));
    return verifier.read(segment, dataset, block, old);
  }

  /** What a block that changed stands for; valid until the next call. */
  MemorySegment changedPlain(DatasetEntry dataset, int block) throws IOException {
    return blocks.read(dataset, block);
  }

  /** What a block that did not change stands for, out of the container. */
  MemorySegment unchangedPlain(DatasetEntry dataset, int block) throws IOException {
    return whole().blocks.read(dataset, block);
  }

  /** What a block that moves stands for. */
  MemorySegment movedPlain(DatasetEntry dataset, int block) throws IOException {
    BlockEntry old = before.index().entry(dataset, block);
    try {
      MemorySegment stored = readOld(dataset, block, old);
      return old.isPlain()
          ? stored
          : verifier.plain(
              older.open(before.index().segment(old.segment())), dataset, block, old, stored);
    } catch (IOException e) {
      LOG.warn("a block is taken from the container instead: {}", e.toString());
      return unchangedPlain(dataset, block);
    }
  }

  private Whole whole() throws IOException {
    if (whole.isEmpty()) {
      VersionView all = own.view(view.info().id());
      whole = Optional.of(new Whole(all, new BlockReader(all)));
    }
    return whole.get();
  }

  @Override
  public void close() throws IOException {
    Closing closing = new Closing().then(blocks::close);
    whole.ifPresent(all -> closing.then(all.blocks::close));
    closing.then(verifier::close).then(older::close).end();
  }
}
