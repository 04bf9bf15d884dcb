// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Native memory for one call or request: a handle, a flag, a number and a status. A slot lives as
 * long as the process and is used again and again.
 *
 * <p>Slot → Handle (8 bytes), Flag (4), padding (4), Number (8), Status (24), Message (8), padding
 * to 64.
 */
final class Slot {
  static final int BYTES = 64;
  private static final int HANDLE = 0;
  private static final int FLAG = 8;
  private static final int NUMBER = 16;
  private static final int STATUS = 24;
  private static final int MESSAGE = 48;

  private final MemorySegment memory;
  private final long address;

  /**
   * What MPI reads or writes meanwhile. The pool knows all slots, so that memory of a request that
   * everybody else forgot is not collected under MPI's hands.
   */
  @Nullable MemorySegment pinned;

  Slot(MemorySegment memory) {
    this.memory = memory;
    this.address = memory.address();
  }

  /** Where the handle is; MPICH writes its lower half only, so it is zeroed before. */
  long clearedHandle() {
    memory.set(JAVA_LONG, HANDLE, 0);
    return address + HANDLE;
  }

  long handleAddress() {
    return address + HANDLE;
  }

  long handle() {
    return memory.get(JAVA_LONG, HANDLE);
  }

  void setHandle(long handle) {
    memory.set(JAVA_LONG, HANDLE, handle);
  }

  long flagAddress() {
    return address + FLAG;
  }

  /** The flag, or any other {@code int} that a function answers. */
  int flag() {
    return memory.get(JAVA_INT, FLAG);
  }

  long numberAddress() {
    return address + NUMBER;
  }

  long number() {
    return memory.get(JAVA_LONG, NUMBER);
  }

  long statusAddress() {
    return address + STATUS;
  }

  /** Where the handle of a message that was found is, zeroed like the other. */
  long clearedMessage() {
    memory.set(JAVA_LONG, MESSAGE, 0);
    return address + MESSAGE;
  }

  long messageAddress() {
    return address + MESSAGE;
  }

  int status(int offset) {
    return memory.get(JAVA_INT, STATUS + offset);
  }
}
