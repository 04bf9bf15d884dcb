// SPDX-License-Identifier: Apache-2.0
package org.cairn.erasure;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * Tiles of native memory for kernels, used again and again: never more than were in use at the same
 * time. They are not of confined arenas, which kernels must not meet. What the JDK frees when it
 * finds that nobody has it any more is not to be had anew for every block: tens of megabytes waited
 * for the collector that way, and it does not see them.
 */
final class Windows {
  private static final ArrayDeque<MemorySegment> FREE = new ArrayDeque<>();

  private Windows() {}

  /** A tile; what is in it is what somebody left. */
  static MemorySegment take() {
    MemorySegment free = poll();
    return free == null ? Supply.autoArena().allocate(Combination.TILE, 64) : free;
  }

  private static @Nullable MemorySegment poll() {
    synchronized (FREE) {
      return FREE.pollLast();
    }
  }

  /** Gives tiles back; places of the array may be empty. */
  static void give(@Nullable MemorySegment[] tiles) {
    synchronized (FREE) {
      for (MemorySegment tile : tiles) {
        if (tile != null) {
          FREE.addLast(tile);
        }
      }
    }
  }
}
