// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Request;
import org.cairn.record.RecordReader;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * Members send each other pieces of bytes, window after window.
 *
 * <pre>
 * tag MAPS:   whatever a member has to say to another, once
 * tag PIECES: kind:u32 pad:u32 (offset:u32 length:u32 byte{length})*      kind 0: pieces, 1: gave up
 * </pre>
 *
 * <p>Everybody knows beforehand who sends something in which window. In each, a process first
 * starts to send all it has, then takes what the others send. Nobody can wait for somebody who
 * waits for him: the one that is furthest behind is owed only messages that have been started. Two
 * windows of messages are in memory at most.
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
  private static final int PIECES = 2;
  private static final int GOOD = 0;
  private static final int GAVE_UP = 1;

  private final Communicator comm;
  private final int me;
  private final int members;

  /** Two for each sender of this process: one leaves while the other is filled. */
  private final List<Outbox[]> outboxes = new ArrayList<>();

  private Arena arena = Supply.sharedArena();
  private MemorySegment inbox = MemorySegment.NULL;
  private @Nullable IOException failure;
  private boolean givenUp;
  private boolean receiving;
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
      givenUp |= message.length == 0;
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
    List<Sender> mine = senders.stream().filter(sender -> sender.process == me).toList();
    List<Receiver> here = receivers.stream().filter(one -> one.process == me).toList();
    while (outboxes.size() < mine.size()) {
      outboxes.add(new Outbox[] {new Outbox(comm, members), new Outbox(comm, members)});
    }
    int[] turns = new int[mine.size()];
    BitSet all = new BitSet();
    senders.forEach(sender -> all.or(sender.windows));
    for (int window = all.nextSetBit(0); window >= 0; window = all.nextSetBit(window + 1)) {
      for (int i = 0; i < turns.length; i++) {
        if (mine.get(i).isActive(window)) {
          send(window, mine.get(i), receivers, outboxes.get(i)[turns[i]]);
          turns[i] = 1 - turns[i];
        }
      }
      receive(window, senders, here);
    }
    forEachOutbox(Outbox::awaitAll);
  }

  private void forEachOutbox(Consumer<Outbox> deed) {
    outboxes.forEach(pair -> List.of(pair).forEach(deed));
  }

  private void send(int window, Sender sender, List<Receiver> receivers, Outbox out) {
    out.begin(GOOD);
    attempt(() -> sender.source.fill(window, out));
    if (givenUp) {
      out.begin(GAVE_UP);
    }
    for (Receiver receiver : receivers) {
      if (receiver.takesFrom(sender)) {
        bytesSent += out.send(receiver.member, receiver.process, PIECES);
      }
    }
  }

  private void receive(int window, List<Sender> senders, List<Receiver> here) {
    here.forEach(receiver -> attempt(() -> receiver.sink.begin(window)));
    for (Sender sender : senders) {
      for (Receiver receiver : here) {
        if (sender.isActive(window) && receiver.takesFrom(sender)) {
          MemorySegment message = receive(sender.process);
          attempt(() -> givenUp |= take(sender.member, message, receiver.sink));
        }
      }
    }
    here.forEach(receiver -> attempt(() -> receiver.sink.end(window)));
  }

  private MemorySegment receive(int from) {
    long bytes = comm.probe(from, PIECES).bytes();
    if (inbox.byteSize() < bytes) {
      arena.close();
      arena = Supply.sharedArena();
      inbox = arena.allocate(bytes + bytes / 2, 8);
    }
    receiving = true;
    comm.receive(inbox.asSlice(0, bytes), from, PIECES);
    receiving = false;
    return inbox.asSlice(0, bytes);
  }

  /** Takes the pieces of a message; says whether its sender gave up. */
  static boolean take(int from, MemorySegment message, Sink sink) throws IOException {
    RecordReader in = new RecordReader(message, "a message of member " + from, 0);
    int kind = in.getInt();
    in.getInt();
    if (kind == GAVE_UP) {
      return true;
    }
    if (kind != GOOD) {
      throw in.corrupt("a message of kind " + kind);
    }
    while (in.remaining() > 0) {
      int offset = in.getNumber("a piece at");
      int length = in.getNumber("a piece of length");
      sink.take(from, offset, message, in.skip(length), length);
    }
    return false;
  }

  @Override
  public void close() {
    if (!receiving) {
      // Else a receive was cut short, and a transport may still write to it.
      arena.close();
    }
    forEachOutbox(Outbox::close);
  }
}
