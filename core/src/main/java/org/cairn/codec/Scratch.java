// SPDX-License-Identifier: Apache-2.0
package org.cairn.codec;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * Native memory that grows to the largest size asked for and is then reused.
 *
 * <p>Not thread-safe, but not bound to a thread either. Content does not survive {@link #ensure}.
 */
final class Scratch implements AutoCloseable {
  private static final int SMALLEST = 4096;

  private @Nullable Arena arena;
  private MemorySegment memory = MemorySegment.NULL;
  private ByteBuffer buffer = ByteBuffer.allocate(0);
  private boolean closed;

  /** Memory of at least this many bytes, the same as before if that sufficed. */
  MemorySegment ensure(int size) {
    if (closed) {
      throw new IllegalStateException("Block codec is closed");
    }
    if (size > memory.byteSize()) {
      grow(size);
    }
    return memory;
  }

  /** The same memory as a buffer with position 0 and this limit; one object for all calls. */
  ByteBuffer ensureBuffer(int size) {
    var _ = ensure(size);
    return buffer.clear().limit(size);
  }

  private void grow(int size) {
    release();
    // Powers of two, so that blocks of slowly growing size do not allocate each time.
    long capacity = Math.max(SMALLEST, Long.highestOneBit(Math.max(1, size - 1L)) << 1);
    Arena grown = Supply.sharedArena();
    arena = grown;
    memory = grown.allocate(capacity, Long.BYTES);
    buffer = memory.asByteBuffer();
  }

  private void release() {
    if (arena != null) {
      arena.close();
      arena = null;
      memory = MemorySegment.NULL;
    }
  }

  @Override
  public void close() {
    closed = true;
    release();
  }
}
