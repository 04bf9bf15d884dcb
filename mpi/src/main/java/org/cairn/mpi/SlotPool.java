// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** All slots of the process. Safe for use by many threads. */
final class SlotPool {
  private static final int SLAB = 64;

  private final List<Slot> all = new ArrayList<>();
  private Slot[] free = new Slot[SLAB];
  private int count;

  synchronized Slot take() {
    if (count == 0) {
      grow();
    }
    return free[--count];
  }

  synchronized void giveBack(Slot slot) {
    slot.pinned = null;
    free[count++] = slot;
  }

  /** Slots in use; for tests. */
  synchronized int used() {
    return all.size() - count;
  }

  private void grow() {
    MemorySegment slab = Arena.global().allocate((long) Slot.BYTES * SLAB, Slot.BYTES);
    for (int i = 0; i < SLAB; i++) {
      Slot slot = new Slot(slab.asSlice((long) i * Slot.BYTES, Slot.BYTES));
      all.add(slot);
      free[count++] = slot;
    }
    // Room for all of them, so that giving back never has to grow.
    if (free.length < all.size() + SLAB) {
      free = java.util.Arrays.copyOf(free, all.size() * 2 + SLAB);
    }
  }
}
