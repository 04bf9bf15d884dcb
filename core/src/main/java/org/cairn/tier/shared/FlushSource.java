// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
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
  private final Home home;
  private final Store shared;
  private final Clock clock;
  private final VersionId version;
  private final FlushBase base;

  private @Nullable ContainerReader reader;
  private @Nullable Prepared prepared;
  private @Nullable IOException failure;
  private @Nullable Streamed streamed;
  private long newBytes;

  FlushSource(Home home, Store shared, Clock clock, VersionId version, FlushBase base) {
    this.rank = home.rank();
    this.home = home;
    this.shared = shared;
    this.clock = clock;
    this.version = version;
    this.base = base;
  }

  /** What a person says of the version; nothing if this rank cannot read it. */
  Label label() {
    Prepared known = prepared;
    return known == null ? Label.none() : known.view.info().label();
  }

  /**
   * What is known before anything is written.
   *
   * @param view the version, at least as far as it changed
   * @param fresh blocks that the version before does not have, or that {@code view} can as well be
   *     asked for
   * @param moved blocks that have to leave the segment they are in, and have not changed
   */
  private record Prepared(VersionView view, Flushed before, Changes fresh, Changes moved) {}

  /**
   * What is known after all blocks were written.
   *
   * @param index where all blocks lie, once it is known where the new ones begin
   * @param mine all blocks that lie elsewhere than before
   * @param linkable whether indices that were written before can be built upon
   * @param segment where blocks were written to
   */
  private record Streamed(
      IndexMemory.Editor index,
      Changes mine,
      Verification verification,
      boolean linkable,
      Optional<Scrub> scrub,
      String segment) {}

  // ---------------------------------------------------------------- what has to be written

  /**
   * Finds out what has to be written.
   *
   * @param remembered what was flushed before, if it is known
   */
  void prepare(Optional<Flushed> remembered, Deltas deltas) {
    try {
      ContainerReader opened = home.openState();
      reader = opened;
      Flushed before = remembered.orElseGet(this::before);
      Optional<Delta> delta = delta(before, deltas, opened);
      prepared = delta.isPresent() ? prepare(before, delta.get(), opened) : compare(before, opened);
    } catch (IOException e) {
      failure = e;
    } catch (IllegalArgumentException | OutOfMemoryError e) {
      failure = new IOException(e.getMessage(), e);
    }
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
    return new Prepared(view, before, changed.build(), emptied(before, view));
  }

  private Prepared compare(Flushed before, ContainerReader own) throws IOException {
    VersionView view = own.view(version);
    Changes.Builder changed = new Changes.Builder();
    for (DatasetEntry dataset : view.datasets()) {
      compare(before.index(), view, dataset, changed);
    }
    return new Prepared(view, before, changed.build().union(emptied(before, view)), Changes.NONE);
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

  /** The blocks in segments that nothing should be left in, as far as they are still there. */
  private Changes emptied(Flushed before, VersionView view) {
    Changes there = before.index().in(base.emptied());
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
    Prepared ready = prepared;
    if (failure != null) {
      throw failure;
    }
    if (ready == null) {
      throw new IOException("nothing was prepared");
    }
    return ready;
  }

  /** How many bytes of blocks this rank adds, at most; to take as much memory. */
  long mostBytes() {
    Prepared ready = prepared;
    if (ready == null) {
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
  void stream(String segment, Sink sink) throws IOException {
    Prepared ready = prepared();
    ContainerReader own = reader;
    if (own == null) {
      throw new IOException("nothing was prepared");
    }
    try (FlushStream stream =
        new FlushStream(
            own, shared, clock, ready.view, ready.before, new FlushStream.Target(segment, sink))) {
      stream.write(ready.fresh, ready.moved);
      Verification verification = verification(ready);
      if (verification.isDue(clock.now())) {
        verification = stream.scrub(rank, verification);
      }
      newBytes = stream.bytes();
      IndexMemory.Editor index = stream.index();
      if (!index.root().equals(root(ready.view.info()))) {
        throw new IOException(
            "what was flushed of rank %d and version %s has root digest %s, expected %s"
                .formatted(rank, version, index.root(), root(ready.view.info())));
      }
      streamed =
          new Streamed(
              index,
              ready.fresh.union(ready.moved).union(stream.mended()),
              verification,
              stream.isLinkable(),
              stream.scrub(),
              segment);
    }
  }

  private Verification verification(Prepared ready) {
    if (ready.before.version().isEmpty()) {
      return Verification.written(clock.now());
    }
    Verification known = ready.before.verification();
    return ready.before.index().numbersAlike(ready.view.datasets()) ? known : known.moved();
  }

  /** How many bytes of blocks this rank has added. */
  long newBytes() {
    return newBytes;
  }

  /** What was verified on the way; empty if nothing was due, or nothing has been written yet. */
  Optional<ScrubReport> scrubbed() {
    Streamed done = streamed;
    return done == null
        ? Optional.empty()
        : done.scrub.map(scrub -> scrub.report(version, rank, done.verification.oldest()));
  }

  // ---------------------------------------------------------------- telling of it

  /**
   * What this rank has in the end.
   *
   * @param apart an index that does not go to the segment, but to the file beside it
   * @param references the segments that it needs, and how many bytes there
   * @param next what the next flush can go on from, once the segment has been finished
   */
  record Outcome(
      MemberIndex index, Optional<MemberIndex> apart, List<Reference> references, Flushed next) {}

  /**
   * The index of what was written.
   *
   * @param start where the first of the new blocks lies in the segment
   */
  Outcome outcome(long start) throws IOException {
    Prepared ready = prepared();
    Streamed done = streamed;
    if (done == null) {
      throw new IOException("nothing was written");
    }
    IndexMemory now = done.index.build(done.segment, start);
    SharedNames.Segment own =
        SharedNames.segment(done.segment)
            .orElseThrow(() -> new IOException(done.segment + " is no segment"));
    NextIndex.Made made =
        new NextIndex(rank, own, ready.before, done.mine, now, done.linkable)
            .make(ready.view, done.verification);
    Flushed flushed =
        new Flushed(
            Optional.of(version),
            base.token(),
            now,
            made.chain(),
            Reference.byName(made.references()),
            done.verification);
    return new Outcome(made.index(), made.apart(), made.references(), flushed);
  }

  @Override
  public void close() throws IOException {
    if (reader != null) {
      reader.close();
    }
  }
}
