// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;

/** Elements that can be read, however they lie: each reading gives new memory. */
abstract class SavedElements {
  /** Never started; memory that it may use may be used by all. */
  private static final Thread SOMEBODY_ELSE = new Thread(() -> {});

  SavedElements() {}

  /** The name under which they were saved. */
  public abstract String name();

  /** What the elements are. */
  public abstract ElementType type();

  /** The number of elements along each axis, slowest first. */
  public abstract List<Long> shape();

  /** How many elements there are. */
  public abstract long size();

  /** How many bytes they have. */
  public long byteSize() {
    return Math.multiplyExact(size(), type().bytes());
  }

  /**
   * Fills memory with the elements.
   *
   * @param shared whether other threads may use it
   */
  abstract void fill(MemorySegment target, boolean shared);

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
    if (size() > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          "%s has more elements than an array can have; read a slice, or into(segment)"
              .formatted(this));
    }
    return (int) size();
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
   * @throws CheckpointUnavailableException if a block is damaged; the memory may hold a part then
   */
  public void into(MemorySegment target) {
    if (target.byteSize() != byteSize()) {
      throw new IllegalArgumentException(
          "%s has %d bytes, the memory %d".formatted(this, byteSize(), target.byteSize()));
    }
    fill(target, target.isAccessibleBy(SOMEBODY_ELSE));
  }

  /** Makes a file as long as if all had been written, where the end was left out. */
  static void extend(FileChannel file, long end) throws IOException {
    if (file.size() < end) {
      writeFully(file, ByteBuffer.allocate(1), end - 1);
    }
  }

  static void writeFully(FileChannel file, ByteBuffer bytes, long position) throws IOException {
    long at = position;
    while (bytes.hasRemaining()) {
      at += file.write(bytes, at);
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
