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
import org.cairn.container.BlockReader;
import org.cairn.container.ContainerReader;
import org.cairn.container.DatasetEntry;
import org.cairn.container.VersionHead;
import org.cairn.container.VersionView;
import org.cairn.store.Store;
import org.cairn.tier.Home;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one rank has to flush: the blocks that the version flushed before does not have, and an
 * index of all.
 *
 * <p>A rank that cannot say what it has keeps that to itself until it is asked: others wait for it.
 */
final class FlushSource implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FlushSource.class);

  private final int rank;
  private final Home home;
  private final Store shared;
  private final VersionId version;
  private final Optional<VersionId> base;

  private @Nullable ContainerReader reader;
  private @Nullable VersionView view;
  private @Nullable BlockReader blocks;
  private @Nullable IOException failure;

  /** For each block where it lies already; null if it has to be written. */
  private final List<@Nullable Known> known = new ArrayList<>();

  /** The sizes of the segments that were referred to before. */
  private final Map<String, Long> sizes = new HashMap<>();

  private long newBytes;

  /** A block in an older segment. */
  private record Known(String segment, BlockEntry entry) {}

  FlushSource(Home home, Store shared, VersionId version, Optional<VersionId> base) {
    this.rank = home.rank();
    this.home = home;
    this.shared = shared;
    this.version = version;
    this.base = base;
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
    } catch (IllegalArgumentException e) {
      failure = new IOException(e.getMessage(), e);
    }
  }

  private void compare(VersionView loaded, Set<String> emptied) {
    Map<String, Before> before = before(emptied);
    for (DatasetEntry dataset : loaded.datasets()) {
      Before old = before.get(dataset.name());
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
  private Map<String, Before> before(Set<String> emptied) {
    Map<String, Before> found = new HashMap<>();
    if (base.isEmpty()) {
      return found;
    }
    try {
      Manifest manifest = Manifest.read(shared, SegmentFormat.manifestName(base.get()));
      try (SegmentReader segment = SegmentReader.open(shared, manifest.groupOf(rank).segment())) {
        segment.references().forEach(one -> sizes.put(one.segment(), one.size()));
        MemberIndex index = segment.member(rank);
        VersionHead head = VersionHead.read(MemorySegment.ofArray(index.catalog()), segment.name());
        int first = 0;
        for (DatasetEntry dataset : head.datasets()) {
          found.put(dataset.name(), new Before(dataset, first, index));
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

  Optional<IOException> failure() {
    return Optional.ofNullable(failure);
  }

  /** Receives bytes. */
  interface Sink {
    void append(MemorySegment bytes) throws IOException;
  }

  /** Gives all new blocks, each verified, in the order in which the index will have them. */
  void stream(Sink sink) throws IOException {
    VersionView loaded = loaded();
    BlockReader source = blocks;
    int number = 0;
    for (DatasetEntry dataset : loaded.datasets()) {
      for (int block = 0; block < dataset.blocks(); block++) {
        if (known.get(number++) == null && !loaded.isZero(dataset, block) && source != null) {
          sink.append(source.readStored(dataset, block).bytes());
        }
      }
    }
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
      for (int block = 0; block < dataset.blocks(); block++) {
        Known place = known.get(number++);
        int length = dataset.blockLength(block);
        VersionView.BlockPlace now = loaded.place(dataset, block);
        if (now.isZero()) {
          builder.add(BlockEntry.zero(length, 0, 0));
        } else if (place != null) {
          BlockEntry old = place.entry;
          builder.add(
              new BlockEntry(
                  builder.segment(place.segment),
                  old.offset(),
                  old.storedLength(),
                  old.codec(),
                  length,
                  now.low(),
                  now.high()));
        } else {
          builder.add(
              new BlockEntry(
                  builder.segment(segment),
                  offset,
                  now.storedLength(),
                  now.codec(),
                  length,
                  now.low(),
                  now.high()));
          offset += now.storedLength();
        }
      }
    }
    try (Arena arena = Arena.ofConfined()) {
      return builder.build(VersionHead.write(loaded, arena).toArray(ValueLayout.JAVA_BYTE));
    }
  }

  /** The size of a segment that the index refers to. */
  long sizeOf(String segment) {
    return sizes.getOrDefault(segment, 0L);
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
