// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/** Builds one record in native memory that grows as needed and is reused for the next record. */
final class RecordWriter implements AutoCloseable {
  private static final long INITIAL_BYTES = 4096;

  private Arena arena = Arena.ofShared();
  private MemorySegment memory = arena.allocate(INITIAL_BYTES, 8);
  private long position;

  void reset() {
    position = 0;
  }

  long position() {
    return position;
  }

  /** What has been written so far; valid until the next call. */
  MemorySegment bytes() {
    return memory.asSlice(0, position);
  }

  long capacity() {
    return memory.byteSize();
  }

  void putByte(int value) {
    need(1);
    memory.set(ValueLayout.JAVA_BYTE, position, (byte) value);
    position += 1;
  }

  void putShort(int value) {
    putByte(value);
    putByte(value >>> 8);
  }

  void putInt(int value) {
    need(4);
    memory.set(ContainerFormat.INT, position, value);
    position += 4;
  }

  void putLong(long value) {
    need(8);
    memory.set(ContainerFormat.LONG, position, value);
    position += 8;
  }

  void putText(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    putInt(utf8.length);
    need(utf8.length);
    MemorySegment.copy(utf8, 0, memory, ValueLayout.JAVA_BYTE, position, utf8.length);
    position += utf8.length;
  }

  void setLong(long at, long value) {
    memory.set(ContainerFormat.LONG, at, value);
  }

  long getLong(long at) {
    return memory.get(ContainerFormat.LONG, at);
  }

  private void need(long bytes) {
    if (position + bytes > memory.byteSize()) {
      grow(position + bytes);
    }
  }

  /** By half, not double: at small blocks this memory is a visible part of the state. */
  private void grow(long atLeast) {
    move(Math.max(atLeast, memory.byteSize() + (memory.byteSize() >> 1)));
  }

  /** Forgets the record, and gives back memory beyond {@code capacity} bytes. */
  void trim(long capacity) {
    position = 0;
    move(Math.max(INITIAL_BYTES, capacity));
  }

  private void move(long capacity) {
    Arena other = Arena.ofShared();
    MemorySegment copy = other.allocate(capacity, 8);
    MemorySegment.copy(memory, 0, copy, 0, position);
    arena.close();
    arena = other;
    memory = copy;
  }

  @Override
  public void close() {
    arena.close();
  }
}
