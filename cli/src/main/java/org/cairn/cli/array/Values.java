// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.array;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongConsumer;
import org.cairn.ElementType;
import org.cairn.SavedArray;

/** Elements of arrays one after the other, a stretch at a time, whatever their type. */
final class Values {
  private static final long CHUNK_BYTES = 16L << 20;

  private Values() {}

  /** Takes a stretch. */
  interface Sink {
    /**
     * Takes a stretch.
     *
     * @param elements of each array the same ones
     * @param first the number of the first of them
     */
    void take(List<MemorySegment> elements, long first) throws IOException;
  }

  /**
   * Goes through arrays of one shape and type, side by side.
   *
   * @param progress told how many bytes of each are done
   */
  static void scan(List<SavedArray> arrays, LongConsumer progress, Sink sink) throws IOException {
    SavedArray any = arrays.getFirst();
    int width = any.type().bytes();
    long most = CHUNK_BYTES / width;
    long room = Math.max(1, Math.min(any.size(), most) * width);
    try (Arena arena = Arena.ofShared()) {
      List<MemorySegment> rooms = arrays.stream().map(_ -> arena.allocate(room, 8)).toList();
      List<Iterator<SavedArray>> chunks =
          arrays.stream().map(array -> array.chunks(most).iterator()).toList();
      long first = 0;
      while (chunks.getFirst().hasNext()) {
        List<MemorySegment> elements = new ArrayList<>();
        for (int i = 0; i < rooms.size(); i++) {
          SavedArray chunk = chunks.get(i).next();
          elements.add(rooms.get(i).asSlice(0, chunk.byteSize()));
          chunk.into(elements.getLast());
        }
        sink.take(elements, first);
        first += elements.getFirst().byteSize() / width;
        progress.accept(first * width);
      }
    }
  }

  /** Whether elements are integers: as {@code double} large ones would be others. */
  static boolean areIntegers(ElementType type) {
    return type != ElementType.DOUBLE && type != ElementType.FLOAT;
  }

  /** An element as a number; of large integers the nearest one that there is. */
  static double at(MemorySegment elements, ElementType type, long index) {
    return switch (type) {
      case DOUBLE -> elements.getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, index);
      case FLOAT -> elements.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index);
      default -> integerAt(elements, type, index);
    };
  }

  /** An integer, as it is. */
  static long integerAt(MemorySegment elements, ElementType type, long index) {
    return switch (type) {
      case LONG -> elements.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, index);
      case INT -> elements.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, index);
      case SHORT -> elements.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, index);
      case CHAR -> elements.getAtIndex(ValueLayout.JAVA_CHAR_UNALIGNED, index);
      case BYTE, BOOLEAN, OPAQUE -> elements.get(ValueLayout.JAVA_BYTE, index);
      case DOUBLE, FLOAT -> throw new IllegalArgumentException(type.label() + " is no integer");
    };
  }
}
