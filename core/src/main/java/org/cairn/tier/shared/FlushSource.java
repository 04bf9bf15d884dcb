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
    return new Prepared(own, view, before, changed.build(), emptied(before, view));
  }

  private Prepared compare(Flushed before, ContainerReader own) throws IOException {
    VersionView view = own.view(version);
    Changes.Builder changed = new Changes.Builder();
    for (DatasetEntry dataset : view.datasets()) {
      compare(before.index(), view, dataset, changed);
    }
    return new Prepared(
        own, view, before, changed.build().union(emptied(before, view)), Changes.NONE);
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
    FlushStream.Target target = new FlushStream.Target(segment, sink);
    try (FlushStream stream =
        new FlushStream(ready.own, shared, clock, ready.view, ready.before, target)) {
      stream.write(ready.fresh, ready.moved);
      Verification verification = verification(ready);
      FlushStream.Verified verified =
          verification.isDue(clock.now())
              ? stream.verify(rank, verification)
              : FlushStream.Verified.nothing(verification);
      IndexMemory.Editor index = stream.index();
      if (!index.root().equals(root(ready.view.info()))) {
        throw new IOException(
            "what was flushed of rank %d and version %s has root digest %s, expected %s"
                .formatted(rank, version, index.root(), root(ready.view.info())));
      }
      return new Streamed(
          rank,
          ready.view,
          ready.before,
          base.token(),
          index,
          ready.fresh.union(ready.moved).union(stream.mended()),
          verified,
          segment,
          stream.bytes());
    }
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
