// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Memory with a part for each rank. */
interface Parts {

  /**
   * Where parts are, in their order, in as few pieces as possible. After the last comes the first.
   */
  List<MemorySegment> range(int first, int count);

  /** The part of one rank. */
  default MemorySegment of(int rank) {
    return range(rank, 1).getFirst();
  }

  /** Parts side by side, all of the same size. */
  static Parts equal(MemorySegment memory, int count) {
    long[] offsets = new long[count + 1];
    for (int i = 1; i <= count; i++) {
      offsets[i] = memory.byteSize() / count * i;
    }
    return new SideBySide(memory, offsets);
  }

  /** Parts side by side, whose sizes differ by one byte at most. */
  static Parts even(MemorySegment memory, int count) {
    long[] offsets = new long[count + 1];
    for (int i = 1; i <= count; i++) {
      offsets[i] = memory.byteSize() * i / count;
    }
    return new SideBySide(memory, offsets);
  }

  /** Parts side by side, of these sizes, which fill the memory. */
  static Parts counted(MemorySegment memory, long[] bytes) {
    long[] offsets = new long[bytes.length + 1];
    for (int i = 0; i < bytes.length; i++) {
      offsets[i + 1] = offsets[i] + bytes[i];
    }
    return new SideBySide(memory, offsets);
  }

  /** Parts each of which has memory of its own. */
  static Parts apart(List<MemorySegment> parts) {
    return (first, count) -> {
      List<MemorySegment> pieces = new ArrayList<>(count);
      for (int i = first; i < first + count; i++) {
        pieces.add(parts.get(i % parts.size()));
      }
      return pieces;
    };
  }

  /** Parts of one piece of memory. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record SideBySide(MemorySegment memory, long[] offsets) implements Parts {
    @Override
    public List<MemorySegment> range(int first, int count) {
      int beyondEnd = first + count - (offsets.length - 1);
      return beyondEnd <= 0
          ? List.of(slice(first, first + count))
          : List.of(slice(first, offsets.length - 1), slice(0, beyondEnd));
    }

    private MemorySegment slice(int from, int to) {
      return memory.asSlice(offsets[from], offsets[to] - offsets[from]);
    }
  }
}
