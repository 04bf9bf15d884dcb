// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * Native memory that grows to the largest size asked for, and hardly beyond: frames are mostly of
 * one size. What is in it does not survive growing. Not for several threads at the same time.
 */
final class FrameMemory implements AutoCloseable {
  private static final long STEP = 64 << 10;
  private static final long LINE = 64;

  private @Nullable Arena arena;
  private MemorySegment memory = MemorySegment.NULL;

  /** Memory of just so many bytes, the same as before if that sufficed. */
  MemorySegment ensure(long bytes) {
    if (memory.byteSize() < bytes) {
      close();
      Arena grown = Supply.sharedArena();
      arena = grown;
      memory = grown.allocate((bytes + STEP - 1) / STEP * STEP, LINE);
    }
    return memory.asSlice(0, bytes);
  }

  @Override
  public void close() {
    if (arena != null) {
      arena.close();
      arena = null;
      memory = MemorySegment.NULL;
    }
  }
}
