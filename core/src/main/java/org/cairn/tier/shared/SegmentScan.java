// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.cairn.CorruptContainerException;
import org.cairn.supply.Workspace;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;
import org.jspecify.annotations.Nullable;

/**
 * Reads wanted blocks of ranks from segments, each verified. Blocks that lie side by side are read
 * at once, segment after segment, and a frame is decoded once, whoever wants blocks of it; pieces
 * are shared among the workers.
 */
final class SegmentScan {
  /** As for containers: small enough for a core's cache, large enough that calls do not matter. */
  private static final int PIECE_BYTES = 512 << 10;

  private final boolean onlyToFirst;
  private final LongConsumer progress;
  private final AtomicLong bytesDone = new AtomicLong();
  private final List<SegmentSource.Damaged> damages = new CopyOnWriteArrayList<>();

  /** Consecutive blocks of a dataset that lie side by side in a segment or in a frame of it. */
  private record Piece(
      SegmentSource.Wanted wanted,
      DatasetEntry dataset,
      int block,
      int number,
      int count,
      Place place,
      int length) {
    SegmentSource source() {
      return wanted.source();
    }
  }

  /**
   * Where a piece lies.
   *
   * @param unit the offset of the frame that it is in; -1 if it is in none
   * @param offset in the segment, or an address in its frames
   */
  private record Place(String segment, int number, long unit, long offset) {
    boolean isFramed() {
      return unit >= 0;
    }

    boolean isInFrameWith(Place other) {
      return isFramed() && unit == other.unit && segment.equals(other.segment);
    }
  }

  /**
   * A scan.
   *
   * @param onlyToFirst whether it ends at the first damage
   */
  SegmentScan(boolean onlyToFirst, LongConsumer progress) {
    this.onlyToFirst = onlyToFirst;
    this.progress = progress;
  }

  /** Reads to the end, or to the first damage. */
  List<SegmentSource.Damaged> run(Collection<SegmentSource.Wanted> all, Workers workers)
      throws IOException {
    List<Piece> pieces = new ArrayList<>();
    for (SegmentSource.Wanted wanted : all) {
      for (VersionSource.Range range : wanted.ranges()) {
        collect(wanted, range, pieces);
      }
    }
    pieces.sort(
        Comparator.comparing((Piece piece) -> piece.place.segment)
            .thenComparingLong(piece -> piece.place.unit)
            .thenComparingLong(piece -> piece.place.offset));
    int[] units = units(pieces);
    AtomicInteger next = new AtomicInteger();
    if (units.length > 2) {
      workers.run(_ -> read(pieces, units, next));
    } else {
      read(pieces, units, next);
    }
    return List.copyOf(damages);
  }

  /** Where each unit of work begins, and where the last ends: pieces in one frame are one. */
  private static int[] units(List<Piece> pieces) {
    IntStream.Builder starts = IntStream.builder();
    for (int i = 0; i < pieces.size(); i++) {
      if (i == 0 || !pieces.get(i).place.isInFrameWith(pieces.get(i - 1).place)) {
        starts.add(i);
      }
    }
    return starts.add(pieces.size()).build().toArray();
  }

  /** Finds the pieces of a range, and settles its blocks of zeros on the way. */
  private void collect(SegmentSource.Wanted wanted, VersionSource.Range range, List<Piece> pieces)
      throws IOException {
    SegmentSource source = wanted.source();
    DatasetEntry dataset = range.dataset();
    RunCursor runs = new RunCursor(source.index());
    int block = range.firstBlock();
    while (block < range.endBlock()) {
      int number = source.number(dataset, block);
      int same = Math.min(runs.sameFrom(number), range.endBlock() - block);
      if (runs.run().isZeros()) {
        wanted.sink().zeros(dataset, block, same);
        int last = block + same - 1;
        done((same - 1L) * dataset.spec().blockSize() + dataset.blockLength(last));
      } else if (SegmentFormat.isFramed(runs.run().codec())) {
        same = cutFramed(wanted, dataset, block, number, same, runs, pieces);
      } else {
        same = cut(wanted, dataset, block, number, same, runs, pieces);
      }
      block += same;
    }
  }

  /** Adds one piece of a run; says how many blocks are in it. */
  private static int cut(
      SegmentSource.Wanted wanted,
      DatasetEntry dataset,
      int block,
      int number,
      int most,
      RunCursor runs,
      List<Piece> pieces) {
    Run run = runs.run();
    int first = runs.inRun(number);
    int count = blocksWithin(run, first, most, PIECE_BYTES);
    Place place = new Place(name(wanted, run), run.segment(), -1, run.offset() + run.start(first));
    pieces.add(new Piece(wanted, dataset, block, number, count, place, length(run, first, count)));
    return count;
  }

  /** The same of blocks in a frame: those that are in the same one. */
  private int cutFramed(
      SegmentSource.Wanted wanted,
      DatasetEntry dataset,
      int block,
      int number,
      int most,
      RunCursor runs,
      List<Piece> pieces)
      throws IOException {
    Run run = runs.run();
    int first = runs.inRun(number);
    long address = run.offset() + run.start(first);
    SegmentFrames.Frame frame;
    try {
      SegmentReader segment = wanted.source().segment(run.segment());
      frame = segment.frames().of(segment.location(), wanted.source().index().entry(number));
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      damaged(wanted, dataset, block, e);
      return most;
    }
    int count = blocksWithin(run, first, most, frame.end() - address);
    Place place = new Place(name(wanted, run), run.segment(), frame.offset(), address);
    pieces.add(new Piece(wanted, dataset, block, number, count, place, length(run, first, count)));
    return count;
  }

  private static String name(SegmentSource.Wanted wanted, Run run) {
    return wanted.source().index().segments().get(run.segment());
  }

  /** How many blocks of a run have not more bytes together; at least one. */
  private static int blocksWithin(Run run, int first, int most, long bytes) {
    int count = 1;
    while (count < most && run.start(first + count + 1) - run.start(first) <= bytes) {
      count++;
    }
    return count;
  }

  private static int length(Run run, int first, int count) {
    return Math.toIntExact(run.start(first + count) - run.start(first));
  }

  private void read(List<Piece> pieces, int[] units, AtomicInteger next) throws IOException {
    try (Reader reader = new Reader()) {
      int unit = next.getAndIncrement();
      while (unit < units.length - 1 && !isOver()) {
        for (int i = units[unit]; i < units[unit + 1] && !isOver(); i++) {
          reader.read(pieces.get(i));
        }
        unit = next.getAndIncrement();
      }
    }
  }

  private boolean isOver() {
    return onlyToFirst && !damages.isEmpty();
  }

  private void done(long bytes) {
    progress.accept(bytesDone.addAndGet(bytes));
  }

  private void damaged(
      SegmentSource.Wanted wanted, DatasetEntry dataset, int block, IOException why) {
    long offset = why instanceof CorruptContainerException corrupt ? corrupt.offset() : -1;
    VersionSource.Damage damage =
        new VersionSource.Damage(dataset.name(), block, offset, String.valueOf(why.getMessage()));
    damages.add(new SegmentSource.Damaged(wanted, damage));
  }

  /** What one worker needs. */
  private final class Reader implements AutoCloseable {
    private final Workspace space = new Workspace();
    private final BlockVerifier verifier = new BlockVerifier();
    private MemorySegment buffer = MemorySegment.NULL;

    void read(Piece piece) throws IOException {
      SegmentReader segment = open(piece);
      if (segment == null) {
        return;
      }
      // Before memory is taken: an index of a few bytes must not ask for gigabytes.
      if (piece.length > (long) piece.count * piece.dataset.spec().blockSize()) {
        damaged(piece, piece.block, new IOException("%d bytes stored".formatted(piece.length)));
        return;
      }
      boolean whole = !piece.place.isFramed() && isRead(segment, piece);
      for (int i = 0; i < piece.count && !isOver(); i++) {
        BlockEntry entry = piece.source().index().entry(piece.number + i);
        int block = piece.block + i;
        MemorySegment bytes;
        try {
          bytes =
              whole
                  ? verifier.plain(segment, piece.dataset, block, entry, inBuffer(piece, entry))
                  : one(segment, piece.dataset, block, entry);
        } catch (ClosedChannelException e) {
          throw e;
        } catch (IOException e) {
          damaged(piece, block, e);
          return;
        }
        piece.wanted.sink().block(piece.dataset, block, bytes);
        done(bytes.byteSize());
      }
    }

    private void damaged(Piece piece, int block, IOException why) {
      SegmentScan.this.damaged(piece.wanted, piece.dataset, block, why);
    }

    private @Nullable SegmentReader open(Piece piece) throws IOException {
      try {
        return piece.source().segment(piece.place.number);
      } catch (ClosedChannelException e) {
        throw e;
      } catch (IOException e) {
        damaged(piece, piece.block, e);
        return null;
      }
    }

    /** Whether all came at once; else each block is tried, and told, by itself. */
    private boolean isRead(SegmentReader segment, Piece piece) throws IOException {
      buffer = space.atLeast(buffer, piece.length);
      try {
        return segment.read(piece.place.offset, buffer.asSlice(0, piece.length));
      } catch (ClosedChannelException e) {
        throw e;
      } catch (IOException e) {
        return false;
      }
    }

    private MemorySegment inBuffer(Piece piece, BlockEntry entry) {
      return buffer.asSlice(entry.offset() - piece.place.offset, entry.storedLength());
    }

    private MemorySegment one(
        SegmentReader segment, DatasetEntry dataset, int block, BlockEntry entry)
        throws IOException {
      MemorySegment stored = verifier.read(segment, dataset, block, entry);
      return entry.isPlain() ? stored : verifier.plain(segment, dataset, block, entry, stored);
    }

    @Override
    public void close() {
      verifier.close();
      space.close();
    }
  }
}
