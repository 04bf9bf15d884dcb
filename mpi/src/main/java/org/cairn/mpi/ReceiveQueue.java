// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Message;

/**
 * Receives that no message was found for yet, in the order they were started.
 *
 * <p>MPI could keep them itself, but we may not trust it with memory that is too small: Open MPI
 * 4.1.4 was seen to write a large message over the end of its target and corrupt the process, in
 * place of reporting an error. So we look for messages first ({@code MPI_Improbe}, which takes what
 * it finds away from everybody else), and hand over memory when the length is known. That also
 * tells lengths in errors alike with both libraries, and lets a receive be taken back without
 * {@code MPI_Cancel}.
 *
 * <p>Assumptions: every wait of this process calls {@link #drive}, also one for a send, because two
 * ranks that send large messages to each other wait for each other's receives.
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>A message goes to the first receive, in the order they were started, that accepts it: if a
 *       later receive finds one that an earlier one would take, because it came in between, the
 *       earlier one gets it.
 *   <li>Messages that match are taken in the order they were sent, which MPI promises of probes.
 *   <li>{@link #poll} does not see messages that a receive is waiting for.
 * </ol>
 */
final class ReceiveQueue {
  private final SlotPool slots;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<MpiReceive> waiting = new ArrayList<>();

  /** The size of the list, to see without the lock that there is nothing to do. */
  private volatile int count;

  private Slot slot;

  ReceiveQueue(SlotPool slots) {
    this.slots = slots;
    this.slot = slots.take();
  }

  void add(MpiReceive receive) {
    lock.lock();
    try {
      waiting.add(receive);
      count = waiting.size();
    } finally {
      lock.unlock();
    }
  }

  /** Takes a receive back; whether that was possible: not if there is a message for it already. */
  boolean remove(MpiReceive receive) {
    lock.lock();
    try {
      boolean removed = waiting.remove(receive);
      count = waiting.size();
      if (removed) {
        receive.fail(new CommunicationException("it was taken back: " + receive.describe()));
      }
      return removed;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Runs an action while nobody looks for messages, after failing all receives of a communicator.
   */
  void close(MpiCommunicator comm, Runnable action) {
    lock.lock();
    try {
      waiting.stream().filter(receive -> receive.comm == comm).toList().forEach(this::remove);
      action.run();
    } finally {
      lock.unlock();
    }
  }

  /** Finds messages for receives. Never waits: if another thread is at it, there is no need to. */
  void drive() {
    if (count > 0 && lock.tryLock()) {
      try {
        match();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Looks for a message that no receive is waiting for. */
  Optional<Message> poll(MpiCommunicator comm, int from, int tag) {
    lock.lock();
    try {
      while (true) {
        match();
        Optional<Message> found = comm.look(slot, from, tag, false);
        if (found.isEmpty() || firstFor(comm, found.get(), waiting.size()) < 0) {
          return found;
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void match() {
    for (int i = 0; i < waiting.size(); ) {
      MpiReceive receive = waiting.get(i);
      Optional<Message> found = receive.comm.look(slot, receive.from, receive.tag, true);
      if (found.isEmpty()) {
        i++;
        continue;
      }
      int first = firstFor(receive.comm, found.get(), i + 1);
      MpiReceive taker = waiting.remove(first);
      count = waiting.size();
      Slot holder = slot;
      slot = slots.take();
      taker.take(found.get(), holder);
      if (first < i) {
        i--; // the one that looked moved up, and has to look again
      }
    }
  }

  /** The first of so many receives that accepts a message, or -1. */
  private int firstFor(MpiCommunicator comm, Message message, int end) {
    for (int i = 0; i < end; i++) {
      MpiReceive receive = waiting.get(i);
      if (receive.comm == comm && receive.accepts(message)) {
        return i;
      }
    }
    return -1;
  }
}
