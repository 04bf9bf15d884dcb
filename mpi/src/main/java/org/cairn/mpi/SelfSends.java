// SPDX-License-Identifier: Apache-2.0
package org.cairn.mpi;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.cairn.comm.Message;
import org.cairn.comm.Request;

/**
 * Small messages of a rank to itself. A program may count on small messages to be sent without
 * their receiver being there, and MPICH does not hold to that where sender and receiver are one. So
 * such messages are copied, and whether MPI is done with the copy is nobody's concern but ours.
 */
final class SelfSends {
  /** What MPIs send at once to other ranks is about as large. */
  static final long LARGEST = 64 << 10;

  private static final int LOOKS = 4;

  private final Queue<MpiSend> underWay = new ConcurrentLinkedQueue<>();

  /** Takes over a send of memory that nobody else uses; for the program it is complete. */
  Request complete(MpiSend send, Message message) {
    // More looks than additions: the queue does not grow unless the messages do.
    for (int i = 0; i < LOOKS; i++) {
      MpiSend old = underWay.poll();
      if (old != null && !old.test()) {
        underWay.add(old);
      }
    }
    underWay.add(send);
    return new Complete(message);
  }

  private record Complete(Message message) implements Request {
    @Override
    public boolean test() {
      return true;
    }

    @Override
    public Message await() {
      return message;
    }
  }
}
