// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.cairn.comm.Backoff;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Request;
import org.cairn.record.RecordReader;
import org.cairn.supply.Supply;
import org.cairn.work.Lane;
import org.jspecify.annotations.Nullable;

/**
 * Members send each other pieces of bytes, window after window: a pipeline of reading, sending,
 * receiving and decoding, with two buffers between each two of them.
 *
 * <pre>
 * tag MAPS:   whatever a member has to say to another, once
 * tag PIECES: kind:u32 pad:u32 (offset:u32 length:u32 byte{length})*      kind 0: pieces, 1: gave up
 * </pre>
 *
 * <p>Everybody knows beforehand who sends something in which window. The calling thread talks, and
 * it alone: {@link Departures} have windows read ahead by another thread and send what is ready,
 * {@link Arrivals} take what comes and hand it to a third, which decodes. The caller waits for one
 * message only when it has nothing left to send. So nobody can wait for somebody who waits for him:
 * what a message of one window waits for is, in the end, of an earlier window, or work that goes
 * on. Two windows of messages to others are in memory at most, and two messages of others.
 *
 * <p>A process may stand for several members, as a {@link Sender} and a {@link Receiver} for each:
 * what goes from one process to another then follows the order of senders, and for each of them
 * that of receivers.
 *
 * <p>A member that fails sends messages that say so from then on, and whoever gets one does the
 * same: so the rest goes by quickly, and nothing is left in the air. Who failed and why is the
 * business of the {@link Council} afterwards.
 */
final class Exchange implements AutoCloseable {
  static final int HEADER_BYTES = 8;
  static final int PIECE_BYTES = 8;

  private static final int MAPS = 1;
  static final int PIECES = 2;
  static final int GOOD = 0;
  static final int GAVE_UP = 1;

  private static final String WHAT = "what members of the group send";

  private final Communicator comm;
  private final int me;
  private final int members;

  /** Two for each sender of this process: one leaves while the other is filled. */
  private final List<List<Outbox>> outboxes = new ArrayList<>();

  /** One is received into while the other is decoded. */
  private final List<Inbox> inboxes = List.of(new Inbox(), new Inbox());

  private @Nullable IOException failure;
  private volatile boolean givenUp;
  private long bytesSent;

  /** Fills messages for a window. */
  interface Source {
    void fill(int window, Outbox out) throws IOException;
  }

  /** Takes what others sent for a window. */
  interface Sink {
    /** Takes a piece, which is at {@code from} of {@code message}. */
    void take(int member, int offset, MemorySegment message, long from, int length)
        throws IOException;

    void begin(int window) throws IOException;

    void end(int window) throws IOException;
  }

  /** For whoever cannot use what it is sent. */
  static final Sink NOWHERE =
      new Sink() {
        @Override
        public void take(int member, int offset, MemorySegment message, long from, int length) {}

        @Override
        public void begin(int window) {}

        @Override
        public void end(int window) {}
      };

  /** For whoever has nothing to send after all. */
  static final Source NOTHING = (_, _) -> {};

  /**
   * A member that sends.
   *
   * @param process who does it for the member
   * @param windows in which it has something to send to every receiver
   * @param source is asked in that process
   */
  record Sender(int process, int member, BitSet windows, Source source) {
    boolean isActive(int window) {
      return windows.get(window);
    }
  }

  /**
   * A member that receives.
   *
   * @param process who does it for the member
   * @param sink is given to in that process
   */
  record Receiver(int process, int member, Sink sink) {
    /** What a member sends for itself it does not need. */
    boolean takesFrom(Sender sender) {
      return sender.member != member;
    }
  }

  /** Something a member does on its own. */
  interface Deed {
    void run() throws IOException;
  }

  /** Between members that are the ranks of a communicator. */
  Exchange(Communicator comm) {
    this(comm, comm.size());
  }

  /** Between so many members, whoever stands for them. */
  Exchange(Communicator comm, int members) {
    this.comm = comm;
    this.me = comm.rank();
    this.members = members;
  }

  long bytesSent() {
    return bytesSent;
  }

  /** Does something unless this or another member gave up; a failure is kept for later. */
  void attempt(Deed deed) {
    if (givenUp) {
      return;
    }
    try {
      deed.run();
    } catch (CommunicationException e) {
      throw e;
    } catch (IOException e) {
      failure = e;
      givenUp = true;
    } catch (RuntimeException e) {
      failure = new IOException(e.toString(), e);
      givenUp = true;
    }
  }

  /** Makes something of use to the others; as {@link #attempt(Deed)}. */
  interface Maker<T> {
    T make() throws IOException;
  }

  /**
   * Makes something unless this or another member gave up.
   *
   * @param otherwise stands in for it if it is not made
   */
  <T> T attempt(Maker<T> maker, T otherwise) {
    List<T> made = new ArrayList<>(1);
    attempt(() -> made.add(maker.make()));
    return made.isEmpty() ? otherwise : made.getFirst();
  }

  /** Throws what went wrong here, or else that another gave up. */
  void throwFailure() throws IOException {
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * Sends something to each of {@code to} and gets something from each of {@code from}; empty if
   * its sender gave up.
   */
  List<byte[]> tell(List<Integer> to, List<byte[]> messages, List<Integer> from) {
    List<Request> sends = new ArrayList<>();
    for (int i = 0; i < to.size(); i++) {
      byte[] message = givenUp ? new byte[0] : messages.get(i);
      bytesSent += message.length;
      sends.add(comm.startSend(MemorySegment.ofArray(message), to.get(i), MAPS));
    }
    List<byte[]> heard = new ArrayList<>();
    for (int member : from) {
      byte[] message = Supply.bytes(Math.toIntExact(comm.probe(member, MAPS).bytes()));
      comm.receive(MemorySegment.ofArray(message), member, MAPS);
      givenUp = givenUp || message.length == 0;
      heard.add(message);
    }
    sends.forEach(Request::await);
    return heard;
  }

  /**
   * Goes through all windows, where every member is a process.
   *
   * @param active the windows in which each member has something to send to every receiver
   * @param receivers who wants it
   */
  void pass(List<BitSet> active, BitSet receivers, Source source, @Nullable Sink sink) {
    List<Sender> senders = new ArrayList<>();
    for (int member = 0; member < active.size(); member++) {
      senders.add(new Sender(member, member, active.get(member), source));
    }
    Sink mine = sink == null ? NOWHERE : sink;
    pass(
        senders,
        receivers.stream().mapToObj(member -> new Receiver(member, member, mine)).toList());
  }

  /** Goes through all windows; both lists are the same in all processes, but for what is theirs. */
  void pass(List<Sender> senders, List<Receiver> receivers) {
    BitSet windows = new BitSet();
    senders.forEach(sender -> windows.or(sender.windows));
    // A single window has nothing beside which it could be read or decoded.
    boolean many = windows.cardinality() > 1;
    try (Lane reading = many ? Lane.beside("cairn-reading") : Lane.here();
        Lane decoding = many ? Lane.beside("cairn-decoding") : Lane.here()) {
      Departures departures = departures(windows, senders, receivers, reading);
      Arrivals arrivals = arrivals(windows, senders, receivers, decoding);
      talk(departures, arrivals);
    }
  }

  private Departures departures(
      BitSet windows, List<Sender> senders, List<Receiver> receivers, Lane reading) {
    List<Sender> mine = senders.stream().filter(sender -> sender.process == me).toList();
    while (outboxes.size() < mine.size()) {
      outboxes.add(List.of(new Outbox(comm, members), new Outbox(comm, members)));
    }
    return new Departures(this, windows, mine, receivers, outboxes, reading);
  }

  private Arrivals arrivals(
      BitSet windows, List<Sender> senders, List<Receiver> receivers, Lane decoding) {
    List<Receiver> here = receivers.stream().filter(one -> one.process == me).toList();
    return new Arrivals(this, windows, senders, here, inboxes, decoding);
  }

  /** Sends what has been read, and takes what comes for those who decode. */
  private static void talk(Departures departures, Arrivals arrivals) {
    Backoff backoff = new Backoff(WHAT);
    while (!departures.areDone() || !arrivals.areDone()) {
      boolean moved = departures.advance();
      moved |= arrivals.advance();
      if (moved) {
        backoff = new Backoff(WHAT);
      } else if (!departures.areUnderWay()) {
        backoff.pause();
      } else if (arrivals.areDone()) {
        departures.await();
      } else if (!arrivals.await()) {
        backoff.pause();
      }
    }
  }

  Communicator comm() {
    return comm;
  }

  void sent(long bytes) {
    bytesSent += bytes;
  }

  /** Whether this member or another gave up; any thread may ask. */
  boolean isGivenUp() {
    return givenUp;
  }

  /** Another member gave up. */
  void giveUp() {
    givenUp = true;
  }

  /** Whether the sender of a message gave up. */
  static boolean isGivenUp(int from, MemorySegment message) throws IOException {
    return reader(from, message).getInt() == GAVE_UP;
  }

  private static RecordReader reader(int from, MemorySegment message) {
    return new RecordReader(message, "a message of member " + from, 0);
  }

  /** Takes the pieces of a message. */
  static void take(int from, MemorySegment message, Sink sink) throws IOException {
    RecordReader in = reader(from, message);
    int kind = in.getInt();
    in.getInt();
    if (kind != GOOD) {
      throw in.corrupt("a message of kind " + kind);
    }
    while (in.remaining() > 0) {
      int offset = in.getNumber("a piece at");
      int length = in.getNumber("a piece of length");
      sink.take(from, offset, message, in.skip(length), length);
    }
  }

  @Override
  public void close() {
    inboxes.forEach(Inbox::close);
    outboxes.forEach(pair -> pair.forEach(Outbox::close));
  }
}
