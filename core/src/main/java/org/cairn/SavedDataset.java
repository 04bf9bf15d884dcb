// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionSource;

/**
 * A dataset of a version, or some consecutive elements of it, see {@link Checkpoints}. Reading
 * gives new memory each time, with elements in the order in which they were saved: the last axis
 * fastest.
 */
public final class SavedDataset extends SavedElements {
  private static final int ALL_CORES = Runtime.getRuntime().availableProcessors();

  private final SavedState state;
  private final DatasetEntry entry;
  private final long from;
  private final long count;

  SavedDataset(SavedState state, DatasetEntry entry) {
    this(state, entry, 0, entry.spec().byteLength() / entry.spec().type().bytes());
  }

  private SavedDataset(SavedState state, DatasetEntry entry, long from, long count) {
    this.state = state;
    this.entry = entry;
    this.from = from;
    this.count = count;
  }

  @Override
  public String name() {
    return entry.name();
  }

  @Override
  public ElementType type() {
    return entry.spec().type();
  }

  /** The number of elements along each axis, slowest first; of a slice there is one. */
  @Override
  public List<Long> shape() {
    return isWhole() ? entry.spec().shape() : List.of(count);
  }

  private boolean isWhole() {
    return byteSize() == entry.spec().byteLength();
  }

  @Override
  public long size() {
    return count;
  }

  /**
   * Some of the elements; only the blocks that they lie in are read.
   *
   * @param first counted from the first of these elements, whatever the shape
   * @param elements how many
   */
  public SavedDataset slice(long first, long elements) {
    Objects.checkFromIndexSize(first, elements, count);
    return new SavedDataset(state, entry, from + first, elements);
  }

  @Override
  void fill(MemorySegment target, boolean shared) {
    Part filling =
        new Part() {
          @Override
          void bytes(long at, MemorySegment some) {
            MemorySegment.copy(some, 0, target, at, some.byteSize());
          }

          @Override
          void zeros(long at, long length) {
            target.asSlice(at, length).fill((byte) 0);
          }
        };
    try {
      scan(filling, shared ? ALL_CORES : 1, done -> {});
    } catch (IOException e) {
      throw state.unreadable(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Writes the bytes, as they were saved, to a file. What is all zeros is left out, and must not be
   * there yet: so a new file has holes there.
   *
   * @param position where the first byte goes
   * @param progress told how many bytes are done, now and then, by any thread
   * @throws IOException if the file cannot be written
   * @throws org.cairn.CheckpointUnavailableException if a block is damaged
   */
  public void writeTo(FileChannel file, long position, LongConsumer progress) throws IOException {
    scan(
        new Part() {
          @Override
          void bytes(long at, MemorySegment some) throws IOException {
            writeFully(file, some.asByteBuffer(), position + at);
          }

          @Override
          void zeros(long at, long length) {}
        },
        ALL_CORES,
        progress);
    extend(file, position + byteSize());
  }

  private void scan(Part sink, int threads, LongConsumer progress) throws IOException {
    if (count == 0) {
      return;
    }
    state.scan(new VersionSource.Range(entry, sink.start, sink.end), threads, sink, progress);
  }

  /** Takes of blocks what belongs to these elements. */
  private abstract class Part implements VersionSource.Sink {
    private final long start = from * type().bytes();
    private final long end = start + byteSize();

    /** Takes bytes, {@code at} of all. */
    abstract void bytes(long at, MemorySegment some) throws IOException;

    abstract void zeros(long at, long length) throws IOException;

    @Override
    public void block(DatasetEntry dataset, int block, MemorySegment all) throws IOException {
      long position = (long) block * dataset.spec().blockSize();
      long low = Math.max(position, start);
      long high = Math.min(position + all.byteSize(), end);
      bytes(low - start, all.asSlice(low - position, high - low));
    }

    @Override
    public void zeros(DatasetEntry dataset, int first, int blocks) throws IOException {
      long position = (long) first * dataset.spec().blockSize();
      long low = Math.max(position, start);
      long high = Math.min(position + (long) blocks * dataset.spec().blockSize(), end);
      zeros(low - start, high - low);
    }
  }
}
