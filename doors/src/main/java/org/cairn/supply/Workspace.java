// SPDX-License-Identifier: Apache-2.0
package org.cairn.supply;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory for a piece of work, usable by any thread: small parts are on the heap, large ones native
 * and given back when it is closed.
 *
 * <p>To close native memory that threads share, the JVM asks each of its threads. With hundreds of
 * ranks in one process that takes milliseconds, and all ranks do it at the same time; whoever has
 * little to do must not pay for it. Who takes much hardly notices.
 *
 * <p>Not for several threads at the same time; but once one has taken memory of a size, several may
 * take more of that size at once. What is handed to native functions as an address comes from an
 * arena of {@link Supply} instead.
 */
public final class Workspace implements AutoCloseable {
  /** Files copy so much to memory of their own faster than the JVM asks its threads. */
  private static final long SMALL = 64 << 10;

  private static final long LINE = 64;

  /** What is larger begins on a page: files are read into it past the page cache. */
  private static final long PAGE = 4096;

  private @Nullable Arena large;

  /** Memory of that many bytes; what is in it is zeros. */
  public MemorySegment allocate(long bytes) {
    return allocate(bytes, LINE);
  }

  /** The same; native memory is aligned. */
  public MemorySegment allocate(long bytes, long alignment) {
    return bytes <= SMALL
        ? MemorySegment.ofArray(Supply.bytes((int) bytes))
        : large().allocate(bytes, Math.max(alignment, PAGE));
  }

  /** Native memory whatever its size: for who reads many small pieces of files. */
  public MemorySegment allocateNative(long bytes) {
    return large().allocate(bytes, PAGE);
  }

  private Arena large() {
    Arena arena = large;
    if (arena == null) {
      arena = Supply.sharedArena();
      large = arena;
    }
    return arena;
  }

  /**
   * The same memory if it is large enough; else other memory, in which is not what was in it. It
   * grows to powers of two: all that was ever taken is at most twice the last.
   */
  public MemorySegment atLeast(MemorySegment memory, long bytes) {
    return memory.byteSize() >= bytes ? memory : allocate(powerOfTwo(bytes));
  }

  private static long powerOfTwo(long bytes) {
    return bytes <= 1 ? 1 : Long.highestOneBit(bytes - 1) << 1;
  }

  @Override
  public void close() {
    if (large != null) {
      large.close();
      large = null;
    }
  }
}
