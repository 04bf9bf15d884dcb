// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.comm;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.ForwardingCommunicator;
import org.cairn.comm.Message;
import org.cairn.comm.Request;

/**
 * Is given up by all ranks at once: from a certain message on, counted over all of them, nothing
 * can be sent or received any more, by anybody. Nobody dies of it.
 *
 * <p>Messages are the starts of sends and receives, and splits, as for {@link LossyCommunicator}.
 * What is split from it shares its end.
 */
public final class CutCommunicator extends ForwardingCommunicator {
  private final Cut cut;

  /** When it happens; shared by the communicators of all ranks. */
  public static final class Cut {
    private final long at;
    private final AtomicLong messages = new AtomicLong();

    private Cut(long at) {
      this.at = at;
    }

    /** At the n-th message, counted from 1. */
    public static Cut at(long n) {
      return new Cut(n);
    }

    /** Never: for counting. */
    public static Cut never() {
      return new Cut(Long.MAX_VALUE);
    }

    /** How many messages there were. */
    public long messages() {
      return messages.get();
    }

    /** Whether it has happened. */
    public boolean hasHappened() {
      return messages.get() >= at;
    }

    private void message() {
      messages.incrementAndGet();
      check();
    }

    private void check() {
      if (hasHappened()) {
        throw new CommunicationException("given up at message " + at);
      }
    }
  }

  /** One rank's. */
  public CutCommunicator(Communicator ranks, Cut cut) {
    super(ranks);
    this.cut = cut;
  }

  @Override
  public Request startSend(MemorySegment data, int to, int tag) {
    cut.message();
    return new CutRequest(inner().startSend(data, to, tag));
  }

  @Override
  public Request startReceive(MemorySegment target, int from, int tag) {
    cut.message();
    return new CutRequest(inner().startReceive(target, from, tag));
  }

  @Override
  public Optional<Message> poll(int from, int tag) {
    cut.check();
    return inner().poll(from, tag);
  }

  @Override
  public Message probe(int from, int tag) {
    cut.check();
    return inner().probe(from, tag);
  }

  @Override
  public Communicator split(int color, int key) {
    cut.message();
    return new CutCommunicator(inner().split(color, key), cut);
  }

  @Override
  public Communicator duplicate() {
    cut.message();
    return new CutCommunicator(inner().duplicate(), cut);
  }

  private final class CutRequest implements Request {
    private final Request request;

    CutRequest(Request request) {
      this.request = request;
    }

    @Override
    public boolean test() {
      cut.check();
      return request.test();
    }

    @Override
    public Message await() {
      cut.check();
      return request.await();
    }
  }
}
