// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
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
public final class SavedDataset {
  private static final int ALL_CORES = Runtime.getRuntime().availableProcessors();

  /** Never started; memory that it may use may be used by all. */
  private static final Thread SOMEBODY_ELSE = new Thread(() -> {});

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

  /** The name under which it was saved. */
  public String name() {
    return entry.name();
  }

  /** What the elements are. */
  public ElementType type() {
    return entry.spec().type();
  }

  /** The number of elements along each axis, slowest first; of a slice there is one. */
  public List<Long> shape() {
    return isWhole() ? entry.spec().shape() : List.of(count);
  }

  private boolean isWhole() {
    return byteSize() == entry.spec().byteLength();
  }

  /** How many elements it has. */
  public long size() {
    return count;
  }

  /** How many bytes it has. */
  public long byteSize() {
    return count * type().bytes();
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

  // ---------------------------------------------------------------- arrays

  /** The elements, which must be of type {@code double}. */
  public double[] doubles() {
    double[] array = new double[length(ElementType.DOUBLE)];
    into(MemorySegment.ofArray(array));
    return array;
  }

  /** The elements, which must be of type {@code float}. */
  public float[] floats() {
    float[] array = new float[length(ElementType.FLOAT)];
    into(MemorySegment.ofArray(array));
    return array;
  }

  /** The elements, which must be of type {@code long}. */
  public long[] longs() {
    long[] array = new long[length(ElementType.LONG)];
    into(MemorySegment.ofArray(array));
    return array;
  }

  /** The elements, which must be of type {@code int}. */
  public int[] ints() {
    int[] array = new int[length(ElementType.INT)];
    into(MemorySegment.ofArray(array));
    return array;
  }

  /** The elements, which must be of type {@code short}. */
  public short[] shorts() {
    short[] array = new short[length(ElementType.SHORT)];
    into(MemorySegment.ofArray(array));
    return array;
  }

  /** The elements, which must be of type {@code char}. */
  public char[] chars() {
    char[] array = new char[length(ElementType.CHAR)];
    into(MemorySegment.ofArray(array));
    return array;
  }

  /** The elements, which must be of type {@code byte} or opaque. */
  public byte[] bytes() {
    boolean opaque = type() == ElementType.OPAQUE;
    byte[] array = new byte[length(opaque ? ElementType.OPAQUE : ElementType.BYTE)];
    into(MemorySegment.ofArray(array));
    return array;
  }

  /** The elements, which must be of type {@code boolean}. */
  public boolean[] booleans() {
    byte[] saved = new byte[length(ElementType.BOOLEAN)];
    into(MemorySegment.ofArray(saved));
    boolean[] array = new boolean[saved.length];
    for (int i = 0; i < array.length; i++) {
      array[i] = saved[i] != 0;
    }
    return array;
  }

  private int length(ElementType wanted) {
    if (type() != wanted) {
      throw new IllegalArgumentException(
          "%s has no elements of type %s".formatted(this, wanted.label()));
    }
    if (count > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "%s has more elements than an array can have; read a slice, or into(segment)"
              .formatted(this));
    }
    return (int) count;
  }

  // ---------------------------------------------------------------- memory and files

  /** The bytes, as they were saved, in memory of the arena. */
  public MemorySegment segment(Arena arena) {
    MemorySegment memory = arena.allocate(byteSize(), type().bytes());
    into(memory);
    return memory;
  }

  /**
   * Fills memory with the bytes, as they were saved.
   *
   * @param target of {@link #byteSize} bytes
   * @throws org.cairn.CheckpointUnavailableException if a block is damaged; the memory may hold a
   *     part then
   */
  public void into(MemorySegment target) {
    if (target.byteSize() != byteSize()) {
      throw new IllegalArgumentException(
          "%s has %d bytes, the memory %d".formatted(this, byteSize(), target.byteSize()));
    }
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
      scan(filling, target.isAccessibleBy(SOMEBODY_ELSE) ? ALL_CORES : 1, done -> {});
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
    long end = position + byteSize();
    if (file.size() < end) {
      writeFully(file, ByteBuffer.allocate(1), end - 1);
    }
  }

  private static void writeFully(FileChannel file, ByteBuffer bytes, long position)
      throws IOException {
    long at = position;
    while (bytes.hasRemaining()) {
      at += file.write(bytes, at);
    }
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

  /** Its name, type and shape: {@code u: double[100][200]}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(name() + ": " + type().label());
    shape().forEach(extent -> text.append('[').append(extent).append(']'));
    return text.toString();
  }
}
