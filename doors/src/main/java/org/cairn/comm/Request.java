// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A send or receive under way. Its memory belongs to the communicator until the request is
 * complete: a program must neither free nor change it, nor read what is being received.
 *
 * <p>Failures are thrown by whichever of the methods is called first after the failure, and by
 * every later one: {@link CommunicationException}, or {@link RankLostException} if the other side
 * is known to be gone. A thread that is interrupted while it waits gets a {@link
 * CommunicationException} and keeps its interrupt status.
 */
public interface Request {

  /** Whether it is complete. Never waits; drives the transport forward. */
  boolean test();

  /**
   * Waits until it is complete.
   *
   * @return what was received; for a send, the message that was sent
   */
  Message await();

  /**
   * Waits until all are complete. If some fail, the others are waited for nevertheless, unless the
   * thread is interrupted; then the first failure is thrown, with the others suppressed.
   *
   * @return what was received or sent, in the order of the requests
   */
  static List<Message> awaitAll(List<? extends Request> requests) {
    List<Message> messages = new ArrayList<>(requests.size());
    @Nullable CommunicationException first = null;
    for (Request request : requests) {
      try {
        messages.add(request.await());
      } catch (CommunicationException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
    return messages;
  }

  /** Waits until all are complete. */
  static List<Message> awaitAll(Request... requests) {
    return awaitAll(List.of(requests));
  }

  /**
   * Waits until one is complete. One that was complete before counts, and the first in the list if
   * there are several: who waits for one after the other takes those out that are done.
   *
   * @return the index of the one that is complete
   * @throws CommunicationException if one that was asked has failed
   */
  static int awaitAny(List<? extends Request> requests) {
    if (requests.isEmpty()) {
      throw new IllegalArgumentException("there is no request to wait for");
    }
    Backoff backoff = new Backoff("one of " + requests.size() + " requests");
    while (true) {
      for (int i = 0; i < requests.size(); i++) {
        if (requests.get(i).test()) {
          return i;
        }
      }
      backoff.pause();
    }
  }
}
