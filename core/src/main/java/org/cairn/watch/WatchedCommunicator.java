// SPDX-License-Identifier: Apache-2.0
package org.cairn.watch;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.Supplier;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.ForwardingCommunicator;
import org.cairn.comm.Message;
import org.cairn.comm.Request;

/** Tells an {@link Activity} who waits for other ranks; else it is the communicator it is given. */
final class WatchedCommunicator extends ForwardingCommunicator {
  private final Activity activity;

  WatchedCommunicator(Communicator inner, Activity activity) {
    super(inner);
    this.activity = activity;
  }

  Activity activity() {
    return activity;
  }

  @Override
  public Request startSend(MemorySegment data, int to, int tag) {
    activity.works();
    return new WatchedRequest(inner().startSend(data, to, tag));
  }

  @Override
  public Request startReceive(MemorySegment target, int from, int tag) {
    activity.works();
    return new WatchedRequest(inner().startReceive(target, from, tag));
  }

  /** Not by a request: a transport may know how to take back a receive that is interrupted. */
  @Override
  public Message receive(MemorySegment target, int from, int tag) {
    Message message = blocking(() -> inner().receive(target, from, tag));
    activity.progresses();
    return message;
  }

  @Override
  public Optional<Message> poll(int from, int tag) {
    Optional<Message> message = inner().poll(from, tag);
    if (message.isPresent()) {
      activity.works();
    } else {
      activity.waits();
    }
    return message;
  }

  @Override
  public Message probe(int from, int tag) {
    return blocking(() -> inner().probe(from, tag));
  }

  @Override
  public Communicator split(int color, int key) {
    return new WatchedCommunicator(blocking(() -> inner().split(color, key)), activity);
  }

  @Override
  public Communicator duplicate() {
    return new WatchedCommunicator(blocking(inner()::duplicate), activity);
  }

  private <T> T blocking(Supplier<T> call) {
    activity.block();
    try {
      return call.get();
    } catch (CommunicationException e) {
      throw activity.reason(e);
    } finally {
      activity.unblock();
    }
  }

  @Override
  public String toString() {
    return inner().toString();
  }

  private final class WatchedRequest implements Request {
    private final Request request;
    private boolean counted;

    WatchedRequest(Request request) {
      this.request = request;
    }

    @Override
    public boolean test() {
      boolean complete = request.test();
      if (complete) {
        progress();
      } else {
        activity.waits();
      }
      return complete;
    }

    @Override
    public Message await() {
      Message message = request.test() ? request.await() : blocking(request::await);
      progress();
      return message;
    }

    /** Once: who asks again and again for what is complete does not move. */
    private void progress() {
      if (!counted) {
        counted = true;
        activity.progresses();
      }
    }
  }
}
