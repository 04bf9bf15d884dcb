// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.cairn.Label;
import org.cairn.clock.Clock;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.record.Digest;
import org.cairn.store.Store;
import org.cairn.tier.Deltas;
import org.cairn.tier.Home;
import org.cairn.version.DatasetEntry;
import org.cairn.version.Delta;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one rank has to flush: the blocks that the version flushed before does not have, and an
 * index that tells of them. Which blocks these are is known if the container remembers what it
 * published since, and if the tier remembers where all others lie; else indices are read and maps
 * compared. On the way a share of the blocks that stay where they are is verified, see {@link
 * Scrub}; those that are damaged are flushed again.
 *
 * <p>A rank that cannot say what it has keeps that to itself until it is asked: others wait for it.
 */
final class FlushSource implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FlushSource.class);

  private final int rank;
  private final Store shared;
  private final Clock clock;
  private final VersionId version;
  private final FlushBase base;

  /** The rank's own container; empty if it cannot be opened. */
  private final Optional<ContainerReader> reader;

  private final Found found;

  /** What a rank has found out before anything is written. */
  private sealed interface Found {}

  /**
   * It knows what it has to flush.
   *
   * @param own where the version is read from
   * @param view the version, at least as far as it changed
   * @param fresh blocks that the version before does not have, or that {@code view} can as well be
   *     asked for
   * @param moved blocks that have to leave the segment they are in, and have not changed
   */
  private record Prepared(
      ContainerReader own, VersionView view, Flushed before, Changes fresh, Changes moved)
      implements Found {}

  /** It cannot say what it has. */
  private record Unable(IOException reason) implements Found {
    static Unable because(Throwable reason) {
      return new Unable(
          reason instanceof IOException io ? io : new IOException(reason.getMessage(), reason));
    }
  }

  // ---------------------------------------------------------------- what has to be written

  /**
   * Finds out what has to be written.
   *
   * @param remembered what was flushed before, if it is known
   */
  FlushSource(
      Home home,
      Store shared,
      Clock clock,
      VersionId version,
      FlushBase base,
      Optional<Flushed> remembered,
      Deltas deltas)
      throws IOException {
    this.rank = home.rank();
    this.shared = shared;
    this.clock = clock;
    this.version = version;
    this.base = base;
    Optional<ContainerReader> opened = Optional.empty();
    Found known;
    try {
      opened = Optional.of(home.openState());
      known = prepare(opened.get(), remembered.orElseGet(this::before), deltas);
    } catch (IOException | IllegalArgumentException | OutOfMemoryError e) {
      known = Unable.because(e);
    } catch (RuntimeException | Error e) {
      if (opened.isPresent()) {
        opened.get().close();
      }
      throw e;
    }
    this.reader = opened;
    this.found = known;
  }

  /** What a person says of the version; nothing if this rank cannot read it. */
  Label label() {
    return found instanceof Prepared known ? known.view.info().label() : Label.none();
  }

  private Prepared prepare(ContainerReader own, Flushed before, Deltas deltas) throws IOException {
    Optional<Delta> delta = delta(before, deltas, own);
    return delta.isPresent() ? prepare(before, delta.get(), own) : compare(before, own);
  }

  /** If the index of the version before cannot be read, everything is new. */
  private Flushed before() {
    if (base.version().isEmpty()) {
      return Flushed.NOTHING;
    }
    try {
      return Flushed.read(shared, base.version().get(), rank);
    } catch (IOException | IllegalArgumentException e) {
      LOG.warn("rank {} flushes everything: {}", rank, e.toString());
      return Flushed.NOTHING;
    }
  }

  /** What leads here from the very state that the index tells of. */
  private static Optional<Delta> delta(Flushed before, Deltas deltas, ContainerReader own) {
    return before
        .version()
        .flatMap(id -> deltas.since(id, before.index().root()))
        .filter(delta -> own.versions().stream().anyMatch(one -> isSame(one, delta.version())));
  }

  private static boolean isSame(VersionInfo one, VersionInfo other) {
    return one.id().equals(other.id()) && root(one).equals(root(other));
  }

  private static Digest root(VersionInfo info) {
    return new Digest(info.digestLow(), info.digestHigh());
  }

  private Prepared prepare(Flushed before, Delta delta, ContainerReader own) {
    Changes.Builder changed = new Changes.Builder();
    delta.<RuntimeException>forEachChanged((dataset, block) -> changed.add(dataset.name(), block));
    VersionView view = own.changed(delta);
    Changes fresh = changed.build();
    return new Prepared(own, view, before, fresh, emptied(before, view, fresh));
  }

  private Prepared compare(Flushed before, ContainerReader own) throws IOException {
    VersionView view = own.view(version);
    Changes.Builder changed = new Changes.Builder();
    for (DatasetEntry dataset : view.datasets()) {
      compare(before.index(), view, dataset, changed);
    }
    Changes fresh = changed.build();
    Changes all = fresh.union(emptied(before, view, fresh));
    return new Prepared(own, view, before, all, Changes.NONE);
  }

  private static void compare(
      IndexMemory before, VersionView view, DatasetEntry dataset, Changes.Builder changed) {
    BlockPlaces places = before.places(dataset);
    int comparable = before.comparable(dataset);
    int block = 0;
    while (block < comparable) {
      int zeros = Math.min(view.zerosFrom(dataset, block), places.zerosFrom(block));
      if (zeros > 0) {
        block += Math.min(zeros, comparable - block);
        continue;
      }
      boolean same =
          view.isZero(dataset, block) == places.isZero(block)
              && view.low(dataset, block) == places.low(block)
              && view.high(dataset, block) == places.high(block);
      if (!same) {
        changed.add(dataset.name(), block);
      }
      block++;
    }
    if (block < dataset.blocks()) {
      changed.add(dataset.name(), block, dataset.blocks());
    }
  }

  /**
   * The blocks in segments and frames that nothing should be left in, as far as they are still
   * there.
   */
  private Changes emptied(Flushed before, VersionView view, Changes fresh) {
    Changes there = before.index().in(base.emptied()).union(before.index().inSparseFrames(fresh));
    Changes.Builder kept = new Changes.Builder();
    for (DatasetEntry dataset : view.datasets()) {
      BlockSet blocks = there.of(dataset.name()).below(before.index().comparable(dataset));
      for (int i = 0; i < blocks.ranges(); i++) {
        kept.add(dataset.name(), blocks.first(i), blocks.end(i));
      }
    }
    return kept.build();
  }

  private Prepared prepared() throws IOException {
    return switch (found) {
      case Prepared ready -> ready;
      case Unable unable -> throw unable.reason;
    };
  }

  /** How many bytes of blocks this rank adds, at most; to take as much memory. */
  long mostBytes() {
    if (!(found instanceof Prepared ready)) {
      return 0;
    }
    long bytes = 0;
    for (DatasetEntry dataset : ready.view.datasets()) {
      long blocks = ready.fresh.of(dataset.name()).count() + ready.moved.of(dataset.name()).count();
      bytes += blocks * dataset.spec().blockSize();
    }
    return bytes;
  }

  // ---------------------------------------------------------------- writing it

  /** Receives bytes. */
  interface Sink {
    void append(MemorySegment bytes) throws IOException;
  }

  /**
   * Gives all new blocks, each verified, in the order in which the index will have them; behind
   * them those that were found damaged in older segments.
   *
   * @param segment where the blocks will lie
   */
  Streamed stream(String segment, Sink sink) throws IOException {
    Prepared ready = prepared();
    Staying staying = new Staying(shared, clock, ready.before, ready.fresh.union(ready.moved));
    try (BlockFetch blocks = new BlockFetch(ready.own, shared, ready.view, ready.before)) {
      FlushStream stream =
          new FlushStream(
              blocks,
              ready.view,
              ready.before.index().edit(ready.view.datasets()),
              new FlushStream.Target(segment, sink));
      stream.write(ready.fresh, ready.moved);
      Staying.Verified verified =
          staying.verify(rank, verification(ready), ready.view.datasets(), stream::mend);
      return streamed(ready, stream.index(), stream.mended(), verified, segment, stream.bytes());
    }
  }

  /** Gives all new blocks to frames, in steps that the group goes together. */
  FramedStream framed(Framing framing) throws IOException {
    Prepared ready = prepared();
    BlockFetch blocks = new BlockFetch(ready.own, shared, ready.view, ready.before);
    try {
      return new FramedStream(
          rank,
          ready.view,
          ready.before,
          ready.fresh,
          ready.moved,
          framing,
          blocks,
          new Staying(shared, clock, ready.before, ready.fresh.union(ready.moved)),
          verification(ready));
    } catch (RuntimeException | Error e) {
      blocks.close();
      throw e;
    }
  }

  /** What is known once all of them have their places. */
  Streamed.Outcome outcome(FramedStream stream, String segment, FramePlaces places)
      throws IOException {
    Streamed streamed =
        streamed(
            prepared(),
            stream.index(segment, places),
            stream.mended(),
            stream.verified(),
            segment,
            0);
    return streamed.outcome(0);
  }

  /**
   * What has become of them.
   *
   * @param outcome null if it did not come so far
   */
  GroupFlush.Own own(FramedStream stream, String segment, Streamed.@Nullable Outcome outcome) {
    Staying.Verified verified = stream.verified();
    Optional<ScrubReport> scrubbed =
        verified.scrub().map(one -> one.report(version, rank, verified.verification().oldest()));
    return outcome == null
        ? new GroupFlush.Own(scrubbed, 0, Optional.empty())
        : new GroupFlush.Own(scrubbed, outcome.bytesIn(segment), Optional.of(outcome.next()));
  }

  private Streamed streamed(
      Prepared ready,
      IndexMemory.Editor index,
      Changes mended,
      Staying.Verified verified,
      String segment,
      long bytes)
      throws IOException {
    Digest expected = root(ready.view.info());
    if (!index.root().equals(expected)) {
      throw new IOException(
          "what was flushed of rank %d and version %s has root digest %s, expected %s"
              .formatted(rank, version, index.root(), expected));
    }
    return new Streamed(
        rank,
        ready.view,
        ready.before,
        base.token(),
        index,
        ready.fresh.union(ready.moved).union(mended),
        verified,
        segment,
        bytes);
  }

  private Verification verification(Prepared ready) {
    if (ready.before.version().isEmpty()) {
      return Verification.written(clock.now());
    }
    Verification known = ready.before.verification();
    return ready.before.index().numbersAlike(ready.view.datasets()) ? known : known.moved();
  }

  @Override
  public void close() throws IOException {
    if (reader.isPresent()) {
      reader.get().close();
    }
  }
}
