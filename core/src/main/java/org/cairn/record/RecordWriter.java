// SPDX-License-Identifier: Apache-2.0
package org.cairn.record;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.cairn.supply.Supply;
import org.cairn.supply.Workspace;
import org.jspecify.annotations.Nullable;

/**
 * Builds one record in memory that grows as needed and is reused for the next record: in a {@link
 * Workspace} for what goes to files again and again, on the heap for messages.
 */
public final class RecordWriter implements AutoCloseable {
  private static final long INITIAL_BYTES = 4096;
  private static final int INITIAL_HEAP_BYTES = 256;

  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** Where a record can be. */
  private enum Room {
    WORKSPACE,
    HEAP,
    /** In memory of the caller, which does not grow. */
    GIVEN
  }

  private final Room room;

  /** Null unless memory is held: most containers are opened to be read. */
  private @Nullable Workspace space;

  private MemorySegment memory;
  private long position;

  /** A record in memory that is to be closed. */
  public RecordWriter() {
    this(Room.WORKSPACE, MemorySegment.NULL);
  }

  private RecordWriter(Room room, MemorySegment memory) {
    this.room = room;
    this.memory = memory;
  }

  /** A record on the heap; closing it does nothing. */
  public static RecordWriter onHeap() {
    return new RecordWriter(Room.HEAP, MemorySegment.ofArray(new byte[INITIAL_HEAP_BYTES]));
  }

  /** A record in memory of the caller, which does not grow; closing it does nothing. */
  public static RecordWriter into(MemorySegment memory) {
    return new RecordWriter(Room.GIVEN, memory);
  }

  /** Forgets the record and begins the next. */
  public void reset() {
    position = 0;
  }

  /** Takes memory for a record of about so many bytes at once, instead of little by little. */
  public void reserve(long bytes) {
    need(bytes);
  }

  /** How long the record is so far. */
  public long position() {
    return position;
  }

  /** What has been written so far; valid until the next call. */
  public MemorySegment bytes() {
    return memory.asSlice(0, position);
  }

  /** A copy of what has been written so far. */
  public byte[] toArray() {
    return bytes().toArray(ValueLayout.JAVA_BYTE);
  }

  /** How much memory it takes. */
  public long capacity() {
    return memory.byteSize();
  }

  /** An unsigned number of 8 bits. */
  public RecordWriter putByte(int value) {
    need(1);
    memory.set(ValueLayout.JAVA_BYTE, position, (byte) value);
    position += 1;
    return this;
  }

  /** An unsigned number of 16 bits. */
  public RecordWriter putShort(int value) {
    return putByte(value).putByte(value >>> 8);
  }

  /** A number of 32 bits. */
  public RecordWriter putInt(int value) {
    need(4);
    memory.set(INT, position, value);
    position += 4;
    return this;
  }

  /** A number of 64 bits. */
  public RecordWriter putLong(long value) {
    need(8);
    memory.set(LONG, position, value);
    position += 8;
    return this;
  }

  /** A number that is not negative, 7 bits a byte, lowest first. */
  public RecordWriter putVarint(long value) {
    long rest = value;
    while (rest >>> 7 != 0) {
      putByte((int) rest | 0x80);
      rest >>>= 7;
    }
    return putByte((int) rest);
  }

  /** Bytes as they are. */
  public RecordWriter putBytes(byte[] raw) {
    need(raw.length);
    // Not by what copies elements: which kind they are is found out by what is linked first.
    MemorySegment.copy(MemorySegment.ofArray(raw), 0, memory, position, raw.length);
    position += raw.length;
    return this;
  }

  /** Bytes with their number before them. */
  public RecordWriter putCounted(byte[] raw) {
    return putInt(raw.length).putBytes(raw);
  }

  /** A text as UTF-8 with its length in bytes before it. */
  public RecordWriter putText(String text) {
    return putCounted(text.getBytes(StandardCharsets.UTF_8));
  }

  // ---------------------------------------------------------------- parts with a length

  /** Begins a part whose length comes before it; {@link #end} ends it. */
  public long begin() {
    putInt(0);
    return position;
  }

  /** Begins a field; {@link #end} ends it. */
  public long beginField(int tag) {
    putShort(tag);
    return begin();
  }

  /** Ends a part or field. */
  public RecordWriter end(long begun) {
    memory.set(INT, begun - 4, Math.toIntExact(position - begun));
    return this;
  }

  /** A field of one number of 64 bits. */
  public RecordWriter putLongField(int tag, long value) {
    return putShort(tag).putInt(8).putLong(value);
  }

  /** A field of one number of 32 bits. */
  public RecordWriter putIntField(int tag, int value) {
    return putShort(tag).putInt(4).putInt(value);
  }

  /** Fields as they were read. */
  public RecordWriter putFields(List<Field> fields) {
    for (Field field : fields) {
      putShort(field.tag()).putCounted(field.bytes());
    }
    return this;
  }

  /** Ends a record with the checksum of all that is in it; {@link SealedRecord} reads it. */
  public RecordWriter seal() {
    Digest.of(bytes()).write(this);
    return this;
  }

  // ---------------------------------------------------------------- changing what was written

  /** Changes a number that was written before. */
  public void setLong(long at, long value) {
    memory.set(LONG, at, value);
  }

  private void need(long bytes) {
    if (position + bytes > memory.byteSize()) {
      grow(position + bytes);
    }
  }

  /** By half, not double: at small blocks this memory is a visible part of the state. */
  private void grow(long atLeast) {
    if (room == Room.GIVEN) {
      throw new IndexOutOfBoundsException(
          "a record of %d bytes in memory of %d".formatted(atLeast, memory.byteSize()));
    }
    long first = room == Room.WORKSPACE ? INITIAL_BYTES : INITIAL_HEAP_BYTES;
    move(Math.max(Math.max(first, atLeast), memory.byteSize() + (memory.byteSize() >> 1)));
  }

  /** Forgets the record, and gives back memory beyond {@code capacity} bytes. */
  public void trim(long capacity) {
    position = 0;
    long enough = Math.max(INITIAL_BYTES, capacity);
    if (memory.byteSize() > enough) {
      move(enough);
    }
  }

  private void move(long capacity) {
    Workspace before = space;
    Workspace other = room == Room.WORKSPACE ? new Workspace() : null;
    MemorySegment copy =
        other == null
            ? MemorySegment.ofArray(Supply.bytes(Math.toIntExact(capacity)))
            : other.allocate(capacity);
    MemorySegment.copy(memory, 0, copy, 0, position);
    space = other;
    memory = copy;
    if (before != null) {
      before.close();
    }
  }

  @Override
  public void close() {
    if (space != null) {
      space.close();
    }
  }
}
