// SPDX-License-Identifier: Apache-2.0
package org.cairn.comm;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/** One side of a message between threads. */
final class ThreadRequest implements Request {
  private static final int SPINS = 50;

  /** Naps of a second thread that waits for the same request; only the first is woken. */
  private static final long NAP = TimeUnit.MICROSECONDS.toNanos(100);

  private record Failure(String problem, @Nullable Throwable cause) {}

  private final ThreadTeam team;
  private final boolean isSend;
  private final int peer;
  private final int source;
  private final int tag;
  private volatile MemorySegment memory;

  private final AtomicReference<@Nullable Thread> waiter = new AtomicReference<>();
  private volatile @Nullable ThreadTransfer transfer;
  private volatile @Nullable Message result;
  private volatile @Nullable Failure failure;

  private ThreadRequest(
      ThreadTeam team, boolean isSend, MemorySegment memory, int source, int peer, int tag) {
    this.team = team;
    this.isSend = isSend;
    this.memory = memory;
    this.source = source;
    this.peer = peer;
    this.tag = tag;
  }

  static ThreadRequest send(ThreadTeam team, MemorySegment data, int from, int to, int tag) {
    return new ThreadRequest(team, true, data, from, to, tag);
  }

  static ThreadRequest receive(ThreadTeam team, MemorySegment target, int from, int tag) {
    return new ThreadRequest(team, false, target, from, from, tag);
  }

  // Meeting.

  /** Whether this receive takes that send. */
  boolean accepts(ThreadRequest send) {
    return accepts(source, tag, send);
  }

  /** Whether these, which may be wildcards, stand for that send. */
  static boolean accepts(int from, int tag, ThreadRequest send) {
    return (from == Communicator.ANY_SOURCE || from == send.source)
        && (tag == send.tag || (tag == Communicator.ANY_TAG && send.tag >= 0));
  }

  /** What a send sends. */
  Message message() {
    return new Message(source, tag, memory.byteSize());
  }

  /** What a send sends, in words. */
  String content() {
    return "a message of %d bytes from rank %d, tag %d,".formatted(memory.byteSize(), source, tag);
  }

  MemorySegment memory() {
    return memory;
  }

  void meet(ThreadTransfer met) {
    transfer = met;
  }

  /** Copies what is sent, so that the sender has its memory back. */
  void detach() {
    MemorySegment copy =
        memory.byteSize() <= ThreadCommunicator.EAGER
            ? MemorySegment.ofArray(Supply.bytes((int) memory.byteSize()))
            : Supply.autoArena().allocate(memory.byteSize());
    memory = copy.copyFrom(memory);
    complete(message());
  }

  boolean isComplete() {
    return result != null;
  }

  void complete(Message message) {
    result = message;
  }

  void fail(String problem, @Nullable Throwable cause) {
    failure = new Failure(problem, cause);
  }

  void wake() {
    LockSupport.unpark(waiter.get());
  }

  // Waiting.

  @Override
  public boolean test() {
    // Asked first: what a rank sent before its end has arrived, so if nothing has, nothing will.
    boolean gone = team.hasEnded(peer);
    ThreadTransfer met = transfer;
    if (met != null && result == null) {
      met.proceed();
    }
    throwFailure();
    if (result != null) {
      return true;
    }
    team.checkAlive();
    if (gone && (met == null || met.isStuck())) {
      throw new RankLostException(peer, "it has ended before this " + this);
    }
    return false;
  }

  private void throwFailure() {
    Failure happened = failure;
    if (happened == null) {
      return;
    }
    throw happened.cause() == null
        ? new CommunicationException(happened.problem())
        : new CommunicationException(happened.problem(), happened.cause());
  }

  @Override
  public Message await() {
    for (int i = 0; i < SPINS && !test(); i++) {
      Thread.onSpinWait();
    }
    Message received = result;
    return received != null ? received : sleep();
  }

  private Message sleep() {
    Thread me = Thread.currentThread();
    boolean first = waiter.compareAndSet(null, me);
    team.enterSleep(me, peer);
    try {
      // From here on, whoever changes what is tested unparks this thread, now or later.
      while (!test()) {
        Backoff.checkInterrupt(this);
        park(first);
      }
    } finally {
      team.world().leaveSleep(me);
      waiter.compareAndSet(me, null);
    }
    return Objects.requireNonNull(result);
  }

  private void park(boolean first) {
    if (!first) {
      Supply.nap(this, NAP);
    } else if (isSend && transfer != null) {
      Supply.nap(this, ThreadTransfer.PATIENCE);
    } else {
      LockSupport.park(this);
    }
  }

  @Override
  public String toString() {
    String other = peer == Communicator.ANY_SOURCE ? "any rank" : "rank " + peer;
    String which = tag == Communicator.ANY_TAG ? "any tag" : "tag " + tag;
    return "%s %s, %s, %d bytes"
        .formatted(isSend ? "send to" : "receive from", other, which, memory.byteSize());
  }
}
