// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.cairn.comm.Communicator;
import org.cairn.comm.Message;
import org.cairn.tier.erasure.Exchange.Receiver;
import org.cairn.tier.erasure.Exchange.Sender;
import org.cairn.work.Lane;
import org.jspecify.annotations.Nullable;

/**
 * What a process receives in the windows of an {@link Exchange}: taken in a fixed order as long as
 * there are free buffers, and decoded by another thread. For the thread that talks.
 */
final class Arrivals {
  /** So much may wait to be decoded, beginnings and ends of windows included. */
  private static final int MOST = 8;

  private final Exchange exchange;
  private final Communicator comm;
  private final BitSet windows;
  private final List<Sender> senders;
  private final List<Receiver> receivers;
  private final Lane decoding;
  private final Deque<Inbox> free;
  private final Deque<Given> given = new ArrayDeque<>();
  private final Deque<Expected> expected = new ArrayDeque<>();

  /** The window that messages are expected of; -1 behind the last. */
  private int window;

  private record Expected(Sender sender, Receiver receiver) {}

  /** Something that is being decoded, and where it lies. */
  private record Given(Lane.Piece<Lane> piece, @Nullable Inbox inbox) {}

  /**
   * What is to be received.
   *
   * @param receivers those of this process
   */
  Arrivals(
      Exchange exchange,
      BitSet windows,
      List<Sender> senders,
      List<Receiver> receivers,
      List<Inbox> inboxes,
      Lane decoding) {
    this.exchange = exchange;
    this.comm = exchange.comm();
    this.windows = windows;
    this.senders = senders;
    this.receivers = receivers;
    this.decoding = decoding;
    this.free = new ArrayDeque<>(inboxes);
    this.window = -1;
    if (!receivers.isEmpty()) {
      turn();
    }
  }

  /** Goes to the next window, if there is one. */
  private void turn() {
    window = windows.nextSetBit(window + 1);
    if (window >= 0) {
      int number = window;
      give(() -> begin(number), null);
      for (Sender sender : senders) {
        for (Receiver receiver : receivers) {
          if (sender.isActive(window) && receiver.takesFrom(sender)) {
            expected.add(new Expected(sender, receiver));
          }
        }
      }
    }
  }

  private void begin(int number) throws IOException {
    for (Receiver receiver : receivers) {
      receiver.sink().begin(number);
    }
  }

  private void end(int number) throws IOException {
    for (Receiver receiver : receivers) {
      receiver.sink().end(number);
    }
  }

  /** Lets something be done about what came, unless it is of no use any more. */
  private void give(Lane.Deed deed, @Nullable Inbox inbox) {
    if (!exchange.isGivenUp()) {
      given.add(new Given(decoding.give(deed), inbox));
    } else if (inbox != null) {
      free.add(inbox);
    }
  }

  /** Goes one step further if it can without waiting; false if it could not. */
  boolean advance() {
    boolean moved = collect();
    if (window < 0 || given.size() >= MOST) {
      return moved;
    }
    if (expected.isEmpty()) {
      int number = window;
      give(() -> end(number), null);
      turn();
      return true;
    }
    return takeNext() || moved;
  }

  /** Buffers of what has been decoded are free again. */
  private boolean collect() {
    boolean moved = false;
    while (!given.isEmpty() && given.getFirst().piece.isDone()) {
      finish(given.removeFirst());
      moved = true;
    }
    return moved;
  }

  private void finish(Given one) {
    exchange.attempt(() -> one.piece.result());
    if (one.inbox != null) {
      free.add(one.inbox);
    }
  }

  private boolean takeNext() {
    Expected next = expected.getFirst();
    Inbox inbox = free.peek();
    if (inbox == null) {
      return false;
    }
    Optional<Message> message = comm.poll(next.sender.process(), Exchange.PIECES);
    if (message.isEmpty()) {
      return false;
    }
    expected.removeFirst();
    take(next, inbox.receive(comm, message.get()));
    return true;
  }

  private void take(Expected from, MemorySegment message) {
    Inbox inbox = free.removeFirst();
    int member = from.sender.member();
    exchange.attempt(
        () -> {
          if (Exchange.isGivenUp(member, message)) {
            exchange.giveUp();
          }
        });
    give(() -> Exchange.take(member, message, from.receiver.sink()), inbox);
  }

  boolean areDone() {
    return window < 0 && given.isEmpty();
  }

  /** Waits for what must come next; false if it cannot be said what that is. */
  boolean await() {
    boolean receives = window >= 0;
    if (!given.isEmpty() && (!receives || free.isEmpty())) {
      finish(given.removeFirst());
      return true;
    }
    if (receives && given.isEmpty()) {
      comm.probe(expected.getFirst().sender.process(), Exchange.PIECES);
      return true;
    }
    return false;
  }
}
