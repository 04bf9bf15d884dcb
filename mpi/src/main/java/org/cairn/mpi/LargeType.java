// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongToIntFunction;
import org.cairn.supply.Supply;

/**
 * Datatypes for messages beyond 2 GiB, where the number of bytes does not fit into MPI's {@code
 * int}: one element that consists of adjacent blocks of 1 GiB. MPI matches types by the sequence of
 * their elements, here always bytes, so that either side may use another type or none; it stays one
 * message, which wildcards, probes and limits treat like any other.
 */
final class LargeType {
  private static final long BLOCK = 1L << 30;

  private LargeType() {}

  static boolean isNeeded(long bytes) {
    return bytes > Integer.MAX_VALUE;
  }

  /** Calls MPI with a type of this many bytes; a message that it starts keeps what it needs. */
  static int use(MpiProcess process, long bytes, LongToIntFunction call) {
    MpiFunctions mpi = MpiLibrary.mpi();
    Slot slot = process.slots.take();
    try {
      make(process, mpi, bytes, slot);
      int code = call.applyAsInt(slot.handle());
      process.check(mpi.freeType(slot.handleAddress()), "MPI_Type_free");
      return code;
    } finally {
      process.slots.giveBack(slot);
    }
  }

  private static void make(MpiProcess process, MpiFunctions mpi, long bytes, Slot slot) {
    int blocks = Math.toIntExact((bytes + BLOCK - 1) / BLOCK);
    try (Arena arena = Supply.confinedArena()) {
      MemorySegment lengths = arena.allocate(JAVA_INT, blocks);
      MemorySegment offsets = arena.allocate(JAVA_LONG, blocks);
      for (int i = 0; i < blocks; i++) {
        lengths.setAtIndex(JAVA_INT, i, (int) Math.min(BLOCK, bytes - i * BLOCK));
        offsets.setAtIndex(JAVA_LONG, i, i * BLOCK);
      }
      process.check(
          mpi.blockType(
              blocks,
              lengths.address(),
              offsets.address(),
              mpi.constants().bytes(),
              slot.clearedHandle()),
          "MPI_Type_create_hindexed");
    }
    process.check(mpi.commitType(slot.handleAddress()), "MPI_Type_commit");
  }
}
