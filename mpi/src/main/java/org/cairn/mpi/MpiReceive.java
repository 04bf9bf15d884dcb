// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import java.lang.foreign.MemorySegment;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Message;
import org.cairn.supply.UnseenWrites;
import org.jspecify.annotations.Nullable;

/**
 * A receive under way. It waits in the {@link ReceiveQueue} until there is a message for it; only
 * then, when its length is known, does MPI get to know the memory.
 */
final class MpiReceive extends MpiRequest {
  final MpiCommunicator comm;
  final int from;
  final int tag;
  private final MemorySegment target;

  private @Nullable Slot slot;
  private @Nullable MemorySegment staged;
  private @Nullable Message matched;

  /** What a network card may write past the page tables. */
  private UnseenWrites.@Nullable Expected arriving;

  MpiReceive(MpiCommunicator comm, MemorySegment target, int from, int tag) {
    super(comm.process());
    this.comm = comm;
    this.target = target;
    this.from = from;
    this.tag = tag;
  }

  /** Whether this would take a message of the same communicator. */
  boolean accepts(Message message) {
    boolean fromThere = from == Communicator.ANY_SOURCE || from == message.source();
    boolean tagged = tag == Communicator.ANY_TAG ? message.tag() >= 0 : tag == message.tag();
    return fromThere && tagged;
  }

  /**
   * Receives a message that was found.
   *
   * @param found holds MPI's handle of the message; from now on it belongs to this receive
   */
  void take(Message message, Slot found) {
    matched = message;
    slot = found;
    boolean fits = message.bytes() <= target.byteSize();
    if (!fits || !target.isNative()) {
      // One that does not fit is received nevertheless, to nowhere, or its sender would wait.
      staged = process.staging.take(message.bytes());
    }
    MemorySegment memory = staged == null ? target : staged;
    found.pinned = memory;
    arriving = UnseenWrites.expect(memory);
    int code = comm.startMatched(found, memory.address(), message.bytes());
    if (code != 0) {
      release(found);
      fail(new CommunicationException(describe() + " failed: " + process.explain(code)));
    } else if (fits) {
      started();
    } else {
      startedInVain(tooLarge(message));
    }
  }

  private CommunicationException tooLarge(Message message) {
    return new CommunicationException(
        "a message of %d bytes from rank %d with tag %d does not fit into the %d bytes to receive it"
            .formatted(message.bytes(), message.source(), message.tag(), target.byteSize()));
  }

  /**
   * Waits, but gives up if the thread is interrupted: a message that comes later must not be
   * written to memory that the program uses for something else by then.
   */
  Message awaitOrGiveUp() {
    try {
      return await();
    } catch (CommunicationException e) {
      if (isDone() || process.receives.remove(this)) {
        throw e;
      }
      return awaitTheRest();
    }
  }

  /** The message is there already; what is left does not take long. */
  private Message awaitTheRest() {
    boolean interrupted = Thread.interrupted();
    try {
      return await();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  Slot slot() {
    if (slot == null) {
      throw new AssertionError("asked for before there is a message");
    }
    return slot;
  }

  @Override
  Message complete(Slot done) {
    if (matched == null) {
      throw new AssertionError("complete before there is a message");
    }
    if (staged != null) {
      MemorySegment.copy(staged, 0, target, 0, matched.bytes());
    }
    return matched;
  }

  @Override
  void release(Slot done) {
    if (arriving != null) {
      arriving.close();
    }
    if (staged != null) {
      process.staging.giveBack(staged);
    }
    process.slots.giveBack(done);
  }

  @Override
  String describe() {
    return "a message from %s with %s"
        .formatted(
            from == Communicator.ANY_SOURCE ? "any rank" : "rank " + from,
            tag == Communicator.ANY_TAG ? "any tag" : "tag " + tag);
  }
}
