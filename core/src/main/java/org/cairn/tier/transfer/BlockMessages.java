// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.transfer;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.cairn.container.BlockReader;
import org.cairn.container.VersionView;
import org.cairn.record.RecordWriter;
import org.cairn.version.DatasetEntry;

/**
 * Reads blocks of a version, each verified, and makes messages of them. There are two buffers: a
 * message may be on its way while the next one is made. For one thread at a time.
 */
final class BlockMessages implements AutoCloseable {
  private static final long BUFFER_BYTES = 2 << 20;

  private final VersionView version;
  private final Selection selection;
  private final BlockReader reader;
  private MemorySegment buffer;
  private MemorySegment other;
  private int next;

  BlockMessages(VersionView version, Selection selection, Arena arena) {
    this.version = version;
    this.selection = selection;
    long bytes = bytesUpTo(BUFFER_BYTES);
    this.buffer = arena.allocate(bytes, 8);
    this.other = bytes < BUFFER_BYTES ? buffer : arena.allocate(bytes, 8);
    this.reader = new BlockReader(version);
  }

  /** How much all of it takes, if that is less. */
  private long bytesUpTo(long most) {
    long bytes = Wire.PREFIX_BYTES;
    for (int i = 0; i < selection.count() && bytes < most; i++) {
      bytes += bytes(i);
    }
    return Math.min(bytes, most);
  }

  private long bytes(int index) {
    DatasetEntry dataset = selection.dataset(index);
    long stored = version.place(dataset, selection.block(index)).storedLength();
    return Wire.Block.BYTES + stored;
  }

  boolean hasNext() {
    return next < selection.count();
  }

  /** Whether the next message is not the last. */
  boolean hasMany() {
    return next + countFitting() < selection.count();
  }

  /** As many blocks as fit into a buffer, headers first. */
  MemorySegment next() throws IOException {
    MemorySegment message = buffer;
    buffer = other;
    other = message;
    int count = countFitting();
    RecordWriter headers = RecordWriter.into(message).putInt(Wire.BLOCKS).putInt(count);
    long at = Wire.PREFIX_BYTES + (long) count * Wire.Block.BYTES;
    for (int i = next; i < next + count; i++) {
      MemorySegment stored = write(i, headers);
      MemorySegment.copy(stored, 0, message, at, stored.byteSize());
      at += stored.byteSize();
    }
    next += count;
    return message.asSlice(0, at);
  }

  private MemorySegment write(int index, RecordWriter headers) throws IOException {
    DatasetEntry dataset = selection.dataset(index);
    int block = selection.block(index);
    BlockReader.Stored stored = reader.readStored(dataset, block);
    new Wire.Block(
            selection.number(index),
            block,
            stored.codec(),
            version.isZero(dataset, block) ? Wire.Block.ZEROS : (int) stored.bytes().byteSize(),
            version.low(dataset, block),
            version.high(dataset, block))
        .write(headers);
    return stored.bytes();
  }

  private int countFitting() {
    long bytes = Wire.PREFIX_BYTES;
    int count = 0;
    while (next + count < selection.count()) {
      bytes += bytes(next + count);
      if (count > 0 && bytes > BUFFER_BYTES) {
        break;
      }
      count++;
    }
    return count;
  }

  @Override
  public void close() {
    reader.close();
  }
}
