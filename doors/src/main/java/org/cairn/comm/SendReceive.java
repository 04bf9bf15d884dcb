// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import static org.cairn.comm.Communicator.NOBODY;

import java.lang.foreign.MemorySegment;

/** A send and a receive that wait for each other's end, not for each other's begin. */
final class SendReceive {
  private final Communicator ranks;
  private final int tag;

  SendReceive(Communicator ranks, int tag) {
    this.ranks = ranks;
    this.tag = tag;
  }

  /** Everything is checked before anything is under way. */
  Message run(MemorySegment data, int to, MemorySegment target, int from) {
    if (to != NOBODY) {
      Arguments.checkSend(ranks, to, tag);
    }
    if (from == NOBODY) {
      return sendOnly(data, to);
    }
    Arguments.checkReceive(ranks, target, from, tag);
    if (to == NOBODY) {
      return ranks.receive(target, from, tag);
    }
    Arguments.checkApart(data, target);
    return receiveDuring(ranks.startSend(data, to, tag), target, from);
  }

  private Message sendOnly(MemorySegment data, int to) {
    if (to != NOBODY) {
      ranks.send(data, to, tag);
    }
    return new Message(NOBODY, tag, 0);
  }

  /** Not by a request: a transport may know how to take back a receive that is interrupted. */
  private Message receiveDuring(Request sent, MemorySegment target, int from) {
    Message message;
    try {
      message = ranks.receive(target, from, tag);
    } catch (CommunicationException e) {
      awaitAfter(e, sent);
      throw e;
    }
    sent.await();
    return message;
  }

  /** The memory is the transport's until the send is over, whatever became of the receive. */
  private static void awaitAfter(CommunicationException failure, Request sent) {
    try {
      sent.await();
    } catch (CommunicationException e) {
      failure.addSuppressed(e);
    }
  }
}
