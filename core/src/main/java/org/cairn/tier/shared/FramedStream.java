// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.cairn.container.VersionView;
import org.cairn.frame.FrameInfo;
import org.cairn.record.RecordWriter;
import org.cairn.version.DatasetEntry;
import org.jspecify.annotations.Nullable;

/**
 * Gives the blocks of a rank to frames: first those of large variables, in frames of its own; then
 * those of small ones, one after the other by their classes, for somebody who merges them with
 * those of other ranks. Where all of them lie is told when everybody has given his. For one thread.
 */
final class FramedStream implements AutoCloseable {
  /** If one of so many blocks moves, reading the whole map costs little beside. */
  private static final int BULK = 64;

  private final int rank;
  private final VersionView view;
  private final Flushed before;
  private final Changes fresh;
  private final Framing framing;
  private final BlockFetch fetch;
  private final Staying staying;
  private final Verification verification;

  /** By their classes. */
  private final List<DatasetEntry> datasets;

  private final List<TypedDataset> types;
  private final Map<String, Integer> numbers = new HashMap<>();
  private final BlockOrder own = new BlockOrder();
  private final BlockOrder small = new BlockOrder();
  private final IndexMemory.Editor index;
  private final boolean isBulk;
  private final Set<Long> mended = new HashSet<>();
  private BitSet borrowed = new BitSet();
  private BitSet lent = new BitSet();
  private @Nullable OwnFrames frames;
  private Staying.Verified verified;

  /**
   * What has to be given away.
   *
   * @param view the version, at least as far as it changed
   * @param before what was flushed before
   * @param fresh blocks that the container is asked for
   * @param moved blocks that leave their segments, or frames, and did not change
   */
  FramedStream(
      int rank,
      VersionView view,
      Flushed before,
      Changes fresh,
      Changes moved,
      Framing framing,
      BlockFetch fetch,
      Staying staying,
      Verification verification) {
    this.rank = rank;
    this.view = view;
    this.before = before;
    this.fresh = fresh;
    this.framing = framing;
    this.fetch = fetch;
    this.staying = staying;
    this.verification = verification;
    this.verified = Staying.Verified.nothing(verification);
    this.datasets =
        view.datasets().stream()
            .sorted(
                Comparator.comparing((DatasetEntry one) -> TypedDataset.of(one).key())
                    .thenComparing(DatasetEntry::name))
            .toList();
    this.types = datasets.stream().map(TypedDataset::of).toList();
    this.index = before.index().edit(view.datasets());
    long blocks = datasets.stream().mapToLong(DatasetEntry::blocks).sum();
    this.isBulk = moved.count() * BULK >= blocks;
    Changes all = fresh.union(moved);
    List<Moving> apart = new ArrayList<>();
    for (int i = 0; i < datasets.size(); i++) {
      numbers.put(datasets.get(i).name(), i);
      order(i, all.of(datasets.get(i).name()), apart);
    }
    apart.sort(Comparator.comparingInt(Moving::segment).thenComparingLong(Moving::address));
    apart.forEach(one -> own.add(one.dataset, one.block, one.block + 1, true));
  }

  // ---------------------------------------------------------------- the order

  /** A block that is read from where it lies: those of one frame together. */
  private record Moving(int dataset, int block, int segment, long address) {}

  private void order(int number, BlockSet written, List<Moving> apart) {
    DatasetEntry dataset = datasets.get(number);
    BlockSet local = fresh.of(dataset.name());
    boolean isLarge = framing.isLarge(dataset.spec().byteLength());
    for (int i = 0; i < written.ranges(); i++) {
      int block = written.first(i);
      while (block < written.end(i)) {
        int zeros = Math.min(view.zerosFrom(dataset, block), written.end(i) - block);
        if (zeros > 0) {
          index.putZeros(dataset, block, zeros);
        } else {
          boolean moves = !local.contains(block);
          if (moves && isLarge && !isBulk) {
            BlockPlaces places = before.index().places(dataset);
            apart.add(new Moving(number, block, places.segment(block), places.offset(block)));
          } else {
            (isLarge ? own : small).add(number, block, block + 1, moves);
          }
        }
        block += Math.max(1, zeros);
      }
    }
  }

  private int length(int dataset, int block) {
    return datasets.get(dataset).blockLength(block);
  }

  private long low(int dataset, int block, boolean moves) {
    DatasetEntry entry = datasets.get(dataset);
    return moves ? before.index().places(entry).low(block) : view.low(entry, block);
  }

  private long high(int dataset, int block, boolean moves) {
    DatasetEntry entry = datasets.get(dataset);
    return moves ? before.index().places(entry).high(block) : view.high(entry, block);
  }

  private MemorySegment plain(int dataset, int block, boolean moves) throws IOException {
    DatasetEntry entry = datasets.get(dataset);
    if (!moves) {
      return fetch.changedPlain(entry, block);
    }
    boolean fromContainer = isBulk || mended.contains(key(dataset, block));
    return fromContainer ? fetch.unchangedPlain(entry, block) : fetch.movedPlain(entry, block);
  }

  private static long key(int dataset, int block) {
    return (long) dataset << 32 | block;
  }

  // ---------------------------------------------------------------- what others have, too

  /**
   * Tells the digests of its blocks.
   *
   * @param most of how many
   */
  void tell(RecordWriter out, int most) throws IOException {
    BlockSharing.Telling telling = new BlockSharing.Telling(out);
    tell(own, 0, most, telling);
    tell(small, own.blocks(), most, telling);
    telling.end();
  }

  private void tell(BlockOrder order, int first, int most, BlockSharing.Telling telling) {
    BlockOrder.Cursor at = order.cursor();
    while (at.next() && first + at.ordinal() < most) {
      var algorithm = datasets.get(at.dataset()).spec().algorithm();
      telling.block(
          length(at.dataset(), at.block()),
          algorithm.id(),
          algorithm.weak(),
          low(at.dataset(), at.block(), at.moves()),
          high(at.dataset(), at.block(), at.moves()));
    }
  }

  /** Is told which blocks it need not give away, and whose places others want to know. */
  void share(BitSet ofOthers, BitSet forOthers) {
    borrowed = ofOthers;
    lent = forOthers;
  }

  /** Where the blocks lie that others want to know of: among its own, or among the small ones. */
  long[] lentPositions() {
    long[] positions = new long[lent.cardinality()];
    int found = 0;
    OwnFrames given = given();
    for (int i = lent.nextSetBit(0); i >= 0 && i < own.blocks(); i = lent.nextSetBit(i + 1)) {
      positions[found++] = given.addressOf(i);
    }
    long position = 0;
    BlockOrder.Cursor at = small.cursor();
    while (at.next()) {
      int ordinal = own.blocks() + at.ordinal();
      if (lent.get(ordinal)) {
        positions[found++] = position;
      }
      position += borrowed.get(ordinal) ? 0 : length(at.dataset(), at.block());
    }
    return positions;
  }

  /** How many of the ordinals are of its own frames. */
  int ownBlocks() {
    return own.blocks();
  }

  // ---------------------------------------------------------------- giving

  /**
   * Gives frames of its own; behind what is new, blocks that were found damaged in older segments.
   */
  void writeOwn(FrameSink sink) throws IOException {
    OwnFrames given = new OwnFrames(datasets, types, framing, ownBytes(), lent, this::plain, sink);
    frames = given;
    own.forEach(
        (dataset, block, moves, ordinal) -> {
          if (!borrowed.get(ordinal)) {
            given.add(dataset, block, moves, ordinal);
          }
        });
    verified =
        staying.verify(rank, verification, view.datasets(), (one, block) -> mend(one, block));
    given.end();
  }

  private void mend(DatasetEntry dataset, int block) throws IOException {
    int number = numbers.getOrDefault(dataset.name(), -1);
    mended.add(key(number, block));
    given().add(number, block, true, -1);
  }

  private OwnFrames given() {
    OwnFrames given = frames;
    if (given == null) {
      throw new IllegalStateException("nothing was given away yet");
    }
    return given;
  }

  private long ownBytes() {
    long bytes = 0;
    BlockOrder.Cursor at = own.cursor();
    while (at.next()) {
      bytes += borrowed.get(at.ordinal()) ? 0 : length(at.dataset(), at.block());
    }
    return bytes;
  }

  /** What it has of small variables, in the order in which it gives them. */
  List<MergedFrames.Variable> variables() {
    List<MergedFrames.Variable> variables = new ArrayList<>();
    long[] bytes = new long[datasets.size()];
    BlockOrder.Cursor at = small.cursor();
    while (at.next()) {
      if (!borrowed.get(own.blocks() + at.ordinal())) {
        bytes[at.dataset()] += length(at.dataset(), at.block());
      }
    }
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] > 0) {
        variables.add(new MergedFrames.Variable(types.get(i), bytes[i]));
      }
    }
    return variables;
  }

  /** The bytes of small variables, one after the other. */
  MergedFrames.Source smallBytes() {
    BlockOrder.Cursor at = small.cursor();
    return target -> {
      long filled = 0;
      while (filled < target.byteSize()) {
        if (!at.next()) {
          throw new IllegalStateException("more was asked for than there is");
        }
        if (!borrowed.get(own.blocks() + at.ordinal())) {
          int length = length(at.dataset(), at.block());
          MemorySegment bytes = plain(at.dataset(), at.block(), at.moves());
          MemorySegment.copy(bytes, 0, target, filled, length);
          filled += length;
        }
      }
    };
  }

  /** Gives the same, block by block. */
  void writeSmall(FlushSource.Sink sink) throws IOException {
    small.forEach(
        (dataset, block, moves, ordinal) -> {
          if (!borrowed.get(own.blocks() + ordinal)) {
            sink.append(plain(dataset, block, moves).asSlice(0, length(dataset, block)));
          }
        });
  }

  // ---------------------------------------------------------------- where all of it lies

  /** Notes where everything lies now. */
  IndexMemory.Editor index(String segment, FramePlaces places) throws IOException {
    index.frames(segment, shares(places));
    given()
        .placed()
        .forEach(
            (dataset, first, count, address) -> {
              long at = places.start() + address;
              for (int block = first; block < first + count; block++) {
                boolean moves = !fresh.of(datasets.get(dataset).name()).contains(block);
                put(dataset, block, moves, segment, at, SegmentFormat.FRAMED);
                at += length(dataset, block);
              }
            });
    FramePlaces.Small at = places.small();
    small.forEach(
        (dataset, block, moves, ordinal) -> {
          if (!borrowed.get(own.blocks() + ordinal)) {
            long address = at.next(length(dataset, block));
            put(dataset, block, moves, segment, address, SegmentFormat.FRAMED);
          }
        });
    putBorrowed(segment, places);
    return index;
  }

  private void putBorrowed(String segment, FramePlaces places) throws IOException {
    int[] found = {0};
    BlockOrder.Visitor putting =
        (dataset, block, moves, _) -> {
          long address = places.borrowed()[found[0]++];
          put(dataset, block, moves, segment, address, SegmentFormat.BORROWED);
        };
    own.forEach(
        (dataset, block, moves, ordinal) -> {
          if (borrowed.get(ordinal)) {
            putting.block(dataset, block, moves, ordinal);
          }
        });
    small.forEach(
        (dataset, block, moves, ordinal) -> {
          if (borrowed.get(own.blocks() + ordinal)) {
            putting.block(dataset, block, moves, ordinal);
          }
        });
  }

  private void put(int dataset, int block, boolean moves, String segment, long address, int codec) {
    index.put(
        datasets.get(dataset),
        block,
        segment,
        address,
        length(dataset, block),
        codec,
        low(dataset, block, moves),
        high(dataset, block, moves));
  }

  private FrameShares shares(FramePlaces places) {
    List<FrameInfo> mine = given().frames();
    FrameShares alone =
        FrameShares.written(
            places.start(),
            mine.stream().mapToLong(FrameInfo::plainLength).toArray(),
            mine.stream().mapToLong(FrameInfo::storedLength).toArray());
    return alone.and(places.merged());
  }

  /** What was verified on the way. */
  Staying.Verified verified() {
    return verified;
  }

  /** Blocks that were found damaged, and given away again. */
  Changes mended() {
    Changes.Builder found = new Changes.Builder();
    for (long key : mended) {
      found.add(datasets.get((int) (key >>> 32)).name(), (int) key);
    }
    return found.build();
  }

  @Override
  public void close() throws IOException {
    try {
      if (frames != null) {
        frames.close();
      }
    } finally {
      fetch.close();
    }
  }
}
