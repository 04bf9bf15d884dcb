// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Bytes that are only ever appended, outside the heap, so that a checkpoint adds a block. */
final class Log {
  private static final long FIRST = 1 << 12;

  private MemorySegment room = Arena.ofAuto().allocate(FIRST, Long.BYTES);
  private long length;

  /** What was appended so far; valid until more is. */
  MemorySegment memory() {
    return room.asSlice(0, length);
  }

  long length() {
    return length;
  }

  void append(byte value) {
    reserve(1);
    room.set(ValueLayout.JAVA_BYTE, length++, value);
  }

  void append(int value) {
    reserve(Integer.BYTES);
    room.set(ValueLayout.JAVA_INT_UNALIGNED, length, value);
    length += Integer.BYTES;
  }

  void append(long value) {
    reserve(Long.BYTES);
    room.set(ValueLayout.JAVA_LONG_UNALIGNED, length, value);
    length += Long.BYTES;
  }

  void append(MemorySegment bytes) {
    reserve(bytes.byteSize());
    MemorySegment.copy(bytes, 0, room, length, bytes.byteSize());
    length += bytes.byteSize();
  }

  /** Lets it be what another one was. */
  void restore(MemorySegment bytes) {
    length = 0;
    append(bytes);
  }

  private void reserve(long more) {
    if (length + more > room.byteSize()) {
      MemorySegment larger =
          Arena.ofAuto().allocate(Math.max(length + more, room.byteSize() * 2), Long.BYTES);
      MemorySegment.copy(room, 0, larger, 0, length);
      room = larger;
    }
  }
}
