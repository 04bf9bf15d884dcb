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
import org.cairn.CorruptContainerException;
import org.cairn.supply.Workspace;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionSource;
import org.cairn.work.Workers;
import org.jspecify.annotations.Nullable;

/**
 * Reads wanted blocks of a rank from segments, each verified. Blocks that lie side by side are read
 * at once, segment after segment; pieces are shared among the workers.
 */
final class SegmentScan {
  /** As for containers: small enough for a core's cache, large enough that calls do not matter. */
  private static final int PIECE_BYTES = 512 << 10;

  private final SegmentSource source;
  private final VersionSource.Sink sink;
  private final LongConsumer progress;
  private final AtomicLong bytesDone = new AtomicLong();
  private final List<VersionSource.Damage> damages = new CopyOnWriteArrayList<>();

  /** Consecutive blocks of a dataset that lie side by side in a segment. */
  private record Piece(
      DatasetEntry dataset,
      int block,
      int number,
      int count,
      int segment,
      long offset,
      int length) {}

  SegmentScan(SegmentSource source, VersionSource.Sink sink, LongConsumer progress) {
    this.source = source;
    this.sink = sink;
    this.progress = progress;
  }

  /** Reads to the end, or to the first damage. */
  List<VersionSource.Damage> run(Collection<VersionSource.Range> wanted, Workers workers)
      throws IOException {
    List<Piece> pieces = new ArrayList<>();
    for (VersionSource.Range range : wanted) {
      collect(range, pieces);
    }
    pieces.sort(Comparator.comparingInt(Piece::segment).thenComparingLong(Piece::offset));
    AtomicInteger next = new AtomicInteger();
    if (pieces.size() > 1) {
      workers.run(_ -> read(pieces, next));
    } else {
      read(pieces, next);
    }
    return List.copyOf(damages);
  }

  /** Finds the pieces of a range, and settles its blocks of zeros on the way. */
  private void collect(VersionSource.Range range, List<Piece> pieces) throws IOException {
    DatasetEntry dataset = range.dataset();
    RunCursor runs = new RunCursor(source.index());
    int block = range.firstBlock();
    while (block < range.endBlock()) {
      int number = source.number(dataset, block);
      int same = Math.min(runs.sameFrom(number), range.endBlock() - block);
      if (runs.run().isZeros()) {
        sink.zeros(dataset, block, same);
        int last = block + same - 1;
        done((same - 1L) * dataset.spec().blockSize() + dataset.blockLength(last));
      } else {
        same = cut(dataset, block, number, same, runs, pieces);
      }
      block += same;
    }
  }

  /** Adds one piece of a run; says how many blocks are in it. */
  private static int cut(
      DatasetEntry dataset, int block, int number, int most, RunCursor runs, List<Piece> pieces) {
    Run run = runs.run();
    int first = runs.inRun(number);
    int count = 1;
    while (count < most && run.start(first + count + 1) - run.start(first) <= PIECE_BYTES) {
      count++;
    }
    int length = Math.toIntExact(run.start(first + count) - run.start(first));
    long offset = run.offset() + run.start(first);
    pieces.add(new Piece(dataset, block, number, count, run.segment(), offset, length));
    return count;
  }

  private void read(List<Piece> pieces, AtomicInteger next) throws IOException {
    try (Reader reader = new Reader()) {
      int piece = next.getAndIncrement();
      while (piece < pieces.size() && damages.isEmpty()) {
        reader.read(pieces.get(piece));
        piece = next.getAndIncrement();
      }
    }
  }

  private void done(long bytes) {
    progress.accept(bytesDone.addAndGet(bytes));
  }

  private void damaged(Piece piece, int block, IOException why) {
    long offset = why instanceof CorruptContainerException corrupt ? corrupt.offset() : -1;
    damages.add(
        new VersionSource.Damage(
            piece.dataset.name(), block, offset, String.valueOf(why.getMessage())));
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
      buffer = space.atLeast(buffer, piece.length);
      boolean whole = isRead(segment, piece);
      for (int i = 0; i < piece.count && damages.isEmpty(); i++) {
        BlockEntry entry = source.index().entry(piece.number + i);
        int block = piece.block + i;
        MemorySegment bytes;
        try {
          bytes = whole ? inBuffer(piece, entry) : one(segment, entry);
          bytes = verifier.plain(segment, piece.dataset, block, entry, bytes);
        } catch (ClosedChannelException e) {
          throw e;
        } catch (IOException e) {
          damaged(piece, block, e);
          return;
        }
        sink.block(piece.dataset, block, bytes);
        done(bytes.byteSize());
      }
    }

    private @Nullable SegmentReader open(Piece piece) throws IOException {
      try {
        return source.segment(piece.segment);
      } catch (ClosedChannelException e) {
        throw e;
      } catch (IOException e) {
        damaged(piece, piece.block, e);
        return null;
      }
    }

    /** Whether all came at once; else each block is tried, and told, by itself. */
    private boolean isRead(SegmentReader segment, Piece piece) throws IOException {
      try {
        return segment.read(piece.offset, buffer.asSlice(0, piece.length));
      } catch (ClosedChannelException e) {
        throw e;
      } catch (IOException e) {
        return false;
      }
    }

    private MemorySegment inBuffer(Piece piece, BlockEntry entry) {
      return buffer.asSlice(entry.offset() - piece.offset, entry.storedLength());
    }

    private MemorySegment one(SegmentReader segment, BlockEntry entry) throws IOException {
      segment.read(entry, buffer);
      return buffer;
    }

    @Override
    public void close() {
      verifier.close();
      space.close();
    }
  }
}
