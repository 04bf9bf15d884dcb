// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

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
}
