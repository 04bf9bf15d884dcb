// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.cairn.codec.CodecException;
import org.cairn.codec.LastCodec;
import org.cairn.hash.BlockHasher;
import org.cairn.hash.Hashers;
import org.cairn.hash.SecondOpinion;
import org.cairn.record.FirstFew;
import org.cairn.supply.Mutex;
import org.cairn.supply.Supply;
import org.cairn.supply.Workspace;
import org.cairn.version.BlockMap;
import org.cairn.version.DatasetEntry;
import org.cairn.version.SlotRuns;
import org.cairn.version.VersionFormat;
import org.cairn.version.VersionSource;
import org.cairn.work.Thaw;
import org.cairn.work.Workers;

/**
 * Reads blocks of a version, each verified, in the order in which they lie in the file.
 *
 * <p>The file is read in pieces of 512 KiB, so that a block is still in the cache when it is hashed
 * and copied; pieces are shared among the workers. Whatever the order of slots in an old file,
 * reading stays sequential.
 */
public final class BlockScan {
  /** Small enough for a core's second-level cache, large enough that calls do not matter. */
  private static final int PIECE_BYTES = 512 << 10;

  /** Reading through a small gap is cheaper than a second call. */
  private static final int GAP_BYTES = 16 << 10;

  /**
   * What was found damaged.
   *
   * @param first the first {@value FirstFew#MOST} that were found, in the order of blocks
   * @param count how many there are
   */
  public record Damages(List<VersionSource.Damage> first, long count) {}

  /**
   * Consecutive blocks of a dataset that lie side by side in the file.
   *
   * @param raw whether all of them are stored as they are
   */
  private record Run(
      DatasetEntry dataset, int first, int count, long place, int length, boolean raw) {
    long end() {
      return place + length;
    }
  }

  /** Runs read at once. */
  private record Piece(List<Run> runs, long place, int length) {}

  private final VersionView view;
  private final VersionSource.Sink sink;
  private final boolean stopAtDamage;
  private final LongConsumer progress;
  private final FirstFew<VersionSource.Damage> damages = new FirstFew<>();
  private final AtomicBoolean stopped = new AtomicBoolean();
  private final AtomicLong bytesDone = new AtomicLong();

  /** One at a time asks for blocks elsewhere. */
  private final Mutex asking = new Mutex();

  private BlockScan(
      VersionView view, VersionSource.Sink sink, boolean stopAtDamage, LongConsumer progress) {
    this.view = view;
    this.sink = sink;
    this.stopAtDamage = stopAtDamage;
    this.progress = progress;
  }

  /**
   * Reads all blocks of some datasets.
   *
   * @param sink receives each block that is as it was written
   * @param stopAtDamage whether the first damage ends the scan
   * @param progress told how many bytes of datasets are done, now and then
   * @return the damaged blocks, or the first {@value FirstFew#MOST} of them that were found
   * @throws IOException if the sink fails, or the file cannot be read at all
   */
  public static List<VersionSource.Damage> run(
      VersionView view,
      Collection<DatasetEntry> datasets,
      Workers workers,
      VersionSource.Sink sink,
      boolean stopAtDamage,
      LongConsumer progress)
      throws IOException {
    BlockScan scan = new BlockScan(view, sink, stopAtDamage, progress);
    scan.run(datasets, workers);
    return scan.found().first;
  }

  /** Reads what is wanted of a version, and ends at the first damage. */
  static List<VersionSource.Damage> run(
      VersionView view,
      Collection<VersionSource.Range> wanted,
      Workers workers,
      VersionSource.Sink sink,
      LongConsumer progress)
      throws IOException {
    BlockScan scan = new BlockScan(view, sink, true, progress);
    List<Run> runs = new ArrayList<>();
    for (VersionSource.Range range : wanted) {
      scan.collect(range.dataset(), range.firstBlock(), range.endBlock(), runs);
    }
    scan.read(runs, workers);
    return scan.found().first;
  }

  /** Reads all blocks of a version only to find those that are damaged; see {@link #run}. */
  public static Damages findDamage(VersionView view, Workers workers, LongConsumer progress)
      throws IOException {
    BlockScan scan = new BlockScan(view, VersionSource.Sink.NOTHING, false, progress);
    scan.run(view.datasets(), workers);
    return scan.found();
  }

  private Damages found() {
    List<VersionSource.Damage> first = new ArrayList<>(damages.first());
    first.sort(
        Comparator.comparing(VersionSource.Damage::dataset)
            .thenComparingInt(VersionSource.Damage::block));
    return new Damages(List.copyOf(first), damages.count());
  }

  private void run(Collection<DatasetEntry> datasets, Workers workers) throws IOException {
    List<Run> runs = new ArrayList<>();
    for (DatasetEntry dataset : datasets) {
      collect(dataset, 0, dataset.blocks(), runs);
    }
    read(runs, workers);
  }

  private void read(List<Run> runs, Workers workers) throws IOException {
    runs.sort(Comparator.comparingLong(Run::place));
    List<Piece> pieces = pieces(runs);
    AtomicInteger next = new AtomicInteger();
    int longest = pieces.stream().mapToInt(Piece::length).max().orElse(0);
    // One for all readers: each time that shared memory is given back, the JVM asks its threads.
    try (Workspace memory = new Workspace()) {
      MemorySegment first = memory.allocate(longest);
      if (pieces.size() > 1) {
        Thaw.run(
            workers,
            () -> next.get() < pieces.size() && !stopped.get(),
            (worker, goOn) -> {
              MemorySegment mine = worker == 0 ? first : memory.allocate(longest);
              read(pieces, next, new Reader(PIECE_BYTES, mine), goOn);
            });
      } else if (!pieces.isEmpty()) {
        // A single small dataset costs what it holds: neither other threads nor a large buffer.
        read(pieces, next, new Reader(longest, first), () -> true);
      }
    }
  }

  private void read(List<Piece> pieces, AtomicInteger next, Reader reader, BooleanSupplier goOn)
      throws IOException {
    try (reader) {
      while (goOn.getAsBoolean() && !stopped.get()) {
        int piece = next.getAndIncrement();
        if (piece >= pieces.size()) {
          break;
        }
        reader.read(pieces.get(piece));
        Thaw.worked(pieces.get(piece).length);
      }
    }
  }

  /** Finds the runs of a dataset, and settles its blocks of zeros on the way. */
  private void collect(DatasetEntry dataset, int first, int end, List<Run> runs)
      throws IOException {
    int block = first;
    while (block < end && !stopped.get()) {
      int zeros = Math.min(view.zerosFrom(dataset, block), end - block);
      if (zeros > 0) {
        settleZeros(dataset, block, zeros);
        block += zeros;
      } else if (view.map().place(dataset.slotOf(block)) < 0) {
        tell(dataset, block, -1, "the block map does not say where it lies");
        block++;
      } else {
        Run run = runFrom(dataset, block, end);
        runs.add(run);
        block += run.count;
      }
    }
  }

  private void settleZeros(DatasetEntry dataset, int first, int count) throws IOException {
    sink.zeros(dataset, first, count);
    int last = first + count - 1;
    done((count - 1L) * dataset.spec().blockSize() + dataset.blockLength(last));
  }

  /** As many blocks from here on as lie side by side and fit a piece. */
  private Run runFrom(DatasetEntry dataset, int first, int end) {
    BlockMap map = view.map();
    long place = map.place(dataset.slotOf(first));
    int firstHow = map.stored(dataset.slotOf(first));
    boolean raw = BlockMap.storedCodec(firstHow) == 0;
    int length = BlockMap.storedLength(firstHow);
    int block = first + 1;
    while (block < end && length < PIECE_BYTES) {
      int slot = dataset.slotOf(block);
      int how = map.stored(slot);
      int stored = BlockMap.storedLength(how);
      int room = (PIECE_BYTES - length) / Math.max(1, stored);
      int most = Math.min(Math.min(room, end - block), dataset.slots().contiguousFrom(block));
      int count = map.sideBySideFrom(slot, most, how, place + length);
      if (count == 0) {
        break;
      }
      raw &= BlockMap.storedCodec(how) == 0;
      length += count * stored;
      block += count;
    }
    return new Run(dataset, first, block - first, place, length, raw);
  }

  private static List<Piece> pieces(List<Run> runs) {
    List<Piece> pieces = new ArrayList<>();
    int from = 0;
    while (from < runs.size()) {
      long place = runs.get(from).place;
      long end = runs.get(from).end();
      int to = from + 1;
      while (to < runs.size()
          && runs.get(to).place - end <= GAP_BYTES
          && runs.get(to).end() - place <= PIECE_BYTES) {
        end = Math.max(end, runs.get(to).end());
        to++;
      }
      pieces.add(new Piece(runs.subList(from, to), place, (int) (end - place)));
      from = to;
    }
    return pieces;
  }

  private void done(long bytes) {
    progress.accept(bytesDone.addAndGet(bytes));
  }

  private void damaged(DatasetEntry dataset, int block, long offset, String what)
      throws IOException {
    if (!isGivenFromElsewhere(dataset, block, offset, what)) {
      tell(dataset, block, offset, what);
    }
  }

  private void tell(DatasetEntry dataset, int block, long offset, String what) {
    damages.add(
        new VersionSource.Damage(
            dataset.name(), block, offset, located(dataset, block, offset, what)));
    if (stopAtDamage) {
      stopped.set(true);
    }
  }

  private String located(DatasetEntry dataset, int block, long offset, String what) {
    return "block %d of \"%s\": %s (%s%s)"
        .formatted(
            block,
            dataset.name(),
            what,
            view.file().location(),
            offset < 0 ? "" : ", offset " + offset);
  }

  /** Gives the block to the sink if other bytes with its digest can be had. */
  private boolean isGivenFromElsewhere(DatasetEntry dataset, int block, long offset, String what)
      throws IOException {
    if (view.elsewhere() == BlockSource.NONE) {
      return false;
    }
    VersionView.BlockPlace place = view.place(dataset, block);
    BadBlock bad =
        new BadBlock(
            dataset.name(),
            block,
            dataset.slotOf(block),
            offset,
            place.storedLength(),
            dataset.blockLength(block),
            dataset.spec().algorithm(),
            place.low(),
            place.high(),
            located(dataset, block, offset, what));
    try (Mutex.Held _ = asking.hold()) {
      Optional<MemorySegment> found = view.elsewhere().find(bad);
      if (found.isEmpty() || !isAsWritten(bad, found.get())) {
        return false;
      }
      sink.block(dataset, block, found.get());
      done(bad.length());
      return true;
    }
  }

  private static boolean isAsWritten(BadBlock bad, MemorySegment bytes) {
    if (bytes.byteSize() != bad.length()) {
      return false;
    }
    long[] digest = new long[2];
    Hashers.of(bad.algorithm()).hash(bytes, 0, bad.length(), bad.length(), digest, 0);
    return digest[0] == bad.low() && digest[1] == bad.high();
  }

  /** What one worker needs. */
  private final class Reader implements AutoCloseable {
    private final Workspace space = new Workspace();
    private final MemorySegment piece;
    private final long[] digests;
    private MemorySegment plain = MemorySegment.NULL;
    private final LastCodec codec = new LastCodec();

    Reader(int bytes, MemorySegment piece) {
      this.piece = piece;
      this.digests = Supply.longs(2 * (bytes / VersionFormat.MIN_BLOCK + 1));
    }

    void read(Piece wanted) throws IOException {
      long count;
      try {
        count = view.file().file().readOnce(wanted.place, piece.asSlice(0, wanted.length));
      } catch (ClosedChannelException e) {
        throw e;
      } catch (IOException e) {
        // One bad sector, in a block or in a gap between two, must not cost its neighbours.
        readOneByOne(wanted);
        return;
      }
      for (Run run : wanted.runs) {
        if (stopped.get()) {
          return;
        }
        verify(run, run.place - wanted.place, count);
      }
    }

    private void readOneByOne(Piece wanted) throws IOException {
      for (Run run : wanted.runs) {
        long offset = run.place;
        for (int i = 0; i < run.count && !stopped.get(); i++) {
          int stored = view.map().stored(run.dataset.slotOf(run.first + i));
          readOne(run, run.first + i, stored, offset);
          offset += BlockMap.storedLength(stored);
        }
      }
    }

    private void readOne(Run run, int block, int stored, long offset) throws IOException {
      int length = BlockMap.storedLength(stored);
      try {
        if (view.file().file().read(offset, piece.asSlice(0, length)) < length) {
          damaged(run.dataset, block, offset, "the file ends before it");
          return;
        }
      } catch (ClosedChannelException e) {
        throw e;
      } catch (IOException e) {
        damaged(run.dataset, block, offset, "cannot be read: " + e.getMessage());
        return;
      }
      verifyOne(run, block, stored, 0, offset);
    }

    private void verify(Run run, long position, long available) throws IOException {
      if (run.raw && run.length == bytes(run) && position + run.length <= available) {
        verifyRaw(run, position);
      } else {
        verifyOneByOne(run, position, available);
      }
    }

    private long bytes(Run run) {
      return (long) (run.count - 1) * run.dataset.spec().blockSize()
          + run.dataset.blockLength(run.first + run.count - 1);
    }

    private void verifyRaw(Run run, long position) throws IOException {
      int blockSize = run.dataset.spec().blockSize();
      Supply.step("verify");
      hasher(run).hash(piece, position, run.length, blockSize, digests, 0);
      if (areAsWritten(run)) {
        sink.blocks(run.dataset, run.first, run.count, piece.asSlice(position, run.length));
        done(run.length);
        return;
      }
      for (int i = 0; i < run.count; i++) {
        long at = position + (long) i * blockSize;
        accept(run, run.first + i, run.place + (at - position), piece, at, i);
      }
    }

    private boolean areAsWritten(Run run) {
      SlotRuns slots = run.dataset.slots();
      int done = 0;
      while (done < run.count) {
        int block = run.first + done;
        int some = Math.min(run.count - done, slots.contiguousFrom(block));
        if (!view.map().haveDigests(slots.slotOf(block), some, digests, 2 * done)) {
          return false;
        }
        done += some;
      }
      return true;
    }

    private BlockHasher hasher(Run run) {
      return Hashers.of(run.dataset.spec().algorithm());
    }

    private void accept(Run run, int block, long offset, MemorySegment from, long at, int digest)
        throws IOException {
      int slot = run.dataset.slotOf(block);
      long low = view.map().low(slot);
      long high = view.map().high(slot);
      int length = run.dataset.blockLength(block);
      long foundLow = digests[2 * digest];
      long foundHigh = digests[2 * digest + 1];
      if ((foundLow != low || foundHigh != high)
          && !SecondOpinion.isIntact(
              run.dataset.spec().algorithm(), from, at, length, foundLow, foundHigh, low, high)) {
        damaged(
            run.dataset,
            block,
            offset,
            "digest %016x%016x, expected %016x%016x".formatted(foundHigh, foundLow, high, low));
        return;
      }
      sink.block(run.dataset, block, from.asSlice(at, length));
      done(length);
    }

    private void verifyOneByOne(Run run, long position, long available) throws IOException {
      long at = position;
      for (int i = 0; i < run.count; i++) {
        int block = run.first + i;
        int stored = view.map().stored(run.dataset.slotOf(block));
        int length = BlockMap.storedLength(stored);
        long offset = run.place + (at - position);
        if (at + length > available) {
          damaged(run.dataset, block, offset, "the file ends before it");
        } else {
          verifyOne(run, block, stored, at, offset);
        }
        at += length;
      }
    }

    private void verifyOne(Run run, int block, int stored, long at, long offset)
        throws IOException {
      int length = run.dataset.blockLength(block);
      MemorySegment from = piece;
      long start = at;
      if (BlockMap.storedCodec(stored) != 0) {
        plain = space.atLeast(plain, length);
        from = plain;
        start = 0;
        if (!decode(run, block, stored, at, offset, from)) {
          return;
        }
      } else if (BlockMap.storedLength(stored) != length) {
        damaged(run.dataset, block, offset, "the map says it has another length");
        return;
      }
      hasher(run).hash(from, start, length, length, digests, 0);
      accept(run, block, offset, from, start, 0);
    }

    private boolean decode(Run run, int block, int stored, long at, long offset, MemorySegment into)
        throws IOException {
      try {
        codec
            .of(BlockMap.storedCodec(stored))
            .decompress(
                piece, at, BlockMap.storedLength(stored), into, 0, run.dataset.blockLength(block));
        return true;
      } catch (CodecException | IllegalArgumentException e) {
        damaged(run.dataset, block, offset, "cannot be decoded: " + e.getMessage());
        return false;
      }
    }

    @Override
    public void close() {
      codec.close();
      space.close();
    }
  }
}
