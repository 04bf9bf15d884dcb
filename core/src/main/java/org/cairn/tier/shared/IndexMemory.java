// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.cairn.record.Digest;
import org.cairn.version.DatasetEntry;
import org.cairn.version.RootDigest;
import org.jspecify.annotations.Nullable;

/**
 * What the index of a rank says, kept in memory so that nothing has to be read to go on from there:
 * for every block where it lies, and how many bytes of blocks lie in which segment. Immutable.
 */
final class IndexMemory {
  static final IndexMemory EMPTY =
      new IndexMemory(new RootDigest(), new LinkedHashMap<>(), List.of(), List.of(), 0);

  private final Digest root;
  private final Map<String, Dataset> datasets;
  private final List<@Nullable String> segments; // null where a number is free
  private final List<Live> live; // by the numbers of segments
  private final long stored;

  /**
   * What a rank needs of a segment.
   *
   * @param bytes of blocks that lie there as they are
   * @param blocks how many lie there in whatever way
   * @param frames what it has in frames
   */
  private record Live(long bytes, long blocks, FrameShares frames) {
    static final Live NOTHING = new Live(0, 0, FrameShares.NONE);

    long storedBytes() {
      return bytes + frames.liveBytes();
    }
  }

  /** A dataset of the version, and where its blocks lie. */
  private record Dataset(DatasetEntry entry, int firstBlock, BlockPlaces places) {}

  private IndexMemory(
      RootDigest root,
      LinkedHashMap<String, Dataset> datasets,
      List<@Nullable String> segments,
      List<Live> live,
      long stored) {
    this.root = new Digest(root.low(), root.high());
    this.datasets = datasets;
    this.segments = segments;
    this.live = live;
    this.stored = stored;
  }

  /** The root digest of what it says: changed with every block. */
  Digest root() {
    return root;
  }

  /** How many blocks are not zeros. */
  long storedBlocks() {
    return stored;
  }

  /** No segment has this number, or a larger one. */
  int segmentNumbers() {
    return segments.size();
  }

  /** Where the blocks of a dataset of this version lie. */
  BlockPlaces places(DatasetEntry dataset) {
    Dataset known = datasets.get(dataset.name());
    return known == null ? BlockPlaces.NONE : known.places;
  }

  String segment(int number) {
    String name = segments.get(number);
    if (name == null) {
      throw new IllegalArgumentException("no block lies in segment " + number);
    }
    return name;
  }

  /** What an index says of a block that is not zeros. */
  BlockEntry entry(DatasetEntry dataset, int block) {
    BlockPlaces places = places(dataset);
    return new BlockEntry(
        places.segment(block),
        places.offset(block),
        places.storedLength(block),
        places.codec(block),
        dataset.blockLength(block),
        places.low(block),
        places.high(block));
  }

  /**
   * How many bytes of which segment are needed; those without a block are not there. Of a frame it
   * is the part that its live blocks are of all.
   */
  Map<String, Long> live() {
    Map<String, Long> found = new TreeMap<>();
    for (int i = 0; i < segments.size(); i++) {
      String name = segments.get(i);
      if (name != null) {
        found.put(name, live.get(i).storedBytes());
      }
    }
    return found;
  }

  /** The blocks that lie in one of these segments. */
  Changes in(Set<String> wanted) {
    BitSet numbers = new BitSet();
    for (int i = 0; i < segments.size(); i++) {
      String name = segments.get(i);
      if (name != null && wanted.contains(name)) {
        numbers.set(i);
      }
    }
    return find(numbers, (_, _, _) -> true);
  }

  private Changes find(BitSet numbers, BlockPlaces.Wanted wanted) {
    if (numbers.isEmpty()) {
      return Changes.NONE;
    }
    Map<String, BlockSet> found = new HashMap<>();
    datasets.forEach(
        (name, dataset) -> {
          BlockSet.Builder blocks = new BlockSet.Builder();
          dataset.places.find(numbers, wanted, blocks);
          BlockSet set = blocks.build();
          if (!set.isEmpty()) {
            found.put(name, set);
          }
        });
    return new Changes(found);
  }

  /**
   * The blocks in frames of which this rank needs less than half of what it put there, once some
   * blocks have changed: whoever reads what is left would read mostly what nobody wants.
   */
  Changes inSparseFrames(Changes changed) {
    FrameShares.Editor[] after = new FrameShares.Editor[segments.size()];
    for (int i = 0; i < after.length; i++) {
      after[i] = live.get(i).frames.edit();
    }
    datasets.forEach(
        (name, dataset) -> {
          BlockSet blocks = changed.of(name).below(dataset.places.blocks());
          blocks.forEach(block -> takeOut(dataset, block, after));
        });
    BitSet sparse = new BitSet();
    for (int i = 0; i < after.length; i++) {
      sparse.set(i, after[i].hasSparse());
    }
    return find(
        sparse,
        (segment, address, codec) ->
            codec == SegmentFormat.FRAMED && after[segment].isSparse(address));
  }

  private static void takeOut(Dataset dataset, int block, FrameShares.Editor[] after) {
    BlockPlaces places = dataset.places;
    if (!places.isZero(block) && places.codec(block) == SegmentFormat.FRAMED) {
      after[places.segment(block)].add(places.offset(block), -places.storedLength(block));
    }
  }

  /** How many blocks of a dataset, from the first on, can be as they are here. */
  int comparable(DatasetEntry dataset) {
    Dataset known = datasets.get(dataset.name());
    if (known == null
        || known.entry.spec().blockSize() != dataset.spec().blockSize()
        || known.entry.spec().algorithm() != dataset.spec().algorithm()) {
      return 0;
    }
    int common = Math.min(dataset.blocks(), known.entry.blocks());
    boolean lastIsShort =
        common > 0 && dataset.blockLength(common - 1) != known.entry.blockLength(common - 1);
    return lastIsShort ? common - 1 : common;
  }

  /** Whether blocks have the same numbers in both, counted over all datasets. */
  boolean numbersAlike(Collection<DatasetEntry> others) {
    if (others.size() != datasets.size()) {
      return false;
    }
    int number = 0;
    for (DatasetEntry other : others) {
      Dataset known = datasets.get(other.name());
      if (known == null || known.firstBlock != number || known.entry.blocks() != other.blocks()) {
        return false;
      }
      number += other.blocks();
    }
    return true;
  }

  /** The same for these datasets, to be changed: what is not comparable has to be put. */
  Editor edit(Collection<DatasetEntry> next) {
    return new Editor(next);
  }

  /** Makes a memory of what is there and what changed. Each block is put once. For one thread. */
  final class Editor {
    private final RootDigest digest = RootDigest.of(root);
    private final LinkedHashMap<String, Editing> editing = new LinkedHashMap<>();
    private final List<@Nullable String> names = new ArrayList<>(segments);
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<Counting> counting = new ArrayList<>();
    private long count = stored;

    /** What is needed of a segment, while that changes. */
    private static final class Counting {
      long bytes;
      long blocks;
      FrameShares.Editor frames;

      Counting(Live before) {
        this.bytes = before.bytes;
        this.blocks = before.blocks;
        this.frames = before.frames.edit();
      }

      /** A block comes (1) or goes (-1). */
      void count(long offset, int storedLength, int codec, int sign) {
        blocks += sign;
        if (codec == SegmentFormat.FRAMED) {
          frames.add(offset, sign * storedLength);
        } else if (codec != SegmentFormat.BORROWED) {
          bytes += (long) sign * storedLength;
        }
      }

      Live end() {
        return blocks == 0 ? Live.NOTHING : new Live(bytes, blocks, frames.build());
      }
    }

    private final class Editing {
      final DatasetEntry entry;
      final RootDigest.Key key;
      final BlockPlaces before;
      final int comparable;
      final BlockPlaces.Editor now;

      Editing(DatasetEntry entry) {
        this.entry = entry;
        this.key = RootDigest.Key.of(entry.spec());
        this.comparable = comparable(entry);
        this.before = comparable == 0 ? BlockPlaces.NONE : places(entry);
        this.now = before.edit(entry.blocks());
      }
    }

    private Editor(Collection<DatasetEntry> next) {
      live.forEach(one -> counting.add(new Counting(one)));
      for (int i = 0; i < names.size(); i++) {
        String name = names.get(i);
        if (name != null) {
          numbers.put(name, i);
        }
      }
      for (DatasetEntry entry : next) {
        editing.put(entry.name(), new Editing(entry));
        digest.add(entry.spec());
      }
      datasets.forEach(this::takeOut);
    }

    /** A dataset of before: what of it nothing can be as it was. */
    private void takeOut(String name, Dataset old) {
      digest.remove(old.entry.spec());
      Editing next = editing.get(name);
      int from = next == null ? 0 : next.comparable;
      RootDigest.Key key = RootDigest.Key.of(old.entry.spec());
      takeOut(key, old.places, from, old.places.blocks());
    }

    private void takeOut(RootDigest.Key key, BlockPlaces places, int from, int to) {
      int block = from;
      while (block < to) {
        int zeros = Math.min(places.zerosFrom(block), to - block);
        if (zeros > 0) {
          digest.removeZeros(key, block, zeros);
          block += zeros;
        } else {
          digest.remove(key, block, places.low(block), places.high(block));
          counting
              .get(places.segment(block))
              .count(places.offset(block), places.storedLength(block), places.codec(block), -1);
          count--;
          block++;
        }
      }
    }

    private Editing editing(DatasetEntry dataset, int first, int end) {
      Editing found = editing.get(dataset.name());
      if (found == null || end > found.entry.blocks()) {
        throw new IllegalArgumentException("block %d of %s".formatted(end - 1, dataset));
      }
      takeOut(found.key, found.before, first, Math.min(end, found.comparable));
      return found;
    }

    /** Says where a block lies now. */
    void put(
        DatasetEntry dataset,
        int block,
        String segment,
        long offset,
        int storedLength,
        int codec,
        long low,
        long high) {
      Editing one = editing(dataset, block, block + 1);
      int number = number(segment);
      one.now.put(block, number, offset, storedLength, codec, low, high);
      counting.get(number).count(offset, storedLength, codec, 1);
      count++;
      digest.add(one.key, block, low, high);
    }

    /** Says that blocks are zeros now. */
    void putZeros(DatasetEntry dataset, int first, int count) {
      Editing one = editing(dataset, first, first + count);
      one.now.putZeros(first, count);
      digest.addZeros(one.key, first, count);
    }

    private int number(String segment) {
      Integer known = numbers.get(segment);
      if (known != null) {
        return known;
      }
      int free = names.indexOf(null);
      int number = free >= 0 ? free : names.size();
      if (free >= 0) {
        names.set(free, segment);
      } else {
        names.add(segment);
      }
      Counting fresh = new Counting(Live.NOTHING);
      if (number < counting.size()) {
        counting.set(number, fresh);
      } else {
        counting.add(fresh);
      }
      numbers.put(segment, number);
      return number;
    }

    /** Tells of the frames of a segment, before blocks are put there. */
    void frames(String segment, FrameShares frames) {
      counting.get(number(segment)).frames = frames.edit();
    }

    /** The root digest of what it says now. */
    Digest root() {
      return new Digest(digest.low(), digest.high());
    }

    /** What it says in the end. */
    IndexMemory build() {
      return build(BlockPlaces.NOWHERE, 0);
    }

    /**
     * What it says in the end.
     *
     * @param segment a new one, of which blocks were put with their places from {@code start} on
     * @param start where that is
     */
    IndexMemory build(String segment, long start) {
      return build(numbers.getOrDefault(segment, BlockPlaces.NOWHERE), start);
    }

    private IndexMemory build(int fresh, long start) {
      LinkedHashMap<String, Dataset> built = new LinkedHashMap<>();
      int first = 0;
      for (Editing one : editing.values()) {
        built.put(one.entry.name(), new Dataset(one.entry, first, one.now.build(fresh, start)));
        first += one.entry.blocks();
      }
      List<Live> needed = new ArrayList<>();
      for (int i = 0; i < names.size(); i++) {
        needed.add(counting.get(i).end());
        if (needed.get(i).blocks == 0) {
          names.set(i, null); // no block lies there any more
        }
      }
      return new IndexMemory(digest, built, names, needed, count);
    }
  }
}
