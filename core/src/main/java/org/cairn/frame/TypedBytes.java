// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.cairn.transform.Elements;

/**
 * A piece for which no transform is chosen yet.
 *
 * @param key its class, as {@code ToyGrp/T_F32LE_2D}
 * @param elements what it consists of; {@link Elements#BYTES} if nobody knows
 * @param shape of the array that it is a part of, the slowest axis first; empty if nobody knows
 * @param coded whether it went through a compressor before: nothing is tried, nothing gained
 */
public record TypedBytes(
    String key, Elements elements, List<Long> shape, MemorySegment bytes, boolean coded) {
  /** Takes a copy of the shape. */
  public TypedBytes {
    shape = List.copyOf(shape);
  }

  /** A piece that did not go through a compressor before. */
  public TypedBytes(String key, Elements elements, List<Long> shape, MemorySegment bytes) {
    this(key, elements, shape, bytes, false);
  }

  /** Whether all elements are equal, bit by bit; eight bytes where nobody knows the type. */
  boolean isOfOneValue() {
    long width = elements.width() == 1 ? Long.BYTES : elements.width();
    long rest = bytes.byteSize() - width;
    return rest <= 0 || MemorySegment.mismatch(bytes, 0, rest, bytes, width, width + rest) < 0;
  }
}
