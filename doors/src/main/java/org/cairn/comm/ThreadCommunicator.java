// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Ranks that are threads of one JVM; {@link Ranks} makes and runs them.
 *
 * <p>Assumptions: the program of a rank may use any number of threads. Confined memory is used by
 * the thread that owns it.
 *
 * <p>Guarantees:
 *
 * <ol>
 *   <li>A message is copied once, from the memory of the sender to that of the receiver, if the
 *       receiver is there first or the message is larger than 64 KiB. Smaller ones, messages to
 *       oneself and those from confined memory are copied aside and their sender goes on.
 *   <li>If a rank fails, all others get a {@link RankLostException} from the call they wait in, or
 *       else from the next one.
 *   <li>{@link #abort} is such a failure, of the rank that calls it.
 *   <li>Who waits for one rank that came to its end without sending or receiving gets one too. A
 *       receive from any rank goes on waiting: its own rank may send to itself.
 * </ol>
 */
public final class ThreadCommunicator implements Communicator {
  /** Messages up to this size do not wait for their receiver. */
  static final long EAGER = 64 << 10;

  private final ThreadTeam team;
  private final int rank;
  private final AtomicInteger splits = new AtomicInteger();
  private volatile boolean closed;

  ThreadCommunicator(ThreadTeam team, int rank) {
    this.team = team;
    this.rank = rank;
  }

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public int size() {
    return team.size();
  }

  @Override
  public String domain(int ofRank) {
    Arguments.checkRank(this, ofRank);
    return team.domain(ofRank);
  }

  /** All of them, whatever their domains are called: they are threads of one process. */
  @Override
  public int ranksOnHost() {
    return team.world().size();
  }

  @Override
  public boolean isConcurrent() {
    return true;
  }

  @Override
  public boolean isProcess() {
    return false;
  }

  @Override
  public Request startSend(MemorySegment data, int to, int tag) {
    Arguments.checkSend(this, to, tag);
    checkUsable();
    ThreadRequest request = ThreadRequest.send(team, data, rank, to, tag);
    team.mailbox(to).send(request, isDetached(data, to));
    return request;
  }

  private boolean isDetached(MemorySegment data, int to) {
    return to == rank || data.byteSize() <= EAGER || ThreadTransfer.isConfined(data);
  }

  @Override
  public Request startReceive(MemorySegment target, int from, int tag) {
    Arguments.checkReceive(this, target, from, tag);
    checkUsable();
    ThreadRequest request = ThreadRequest.receive(team, target, from, tag);
    team.mailbox(rank).receive(request);
    return request;
  }

  @Override
  public Optional<Message> poll(int from, int tag) {
    Arguments.checkPoll(this, from, tag);
    checkUsable();
    return team.mailbox(rank).peek(from, tag);
  }

  @Override
  public Message probe(int from, int tag) {
    Arguments.checkPoll(this, from, tag);
    Thread me = Thread.currentThread();
    ThreadMailbox mailbox = team.mailbox(rank);
    mailbox.enterLookout(me);
    team.enterSleep(me, from);
    try {
      // From here on, whoever changes what is looked at unparks this thread, now or later.
      while (true) {
        Optional<Message> message = look(from, tag);
        if (message.isPresent()) {
          return message.get();
        }
        Backoff.checkInterrupt("a message");
        LockSupport.park(this);
      }
    } finally {
      team.world().leaveSleep(me);
      mailbox.leaveLookout(me);
    }
  }

  private Optional<Message> look(int from, int tag) {
    boolean gone = team.hasEnded(from); // asked first, see ThreadRequest
    Optional<Message> message = poll(from, tag);
    if (gone && message.isEmpty()) {
      throw new RankLostException(from, "it has ended without sending");
    }
    return message;
  }

  @Override
  public Communicator split(int color, int key) {
    long[] choices = new long[2 * size()];
    allGather(new long[] {color, key}, choices);
    checkColors(choices);
    List<Integer> ranks = ThreadTeam.firstRanks(size());
    ranks.removeIf(other -> choices[2 * other] != color);
    ranks.sort((one, other) -> Long.compare(choices[2 * one + 1], choices[2 * other + 1]));
    ThreadTeam chosen = team.split(splits.getAndIncrement(), color, ranks);
    return new ThreadCommunicator(chosen, ranks.indexOf(rank));
  }

  /** Everybody knows who is in it; nothing has to be exchanged. */
  @Override
  public Communicator duplicate() {
    checkUsable();
    List<Integer> ranks = ThreadTeam.firstRanks(size());
    return new ThreadCommunicator(team.split(splits.getAndIncrement(), 0, ranks), rank);
  }

  /** On all ranks alike, hence after the exchange. */
  private static void checkColors(long[] choices) {
    for (int i = 0; i < choices.length; i += 2) {
      if (choices[i] < 0) {
        throw new IllegalArgumentException(
            "colors go from 0; rank %d chose %d".formatted(i / 2, choices[i]));
      }
    }
  }

  @Override
  public void abort(int status) {
    Arguments.checkStatus(status);
    team.abort(rank, status);
    team.checkAlive(); // throws
  }

  private void checkUsable() {
    if (closed) {
      throw new IllegalStateException("the communicator of rank " + rank + " is closed");
    }
    team.checkAlive();
  }

  @Override
  public void close() {
    closed = true;
  }

  @Override
  public String toString() {
    return "rank " + rank + " of " + size() + " threads";
  }
}
