// SPDX-License-Identifier: Apache-2.0
package org.cairn.supply;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** An arena whose memory is asked for. */
record SuppliedArena(Arena arena) implements Arena {
  @Override
  public MemorySegment allocate(long byteSize, long byteAlignment) {
    Supply.requestNativeMemory(byteSize);
    return arena.allocate(byteSize, byteAlignment);
  }

  @Override
  public MemorySegment.Scope scope() {
    return arena.scope();
  }

  @Override
  public void close() {
    arena.close();
  }
}
