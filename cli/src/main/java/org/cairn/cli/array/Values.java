// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.array;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongConsumer;
import org.cairn.ElementType;
import org.cairn.SavedArray;

/** Elements of an array one after the other, a stretch at a time, whatever their type. */
final class Values {
  private static final long CHUNK_BYTES = 16L << 20;

  private Values() {}

  /** Takes a stretch. */
  interface Sink {
    /**
     * Takes a stretch.
     *
     * @param first the number of its first element in the array
     */
    void take(MemorySegment elements, long first) throws IOException;
  }

  static void scan(SavedArray array, LongConsumer progress, Sink sink) throws IOException {
    int width = array.type().bytes();
    long most = CHUNK_BYTES / width;
    try (Arena arena = Arena.ofShared()) {
      MemorySegment room = arena.allocate(Math.max(1, Math.min(array.size(), most) * width), 8);
      long first = 0;
      for (SavedArray chunk : array.chunks(most)) {
        MemorySegment elements = room.asSlice(0, chunk.byteSize());
        chunk.into(elements);
        sink.take(elements, first);
        first += chunk.size();
        progress.accept(first * width);
      }
    }
  }

  /** An element as a number. */
  static double at(MemorySegment elements, ElementType type, long index) {
    return switch (type) {
      case DOUBLE -> elements.getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, index);
      case FLOAT -> elements.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index);
      case LONG -> elements.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, index);
      case INT -> elements.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, index);
      case SHORT -> elements.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, index);
      case CHAR -> elements.getAtIndex(ValueLayout.JAVA_CHAR_UNALIGNED, index);
      case BYTE, BOOLEAN, OPAQUE -> elements.get(ValueLayout.JAVA_BYTE, index);
    };
  }
}
