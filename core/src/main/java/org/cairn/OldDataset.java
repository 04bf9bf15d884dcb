// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * What one of another number of ranks saved, every block verified; see {@link
 * RestartRequest#otherwise}.
 *
 * @param rank who saved it
 * @param name as it was called then
 * @param shape elements along each axis
 * @param bytes its elements, valid while the function runs that is given it
 */
public record OldDataset(
    int rank, String name, ElementType type, List<Long> shape, MemorySegment bytes) {
  /** Its elements, if they are of type {@code double}. */
  public double[] doubles() {
    require(ElementType.DOUBLE);
    return bytes.toArray(ValueLayout.JAVA_DOUBLE_UNALIGNED);
  }

  /** Its elements, if they are of type {@code long}. */
  public long[] longs() {
    require(ElementType.LONG);
    return bytes.toArray(ValueLayout.JAVA_LONG_UNALIGNED);
  }

  /** Its elements, if they are of type {@code int}. */
  public int[] ints() {
    require(ElementType.INT);
    return bytes.toArray(ValueLayout.JAVA_INT_UNALIGNED);
  }

  /** Its bytes, whatever they are. */
  public byte[] toBytes() {
    return bytes.toArray(ValueLayout.JAVA_BYTE);
  }

  private void require(ElementType wanted) {
    if (type != wanted) {
      throw new IllegalStateException(
          "\"%s\" of rank %d has elements of type %s, not %s"
              .formatted(name, rank, type.label(), wanted.label()));
    }
  }
}
