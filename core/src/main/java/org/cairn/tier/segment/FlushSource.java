// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.segment;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.cairn.clock.Clock;
import org.cairn.container.BlockReader;
import org.cairn.container.ContainerReader;
import org.cairn.container.DatasetEntry;
import org.cairn.container.VersionHead;
import org.cairn.container.VersionInfo;
import org.cairn.container.VersionView;
import org.cairn.record.Digest;
import org.cairn.store.Store;
import org.cairn.supply.Supply;
import org.cairn.tier.Home;
import org.cairn.tier.SharedNames;
import org.cairn.version.Label;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one rank has to flush: the blocks that the version flushed before does not have, and an
 * index of all. On the way a share of the blocks that stay where they are is verified, see {@link
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
  private final Optional<VersionId> base;

  private @Nullable ContainerReader reader;
  private @Nullable VersionView view;
  private @Nullable BlockReader blocks;
  private @Nullable IOException failure;

  /** For each block where it lies already; null if it has to be written. */
  private final List<@Nullable Known> known = new ArrayList<>();

  /** Blocks that were found damaged, by number, and where behind the new ones they were put. */
  private final Map<Integer, Long> mended = new HashMap<>();

  /** The segments that were referred to before. */
  private final Map<String, Reference> older = new HashMap<>();

  private Verification verification = Verification.never();
  private @Nullable Scrub scrub;
  private long newBytes;

  /** A block in an older segment. */
  record Known(String segment, BlockEntry entry) {}

  FlushSource(Home home, Store shared, Clock clock, VersionId version, Optional<VersionId> base) {
    this.rank = home.rank();
    this.home = home;
    this.shared = shared;
    this.clock = clock;
    this.version = version;
    this.base = base;
  }

  /** What a person says of the version; nothing if this rank cannot read it. */
  Label label() {
    VersionView loaded = view;
    return loaded == null ? Label.none() : loaded.info().label();
  }

  /** Finds out what has to be written. */
  void prepare(Set<String> emptied) {
    try {
      ContainerReader opened = ContainerReader.open(home.store(), home.state());
      reader = opened;
      VersionView loaded = opened.view(version);
      view = loaded;
      blocks = new BlockReader(loaded);
      compare(loaded, emptied);
    } catch (IOException e) {
      failure = e;
    } catch (IllegalArgumentException | OutOfMemoryError e) {
      failure = new IOException(e.getMessage(), e);
    }
  }

  private void compare(VersionView loaded, Set<String> emptied) {
    Map<String, Before> before = before();
    if (before.isEmpty()) {
      verification = Verification.written(clock.now());
    }
    int number = 0;
    for (DatasetEntry dataset : loaded.datasets()) {
      Before old = before.get(dataset.name());
      if (old == null || old.firstBlock != number || old.dataset.blocks() != dataset.blocks()) {
        verification = verification.moved();
      }
      number += dataset.blocks();
      for (int block = 0; block < dataset.blocks(); block++) {
        Known place = old == null ? null : old.find(loaded, dataset, block, emptied);
        known.add(place);
        if (place == null) {
          newBytes += loaded.place(dataset, block).storedLength();
        }
      }
    }
  }

  /** A dataset as the version before had it. */
  private record Before(DatasetEntry dataset, int firstBlock, MemberIndex index) {
    @Nullable Known find(VersionView now, DatasetEntry wanted, int block, Set<String> emptied) {
      boolean comparable =
          wanted.spec().blockSize() == dataset.spec().blockSize()
              && wanted.spec().algorithm() == dataset.spec().algorithm()
              && block < dataset.blocks()
              && wanted.blockLength(block) == dataset.blockLength(block);
      if (!comparable || now.isZero(wanted, block)) {
        return null;
      }
      BlockEntry entry = index.entry(firstBlock + block);
      if (entry.isZero()
          || entry.digestLow() != now.low(wanted, block)
          || entry.digestHigh() != now.high(wanted, block)) {
        return null;
      }
      String segment = index.segments().get(entry.segment());
      return emptied.contains(segment) ? null : new Known(segment, entry);
    }
  }

  /** If the index of the version before cannot be read, everything is new. */
  private Map<String, Before> before() {
    Map<String, Before> found = new HashMap<>();
    if (base.isEmpty()) {
      return found;
    }
    try {
      // Whether all segments are there was looked at by rank 0, for all.
      Manifest manifest = Manifest.read(shared, SharedNames.manifest(base.get()));
      manifest.references().forEach(one -> older.put(one.segment(), one));
      Reference own = manifest.reference(manifest.groupOf(rank).segment());
      try (SegmentReader segment = SegmentReader.open(shared, own)) {
        MemberState state = MemberState.read(segment, rank);
        verification = state.index().verification().orElseGet(Verification::never);
        int first = 0;
        for (DatasetEntry dataset : state.head().datasets()) {
          found.put(dataset.name(), new Before(dataset, first, state.index()));
          first += dataset.blocks();
        }
      }
    } catch (IOException | IllegalArgumentException e) {
      LOG.warn("rank {} flushes everything: {}", rank, e.toString());
      found.clear();
    }
    return found;
  }

  /** How many bytes of blocks this rank adds. */
  long newBytes() {
    return newBytes;
  }

  /** What was verified on the way; empty if nothing was due, or nothing has been written yet. */
  Optional<ScrubReport> scrubbed() {
    return Optional.ofNullable(scrub)
        .map(done -> done.report(version, rank, verification.oldest()));
  }

  /** Receives bytes. */
  interface Sink {
    void append(MemorySegment bytes) throws IOException;
  }

  /**
   * Gives all new blocks, each verified, in the order in which the index will have them; behind
   * them those that were found damaged in older segments.
   */
  void stream(Sink sink) throws IOException {
    VersionView loaded = loaded();
    long start = clock.nanos();
    int number = 0;
    for (DatasetEntry dataset : loaded.datasets()) {
      for (int block = 0; block < dataset.blocks(); block++) {
        if (known.get(number++) == null && !loaded.isZero(dataset, block)) {
          sink.append(source().readStored(dataset, block).bytes());
        }
      }
    }
    if (verification.isDue(clock.now())) {
      scrub(loaded, sink, clock.nanos() - start);
    }
  }

  /** Verifies a piece of what stays, for not longer than it took to write what is new. */
  private void scrub(VersionView loaded, Sink sink, long nanos) throws IOException {
    Scrub piece = new Scrub(shared, clock, older.values(), verification, nanos);
    scrub = piece;
    verification =
        piece.run(
            loaded.datasets(),
            known,
            (dataset, block, number) -> {
              MemorySegment good = source().readStored(dataset, block).bytes();
              mended.put(number, newBytes);
              newBytes += good.byteSize();
              known.set(number, null);
              sink.append(good);
            });
  }

  private BlockReader source() throws IOException {
    BlockReader source = blocks;
    if (source == null) {
      throw new IOException("nothing was prepared");
    }
    return source;
  }

  private VersionView loaded() throws IOException {
    VersionView loaded = view;
    if (failure != null) {
      throw failure;
    }
    if (loaded == null) {
      throw new IOException("nothing was prepared");
    }
    return loaded;
  }

  /** The index, given where in the new segment the new blocks begin. */
  MemberIndex index(String segment, long start) throws IOException {
    VersionView loaded = loaded();
    MemberIndex.Builder builder = new MemberIndex.Builder(rank);
    long offset = start;
    int number = 0;
    for (DatasetEntry dataset : loaded.datasets()) {
      for (int block = 0; block < dataset.blocks(); block++, number++) {
        Known place = known.get(number);
        int length = dataset.blockLength(block);
        VersionView.BlockPlace now = loaded.place(dataset, block);
        Long again = mended.get(number);
        if (now.isZero()) {
          builder.add(BlockEntry.zero(length, 0, 0));
        } else if (place != null) {
          builder.add(entry(builder.segment(place.segment), place.entry, length, now));
        } else if (again != null) {
          builder.add(entry(builder.segment(segment), start + again, length, now));
        } else {
          builder.add(entry(builder.segment(segment), offset, length, now));
          offset += now.storedLength();
        }
      }
    }
    VersionInfo info = loaded.info();
    try (Arena arena = Supply.confinedArena()) {
      return builder.build(
          VersionHead.write(loaded, arena).toArray(ValueLayout.JAVA_BYTE),
          new Digest(info.digestLow(), info.digestHigh()),
          info.takenAt(),
          verification);
    }
  }

  /** A block in an older segment. */
  private static BlockEntry entry(
      int segment, BlockEntry old, int length, VersionView.BlockPlace now) {
    return new BlockEntry(
        segment, old.offset(), old.storedLength(), old.codec(), length, now.low(), now.high());
  }

  /** A block that was just written. */
  private static BlockEntry entry(
      int segment, long offset, int length, VersionView.BlockPlace now) {
    return new BlockEntry(
        segment, offset, now.storedLength(), now.codec(), length, now.low(), now.high());
  }

  /** The older segments that an index refers to. */
  List<Reference> references(MemberIndex index) {
    return index.segments().stream()
        .flatMap(name -> Optional.ofNullable(older.get(name)).stream())
        .toList();
  }

  @Override
  public void close() throws IOException {
    if (blocks != null) {
      blocks.close();
    }
    if (reader != null) {
      reader.close();
    }
  }
}
