// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import org.cairn.tier.erasure.Exchange.Receiver;
import org.cairn.tier.erasure.Exchange.Sender;
import org.cairn.work.Lane;

/**
 * What a process sends in the windows of an {@link Exchange}: read ahead as long as there are free
 * buffers, sent in the order of windows, and of senders in each. For the thread that talks.
 */
final class Departures {
  private final Exchange exchange;
  private final BitSet windows;
  private final List<Sender> senders;
  private final List<Receiver> receivers;
  private final Lane reading;

  /** Buffers that nobody uses, by sender. */
  private final List<Deque<Outbox>> free = new ArrayList<>();

  private final Deque<Load> ahead = new ArrayDeque<>();
  private final Deque<Load> leaving = new ArrayDeque<>();
  private int window;
  private int next;

  /** What a sender has for a window. */
  private record Load(int number, Sender sender, Outbox outbox, Lane.Piece<Outbox> filled) {}

  /**
   * What is to be sent.
   *
   * @param senders those of this process
   * @param outboxes for each of them
   */
  Departures(
      Exchange exchange,
      BitSet windows,
      List<Sender> senders,
      List<Receiver> receivers,
      List<List<Outbox>> outboxes,
      Lane reading) {
    this.exchange = exchange;
    this.windows = windows;
    this.senders = senders;
    this.receivers = receivers;
    this.reading = reading;
    for (int i = 0; i < senders.size(); i++) {
      free.add(new ArrayDeque<>(outboxes.get(i)));
    }
    this.window = senders.isEmpty() ? -1 : windows.nextSetBit(0);
  }

  /** Goes as far as it can without waiting; false if it could do nothing. */
  boolean advance() {
    boolean moved = collect();
    while (window >= 0 && readNext()) {
      moved = true;
    }
    while (!ahead.isEmpty() && ahead.getFirst().filled.isDone()) {
      send(ahead.removeFirst());
      moved = true;
    }
    return moved;
  }

  /** Buffers of messages that have left are free again. */
  private boolean collect() {
    boolean moved = false;
    while (!leaving.isEmpty() && leaving.getFirst().outbox.isGone()) {
      giveBack(leaving.removeFirst());
      moved = true;
    }
    return moved;
  }

  private void giveBack(Load load) {
    free.get(load.number).add(load.outbox);
  }

  /** Has the next load read, if there is a buffer for it; else says false. */
  private boolean readNext() {
    Sender sender = senders.get(next);
    if (sender.isActive(window)) {
      Outbox outbox = free.get(next).poll();
      if (outbox == null) {
        return false;
      }
      int number = window;
      ahead.add(new Load(next, sender, outbox, reading.ask(() -> fill(number, sender, outbox))));
    }
    next++;
    if (next == senders.size()) {
      next = 0;
      window = windows.nextSetBit(window + 1);
    }
    return true;
  }

  private Outbox fill(int number, Sender sender, Outbox outbox) throws IOException {
    outbox.begin(Exchange.GOOD);
    if (!exchange.isGivenUp()) {
      sender.source().fill(number, outbox);
    }
    return outbox;
  }

  private void send(Load load) {
    exchange.attempt(() -> load.filled.result());
    if (exchange.isGivenUp()) {
      load.outbox.begin(Exchange.GAVE_UP);
    }
    for (Receiver receiver : receivers) {
      if (receiver.takesFrom(load.sender)) {
        exchange.sent(load.outbox.send(receiver.member(), receiver.process(), Exchange.PIECES));
      }
    }
    leaving.add(load);
  }

  /** Whether all has been handed to the transport. */
  boolean areUnderWay() {
    return window < 0 && ahead.isEmpty();
  }

  /** Whether nothing is left. */
  boolean areDone() {
    return areUnderWay() && leaving.isEmpty();
  }

  /** Waits for the first of those that are under way. */
  void await() {
    if (!leaving.isEmpty()) {
      leaving.getFirst().outbox.awaitGone();
    }
  }
}
