// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.cairn.codec.BlockCodec;
import org.cairn.codec.Codec;
import org.cairn.codec.CodecException;
import org.jspecify.annotations.Nullable;

/**
 * Reads single blocks of a version, each verified: for whoever needs a few of them, in an order of
 * its own. {@link BlockScan} is faster where all are wanted. For one thread.
 */
public final class BlockReader implements AutoCloseable {
  private final VersionView view;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment stored = arena.allocate(ContainerFormat.MAX_BLOCK, 64);
  private final MemorySegment plain = arena.allocate(ContainerFormat.MAX_BLOCK, 64);
  private final long[] digest = new long[2];
  private @Nullable BlockCodec codec;
  private int codecId;

  /** A reader of this version. */
  public BlockReader(VersionView view) {
    this.view = view;
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
    read(dataset, block);
    return new Stored(stored.asSlice(0, BlockMap.storedLength(how)), BlockMap.storedCodec(how));
  }

  /**
   * Reads a block; the bytes are valid until the next call.
   *
   * @throws CorruptContainerException if it is not as it was written
   */
  public MemorySegment read(DatasetEntry dataset, int block) throws IOException {
    int slot = dataset.slotOf(block);
    int length = dataset.blockLength(block);
    long place = view.map().place(slot);
    if (place == BlockMap.ZERO) {
      return Zeros.ofLength(length);
    }
    int how = view.map().stored(slot);
    int storedLength = BlockMap.storedLength(how);
    long count = readBytes(dataset, block, place, storedLength);
    if (count < storedLength) {
      throw corrupt(dataset, block, place, "the file ends before it");
    }
    MemorySegment bytes =
        BlockMap.storedCodec(how) == 0
            ? stored.asSlice(0, length)
            : decode(dataset, block, place, how);
    verify(dataset, block, place, bytes);
    return bytes;
  }

  private long readBytes(DatasetEntry dataset, int block, long place, int length)
      throws IOException {
    try {
      return view.file().file().read(place, stored.asSlice(0, length));
    } catch (java.nio.channels.ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      throw corrupt(dataset, block, place, "cannot be read: " + e.getMessage());
    }
  }

  private MemorySegment decode(DatasetEntry dataset, int block, long place, int how)
      throws CorruptContainerException {
    int length = dataset.blockLength(block);
    try {
      codec(BlockMap.storedCodec(how))
          .decompress(stored, 0, BlockMap.storedLength(how), plain, 0, length);
      return plain.asSlice(0, length);
    } catch (CodecException | IllegalArgumentException e) {
      throw corrupt(dataset, block, place, "cannot be decoded: " + e.getMessage());
    }
  }

  private BlockCodec codec(int id) {
    BlockCodec current = codec;
    if (current == null || codecId != id) {
      if (current != null) {
        current.close();
      }
      current = Codec.of(id).newBlockCodec();
      codec = current;
      codecId = id;
    }
    return current;
  }

  private void verify(DatasetEntry dataset, int block, long place, MemorySegment bytes)
      throws CorruptContainerException {
    int slot = dataset.slotOf(block);
    int length = dataset.blockLength(block);
    dataset.spec().algorithm().hasher().hash(bytes, 0, length, length, digest, 0);
    long low = view.map().low(slot);
    long high = view.map().high(slot);
    if (digest[0] != low || digest[1] != high) {
      throw corrupt(
          dataset,
          block,
          place,
          "digest %016x%016x, expected %016x%016x".formatted(digest[1], digest[0], high, low));
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
    if (codec != null) {
      codec.close();
    }
    arena.close();
  }
}
