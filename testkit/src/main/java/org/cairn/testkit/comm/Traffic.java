// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.comm;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What each rank of a job sends and receives, over all its communicators, counted when a send
 * starts. Collectives count as the messages that they are made of.
 */
public final class Traffic {
  private final AtomicLongArray messagesSent;
  private final AtomicLongArray messagesReceived;
  private final AtomicLongArray bytesSent;
  private final AtomicLongArray bytesReceived;

  /** Nothing yet, between so many ranks. */
  public Traffic(int ranks) {
    messagesSent = new AtomicLongArray(ranks);
    messagesReceived = new AtomicLongArray(ranks);
    bytesSent = new AtomicLongArray(ranks);
    bytesReceived = new AtomicLongArray(ranks);
  }

  /**
   * What one rank had to do.
   *
   * @param messages sent or received, whichever is more
   * @param bytes sent or received, whichever is more
   */
  public record Load(long messages, long bytes) {}

  void sent(int from, int to, long bytes) {
    messagesSent.incrementAndGet(from);
    bytesSent.addAndGet(from, bytes);
    messagesReceived.incrementAndGet(to);
    bytesReceived.addAndGet(to, bytes);
  }

  /** Bytes that a rank has sent. */
  public long bytesFrom(int rank) {
    return bytesSent.get(rank);
  }

  /** The most messages and the most bytes of any rank; not of one and the same, perhaps. */
  public Load heaviest() {
    return new Load(
        Math.max(most(messagesSent), most(messagesReceived)),
        Math.max(most(bytesSent), most(bytesReceived)));
  }

  private static long most(AtomicLongArray counts) {
    long most = 0;
    for (int rank = 0; rank < counts.length(); rank++) {
      most = Math.max(most, counts.get(rank));
    }
    return most;
  }

  /** Starts from 0. */
  public void reset() {
    for (int rank = 0; rank < bytesSent.length(); rank++) {
      messagesSent.set(rank, 0);
      messagesReceived.set(rank, 0);
      bytesSent.set(rank, 0);
      bytesReceived.set(rank, 0);
    }
  }
}
