// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedChannelException;
import org.cairn.CorruptContainerException;
import org.cairn.codec.CodecException;
import org.cairn.codec.LastCodec;
import org.cairn.hash.BlockHasher;
import org.cairn.hash.Hashers;
import org.cairn.hash.SecondOpinion;
import org.cairn.supply.Supply;
import org.cairn.supply.Workspace;
import org.cairn.version.BlockMap;
import org.cairn.version.DatasetEntry;
import org.cairn.version.Zeros;
import org.jspecify.annotations.Nullable;

/**
 * Reads single blocks of a version, each verified: for whoever needs a few of them, in an order of
 * its own. {@link BlockScan} is faster where all are wanted. For one thread.
 *
 * <p>Whoever asks for blocks one after the other gets them faster: those that lie side by side in
 * the file are read and hashed together, the more the longer this goes on. What was read ahead is
 * compared with the map, block by block, when it is asked for.
 *
 * <p>What still lies in {@linkplain RecentBytes memory} as it was staged is neither read nor hashed
 * again.
 */
public final class BlockReader implements AutoCloseable {
  /** Small enough for a core's second-level cache. */
  private static final int AHEAD_BYTES = 512 << 10;

  /** Who wanted so many blocks one by one wants more; native memory spares copies of them. */
  private static final int MANY = 64;

  private final VersionView view;
  private final Workspace space = new Workspace();
  private MemorySegment stored = MemorySegment.NULL;

  /** How often there had to be room for a single block. */
  private int singles;

  private MemorySegment plain = MemorySegment.NULL;
  private final long[] digest = new long[2];
  private final LastCodec codec = new LastCodec();

  /** Blocks of {@code dataset} that were read ahead; at first there are none. */
  private static final class Ahead {
    MemorySegment bytes = MemorySegment.NULL;
    long[] digests = new long[2];
    @Nullable DatasetEntry dataset;
    int first;
    int count;

    boolean has(DatasetEntry wanted, int block) {
      return wanted == dataset && block >= first && block - first < count;
    }
  }

  private final Ahead ahead = new Ahead();

  // What was asked for last, and how many blocks may be read at once if the next one follows.
  private @Nullable DatasetEntry lastDataset;
  private int lastBlock;
  private int atOnce = 1;

  // Blocks that somebody said will be asked for, one after the other.
  private @Nullable DatasetEntry expectedDataset;
  private int expectedFrom;
  private int expectedTo;

  /** A reader of this version. */
  public BlockReader(VersionView view) {
    this.view = view;
  }

  /**
   * Says that blocks of a dataset will be asked for one after the other, and that those before and
   * behind them may not be: what lies side by side is read together from the first on, and no
   * further.
   */
  public void expect(DatasetEntry dataset, int from, int to) {
    expectedDataset = dataset;
    expectedFrom = from;
    expectedTo = to;
  }

  private boolean isExpected(DatasetEntry dataset, int block) {
    return dataset == expectedDataset && block >= expectedFrom && block < expectedTo;
  }

  /**
   * A block as it is stored, for another container; valid until the next call.
   *
   * @param bytes what is stored; nothing if the block is all zeros
   * @param codec the number of the codec it is stored with
   */
  public record Stored(MemorySegment bytes, int codec) {}

  /** Reads a block as it is stored, after verifying what it stands for. */
  public Stored readStored(DatasetEntry dataset, int block) throws IOException {
    int slot = dataset.slotOf(block);
    int how = view.map().stored(slot);
    if (view.map().place(slot) == BlockMap.ZERO) {
      return new Stored(stored.asSlice(0, 0), 0);
    }
    if (isRecent(dataset, block)) {
      return new Stored(stored.asSlice(0, BlockMap.storedLength(how)), BlockMap.storedCodec(how));
    }
    MemorySegment bytes = readFile(dataset, block);
    boolean raw = BlockMap.storedCodec(how) == 0;
    return new Stored(
        raw ? bytes : stored.asSlice(0, BlockMap.storedLength(how)), BlockMap.storedCodec(how));
  }

  /**
   * Reads a block; the bytes are valid until the next call.
   *
   * @throws CorruptContainerException if it is not as it was written
   */
  public MemorySegment read(DatasetEntry dataset, int block) throws IOException {
    int slot = dataset.slotOf(block);
    long place = view.map().place(slot);
    if (place == BlockMap.ZERO) {
      return Zeros.ofLength(dataset.blockLength(block));
    }
    if (isRecent(dataset, block)) {
      return plain(dataset, block, place, view.map().stored(slot));
    }
    return readFile(dataset, block);
  }

  /** Whether a block was found in memory; then it is where stored blocks are. */
  private boolean isRecent(DatasetEntry dataset, int block) {
    if (view.recent().isEmpty()) {
      return false;
    }
    BlockMap map = view.map();
    int slot = dataset.slotOf(block);
    makeRoom(dataset, block, map.stored(slot));
    return view.recent()
        .copy(map.place(slot), map.stored(slot), map.low(slot), map.high(slot), stored);
  }

  private void makeRoom(DatasetEntry dataset, int block, int how) {
    int bytes = Math.max(BlockMap.storedLength(how), dataset.blockLength(block));
    if (++singles == MANY) {
      stored = space.allocateNative(Math.max(bytes, dataset.spec().blockSize()));
    }
    stored = space.atLeast(stored, bytes);
  }

  private MemorySegment readFile(DatasetEntry dataset, int block) throws IOException {
    int slot = dataset.slotOf(block);
    long place = view.map().place(slot);
    int how = view.map().stored(slot);
    if (BlockMap.storedCodec(how) == 0 && isAhead(dataset, block, place)) {
      return readAhead(dataset, block, place);
    }
    int storedLength = BlockMap.storedLength(how);
    makeRoom(dataset, block, how);
    long count = readBytes(dataset, block, place, storedLength);
    if (count < storedLength) {
      throw corrupt(dataset, block, place, "the file ends before it");
    }
    MemorySegment bytes = plain(dataset, block, place, how);
    verify(dataset, block, place, bytes);
    return bytes;
  }

  /** What the stored bytes stand for. */
  private MemorySegment plain(DatasetEntry dataset, int block, long place, int how)
      throws CorruptContainerException {
    return BlockMap.storedCodec(how) == 0
        ? stored.asSlice(0, dataset.blockLength(block))
        : decode(dataset, block, place, how);
  }

  /** Whether the block was read ahead, now or before. */
  private boolean isAhead(DatasetEntry dataset, int block, long place) throws IOException {
    boolean follows = dataset == lastDataset && block == lastBlock + 1;
    boolean again = dataset == lastDataset && block == lastBlock;
    lastDataset = dataset;
    lastBlock = block;
    if (ahead.has(dataset, block)) {
      return true;
    }
    int most = Math.max(1, AHEAD_BYTES / dataset.spec().blockSize());
    if (isExpected(dataset, block)) {
      atOnce = Math.min(expectedTo - block, most);
    } else if (follows) {
      atOnce = Math.min(2 * atOnce, most);
    } else {
      atOnce = again ? atOnce : 1;
      return false;
    }
    int count = sideBySide(dataset, block, place);
    if (count < 2) {
      return false;
    }
    fill(dataset, block, count, place);
    return ahead.count > 0;
  }

  /** How many blocks, not more than are to be read at once, lie one after the other from here. */
  private int sideBySide(DatasetEntry dataset, int block, long place) {
    int most = Math.min(atOnce, dataset.blocks() - block);
    int count = 1;
    long end = place + dataset.blockLength(block);
    while (count < most) {
      int slot = dataset.slotOf(block + count);
      boolean raw = BlockMap.storedCodec(view.map().stored(slot)) == 0;
      if (!raw || view.map().place(slot) != end) {
        break;
      }
      end += dataset.blockLength(block + count);
      count++;
    }
    return count;
  }

  /** Reads blocks together; none if that fails, so that each is tried and told by itself. */
  private void fill(DatasetEntry dataset, int first, int count, long place) throws IOException {
    int size = dataset.spec().blockSize();
    long length = (long) (count - 1) * size + dataset.blockLength(first + count - 1);
    ahead.count = 0;
    ahead.bytes = space.atLeast(ahead.bytes, length);
    try {
      if (view.file().file().readOnce(place, ahead.bytes.asSlice(0, length)) < length) {
        return;
      }
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      return;
    }
    if (ahead.digests.length < 2 * count) {
      ahead.digests = Supply.longs(2 * count);
    }
    BlockHasher hasher = Hashers.of(dataset.spec().algorithm());
    hasher.hash(ahead.bytes, 0, length, size, ahead.digests, 0);
    ahead.dataset = dataset;
    ahead.first = first;
    ahead.count = count;
  }

  private MemorySegment readAhead(DatasetEntry dataset, int block, long place)
      throws CorruptContainerException {
    int index = block - ahead.first;
    long from = (long) index * dataset.spec().blockSize();
    MemorySegment bytes = ahead.bytes.asSlice(from, dataset.blockLength(block));
    compare(dataset, block, place, bytes, ahead.digests, index);
    return bytes;
  }

  private long readBytes(DatasetEntry dataset, int block, long place, int length)
      throws IOException {
    try {
      return view.file().file().read(place, stored.asSlice(0, length));
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      throw corrupt(dataset, block, place, "cannot be read: " + e.getMessage());
    }
  }

  private MemorySegment decode(DatasetEntry dataset, int block, long place, int how)
      throws CorruptContainerException {
    int length = dataset.blockLength(block);
    plain = space.atLeast(plain, length);
    try {
      codec
          .of(BlockMap.storedCodec(how))
          .decompress(stored, 0, BlockMap.storedLength(how), plain, 0, length);
      return plain.asSlice(0, length);
    } catch (CodecException | IllegalArgumentException e) {
      throw corrupt(dataset, block, place, "cannot be decoded: " + e.getMessage());
    }
  }

  private void verify(DatasetEntry dataset, int block, long place, MemorySegment bytes)
      throws CorruptContainerException {
    int length = dataset.blockLength(block);
    Hashers.of(dataset.spec().algorithm()).hash(bytes, 0, length, length, digest, 0);
    compare(dataset, block, place, bytes, digest, 0);
  }

  private void compare(
      DatasetEntry dataset, int block, long place, MemorySegment bytes, long[] digests, int at)
      throws CorruptContainerException {
    long foundLow = digests[2 * at];
    long foundHigh = digests[2 * at + 1];
    int slot = dataset.slotOf(block);
    long low = view.map().low(slot);
    long high = view.map().high(slot);
    if ((foundLow != low || foundHigh != high)
        && !SecondOpinion.isIntact(
            dataset.spec().algorithm(),
            bytes,
            0,
            bytes.byteSize(),
            foundLow,
            foundHigh,
            low,
            high)) {
      throw corrupt(
          dataset,
          block,
          place,
          "digest %016x%016x, expected %016x%016x".formatted(foundHigh, foundLow, high, low));
    }
  }

  private CorruptContainerException corrupt(
      DatasetEntry dataset, int block, long place, String what) {
    return new CorruptContainerException(
        view.file().location(),
        place,
        "block %d of \"%s\" of version %s: %s"
            .formatted(block, dataset.name(), view.info().id(), what));
  }

  @Override
  public void close() {
    codec.close();
    space.close();
  }
}
