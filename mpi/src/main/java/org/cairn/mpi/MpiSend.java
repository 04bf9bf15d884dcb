// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import java.lang.foreign.MemorySegment;
import org.cairn.comm.Message;
import org.jspecify.annotations.Nullable;

/** A send under way, or a barrier, which sends nothing. */
final class MpiSend extends MpiRequest {
  private final Slot slot;
  private final @Nullable MemorySegment staged;
  private final Message message;

  /**
   * Takes over what MPI was started with.
   *
   * @param slot holds the handle
   * @param staged native memory that MPI reads in place of the program's, or null
   * @param message what is being sent
   */
  MpiSend(MpiProcess process, Slot slot, @Nullable MemorySegment staged, Message message) {
    super(process);
    this.slot = slot;
    this.staged = staged;
    this.message = message;
    started();
  }

  @Override
  Slot slot() {
    return slot;
  }

  @Override
  Message complete(Slot done) {
    return message;
  }

  @Override
  void release(Slot done) {
    if (staged != null) {
      process.staging.giveBack(staged);
    }
    process.slots.giveBack(done);
  }

  @Override
  String describe() {
    return "the send of " + message.bytes() + " bytes with tag " + message.tag();
  }
}
