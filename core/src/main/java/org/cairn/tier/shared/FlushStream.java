// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.cairn.clock.Clock;
import org.cairn.container.BlockReader;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.store.Store;
import org.cairn.supply.Closing;
import org.cairn.version.DatasetEntry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives the blocks of a rank to a segment, and notes where they come to lie. For one thread. */
final class FlushStream implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FlushStream.class);

  private final ContainerReader own;
  private final Clock clock;
  private final Store shared;
  private final VersionView view;
  private final Flushed before;
  private final Target target;
  private final BlockReader blocks;
  private final OpenSegments older;
  private final BlockVerifier verifier = new BlockVerifier();
  private final IndexMemory.Editor index;
  private final Changes.Builder mended = new Changes.Builder();
  private final long begun;
  private Changes written = Changes.NONE;
  private long bytes;

  /** Empty unless a block is needed that did not change: a whole map is read for it. */
  private Optional<Whole> whole = Optional.empty();

  /** The version with its whole map. */
  private record Whole(VersionView view, BlockReader blocks) {}

  /** Where blocks go. */
  record Target(String segment, FlushSource.Sink sink) {}

  FlushStream(
      ContainerReader own,
      Store shared,
      Clock clock,
      VersionView view,
      Flushed before,
      Target target) {
    this.own = own;
    this.clock = clock;
    this.shared = shared;
    this.view = view;
    this.before = before;
    this.target = target;
    this.blocks = new BlockReader(view);
    this.older = new OpenSegments(shared, before.references().values());
    this.index = before.index().edit(view.datasets());
    this.begun = clock.nanos();
  }

  /**
   * Writes blocks.
   *
   * @param fresh those that the container is asked for
   * @param moved those that are copied out of older segments
   */
  void write(Changes fresh, Changes moved) throws IOException {
    written = fresh.union(moved);
    for (DatasetEntry dataset : view.datasets()) {
      BlockSet all = written.of(dataset.name());
      BlockSet local = fresh.of(dataset.name());
      for (int i = 0; i < all.ranges(); i++) {
        write(dataset, all.first(i), all.end(i), local);
      }
    }
  }

  private void write(DatasetEntry dataset, int first, int end, BlockSet local) throws IOException {
    int block = first;
    while (block < end) {
      int zeros = Math.min(view.zerosFrom(dataset, block), end - block);
      if (zeros > 0) {
        index.putZeros(dataset, block, zeros);
      } else if (local.contains(block)) {
        copy(dataset, block, blocks, view);
      } else {
        move(dataset, block);
      }
      block += Math.max(1, zeros);
    }
  }

  private void copy(DatasetEntry dataset, int block, BlockReader from, VersionView map)
      throws IOException {
    BlockReader.Stored stored = from.readStored(dataset, block);
    append(
        dataset,
        block,
        stored.bytes(),
        stored.codec(),
        map.low(dataset, block),
        map.high(dataset, block));
  }

  private void append(
      DatasetEntry dataset, int block, MemorySegment stored, int codec, long low, long high)
      throws IOException {
    target.sink.append(stored);
    int length = (int) stored.byteSize();
    index.put(dataset, block, target.segment, bytes, length, codec, low, high);
    bytes += length;
  }

  /** The map has no word of it; the segment where it lies has the block itself. */
  private void move(DatasetEntry dataset, int block) throws IOException {
    BlockEntry old = before.index().entry(dataset, block);
    MemorySegment stored;
    try {
      SegmentReader segment = older.open(before.index().segment(old.segment()));
      stored = verifier.read(segment, dataset, block, old);
    } catch (IOException e) {
      LOG.warn("a block is taken from the container instead: {}", e.toString());
      copyWhole(dataset, block);
      return;
    }
    append(
        dataset, block, stored, old.isPlain() ? 0 : old.codec(), old.digestLow(), old.digestHigh());
  }

  /** Takes a block that did not change out of the container. */
  private void copyWhole(DatasetEntry dataset, int block) throws IOException {
    Whole all = whole();
    copy(dataset, block, all.blocks, all.view);
  }

  private Whole whole() throws IOException {
    if (whole.isEmpty()) {
      VersionView all = own.view(view.info().id());
      whole = Optional.of(new Whole(all, new BlockReader(all)));
    }
    return whole.get();
  }

  /**
   * What was verified beside a flush.
   *
   * @param verification how far the round has come with it
   * @param linkable whether indices that were written before can be built upon
   * @param scrub what was done; empty if nothing was due
   */
  record Verified(Verification verification, boolean linkable, Optional<Scrub> scrub) {
    static Verified nothing(Verification before) {
      return new Verified(before, true, Optional.empty());
    }
  }

  /**
   * Verifies a piece of what stays, for not longer than it took to write what is new, and once in a
   * round the indices that the next one would build upon.
   */
  Verified verify(int rank, Verification verification) throws IOException {
    long nanos = clock.nanos() - begun;
    Scrub piece = new Scrub(shared, clock, before.references().values(), verification, nanos);
    boolean linkable = !verification.isStartOfRound() || piece.check(before.chain(), rank);
    Verification after =
        piece.run(
            view.datasets(),
            this::stays,
            (dataset, block) -> {
              copyWhole(dataset, block);
              mended.add(dataset.name(), block);
            });
    return new Verified(after, linkable, Optional.of(piece));
  }

  /** Where a block lies that was not written now; null if it was, or nothing is stored of it. */
  private Scrub.@Nullable Place stays(DatasetEntry dataset, int block) {
    IndexMemory known = before.index();
    if (block >= known.comparable(dataset)
        || known.places(dataset).isZero(block)
        || written.of(dataset.name()).contains(block)) {
      return null;
    }
    BlockEntry entry = known.entry(dataset, block);
    return new Scrub.Place(known.segment(entry.segment()), entry);
  }

  /** How many bytes of blocks were written. */
  long bytes() {
    return bytes;
  }

  /** Where all blocks of the version lie; those written now as if they were the first there. */
  IndexMemory.Editor index() {
    return index;
  }

  /** Blocks that were found damaged, and written again. */
  Changes mended() {
    return mended.build();
  }

  @Override
  public void close() throws IOException {
    Closing closing = new Closing().then(blocks::close);
    whole.ifPresent(all -> closing.then(all.blocks::close));
    closing.then(verifier::close).then(older::close).end();
  }
}
