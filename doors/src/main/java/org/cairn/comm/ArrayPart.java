// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemorySegment;

/**
 * A part of an array as memory, for every method of {@link Communicator} that takes memory:
 *
 * <pre>{@code
 * ranks.broadcast(ArrayPart.of(u, 10, 5), 0); // u[10] to u[14]
 * }</pre>
 */
public final class ArrayPart {
  private ArrayPart() {}

  private static MemorySegment slice(
      MemorySegment array, int length, int width, int from, int count) {
    if (from < 0 || count < 0 || from > length - count) {
      throw new IllegalArgumentException(
          "%d elements from index %d on are not in an array of %d".formatted(count, from, length));
    }
    return array.asSlice((long) from * width, (long) count * width);
  }

  /** So many elements of an array, from an index on. */
  public static MemorySegment of(byte[] array, int from, int count) {
    return slice(MemorySegment.ofArray(array), array.length, Byte.BYTES, from, count);
  }

  /** So many elements of an array, from an index on. */
  public static MemorySegment of(short[] array, int from, int count) {
    return slice(MemorySegment.ofArray(array), array.length, Short.BYTES, from, count);
  }

  /** So many elements of an array, from an index on. */
  public static MemorySegment of(char[] array, int from, int count) {
    return slice(MemorySegment.ofArray(array), array.length, Character.BYTES, from, count);
  }

  /** So many elements of an array, from an index on. */
  public static MemorySegment of(int[] array, int from, int count) {
    return slice(MemorySegment.ofArray(array), array.length, Integer.BYTES, from, count);
  }

  /** So many elements of an array, from an index on. */
  public static MemorySegment of(long[] array, int from, int count) {
    return slice(MemorySegment.ofArray(array), array.length, Long.BYTES, from, count);
  }

  /** So many elements of an array, from an index on. */
  public static MemorySegment of(float[] array, int from, int count) {
    return slice(MemorySegment.ofArray(array), array.length, Float.BYTES, from, count);
  }

  /** So many elements of an array, from an index on. */
  public static MemorySegment of(double[] array, int from, int count) {
    return slice(MemorySegment.ofArray(array), array.length, Double.BYTES, from, count);
  }
}
