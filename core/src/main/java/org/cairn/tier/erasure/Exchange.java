// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
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
 * <p>Everybody knows beforehand who sends something in which window. In each, a member first starts
 * to send all it has, then takes what the others send. Nobody can wait for somebody who waits for
 * him: the member that is furthest behind is owed only messages that have been started. Two windows
 * of messages are in memory at most.
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
  private final Outbox[] outboxes;
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

  /** Something a member does on its own. */
  interface Deed {
    void run() throws IOException;
  }

  Exchange(Communicator comm) {
    this.comm = comm;
    this.me = comm.rank();
    this.outboxes = new Outbox[] {new Outbox(comm), new Outbox(comm)};
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
   * Goes through all windows.
   *
   * @param active the windows in which each member has something to send to every receiver
   * @param receivers who wants it
   */
  void pass(List<BitSet> active, BitSet receivers, Source source, @Nullable Sink sink) {
    BitSet all = new BitSet();
    active.forEach(all::or);
    int turn = 0;
    for (int window = all.nextSetBit(0); window >= 0; window = all.nextSetBit(window + 1)) {
      if (active.get(me).get(window)) {
        send(window, receivers, source, outboxes[turn]);
        turn = 1 - turn;
      }
      if (sink != null) {
        receive(window, active, sink);
      }
    }
    outboxes[0].awaitAll();
    outboxes[1].awaitAll();
  }

  private void send(int window, BitSet receivers, Source source, Outbox out) {
    out.begin(GOOD);
    attempt(() -> source.fill(window, out));
    if (givenUp) {
      out.begin(GAVE_UP);
    }
    receivers.stream().filter(to -> to != me).forEach(to -> bytesSent += out.send(to, PIECES));
  }

  private void receive(int window, List<BitSet> active, Sink sink) {
    attempt(() -> sink.begin(window));
    for (int member = 0; member < active.size(); member++) {
      int from = member;
      if (from != me && active.get(from).get(window)) {
        MemorySegment message = receive(from);
        attempt(() -> givenUp |= take(from, message, sink));
      }
    }
    attempt(() -> sink.end(window));
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
    outboxes[0].close();
    outboxes[1].close();
  }
}
