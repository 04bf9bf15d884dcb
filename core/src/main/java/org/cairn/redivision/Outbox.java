// SPDX-License-Identifier: Apache-2.0
package org.cairn.redivision;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import org.cairn.comm.Communicator;
import org.cairn.comm.Request;
import org.cairn.supply.Mutex;
import org.cairn.supply.Supply;
import org.cairn.supply.Workspace;
import org.cairn.version.VersionFormat;
import org.jspecify.annotations.Nullable;

/**
 * Messages on their way out. Many threads fill them, each for whom it likes; one thread sends them,
 * and never waits. There are few buffers, however many processes are written to: a thread that
 * finds none waits until the one that sends has given one back.
 */
final class Outbox implements AutoCloseable {
  static final int TAG = 17;

  /** Enough that reading, sending and receiving overlap. */
  private static final int BUFFERS = 8;

  private static final long BUFFER_BYTES = 256 << 10;
  private static final long NAP = 50_000;

  /** No message is longer: a block and what is said of it. */
  static final long MOST_BYTES = VersionFormat.MAX_BLOCK + Delivery.HEADER_BYTES;

  private final Communicator comm;
  private final long bufferBytes;
  private final Map<Integer, Slot> slots = new HashMap<>();
  private final Workspace memory = new Workspace();

  private final Mutex mutex = new Mutex();

  // Guarded by the mutex.
  private final Queue<MemorySegment> free = new ArrayDeque<>();
  private final Queue<Filled> filled = new ArrayDeque<>();
  private int made;
  private boolean closed;

  private final Thread sender = Thread.currentThread();
  private final Meanwhile meanwhile;

  /** Of the thread that sends. */
  private final List<Sent> underWay = new ArrayList<>();

  private record Filled(int to, MemorySegment buffer, long bytes) {}

  private record Sent(Request request, MemorySegment buffer) {}

  /** What is being filled for a process; locked by who fills it. */
  private static final class Slot extends ReentrantLock {
    private static final long serialVersionUID = 1L;
    private transient @Nullable MemorySegment buffer;
    private long used;
  }

  /**
   * An outbox.
   *
   * @param processes who may be written to
   * @param largest bytes of the largest record
   * @param meanwhile what the thread that sends does where it has to fill messages, too
   */
  Outbox(Communicator comm, Iterable<Integer> processes, long largest, Meanwhile meanwhile) {
    this.comm = comm;
    this.meanwhile = meanwhile;
    this.bufferBytes = Math.max(BUFFER_BYTES, largest);
    processes.forEach(process -> slots.put(process, new Slot()));
  }

  /** Takes what others send, so that they take what is sent to them. */
  interface Meanwhile {
    boolean takeOne() throws IOException;
  }

  /** Whether the calling thread is the one that sends. */
  boolean isSender() {
    return Thread.currentThread() == sender;
  }

  /** Writes into memory that is as large as was said. */
  interface Content {
    void write(MemorySegment room);
  }

  /** Adds a record; waits for a buffer if need be. */
  void put(int to, long bytes, Content content) throws IOException {
    Slot slot = slot(to);
    slot.lock();
    try {
      MemorySegment buffer = slot.buffer;
      if (buffer != null && slot.used + bytes > buffer.byteSize()) {
        handOver(to, slot, buffer);
        buffer = null;
      }
      if (buffer == null) {
        buffer = take();
        slot.buffer = buffer;
        slot.used = 0;
      }
      content.write(buffer.asSlice(slot.used, bytes));
      slot.used += bytes;
    } finally {
      slot.unlock();
    }
  }

  private Slot slot(int to) {
    Slot slot = slots.get(to);
    if (slot == null) {
      throw new IllegalArgumentException("nothing was to be sent to process " + to);
    }
    return slot;
  }

  private void handOver(int to, Slot slot, MemorySegment buffer) {
    try (Mutex.Held _ = mutex.hold()) {
      filled.add(new Filled(to, buffer, slot.used));
    }
    slot.buffer = null;
    slot.used = 0;
  }

  private MemorySegment take() throws IOException {
    while (true) {
      try (Mutex.Held _ = mutex.hold()) {
        if (closed) {
          throw new IOException("given up");
        }
        MemorySegment buffer = free.poll();
        if (buffer != null) {
          return buffer;
        }
        if (made < BUFFERS) {
          MemorySegment fresh = memory.allocate(bufferBytes, Long.BYTES);
          made++;
          return fresh;
        }
        if (!isSender()) {
          mutex.awaitChange();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while elements were on their way", e);
      }
      if (isSender()) {
        boolean moved = advance();
        moved |= meanwhile.takeOne();
        if (!moved) {
          Supply.nap(Outbox.class, NAP);
        }
      }
    }
  }

  // ---------------------------------------------------------------- who sends

  /** Sends what there is, without waiting; whether anything moved. */
  boolean advance() {
    boolean moved = false;
    for (int i = underWay.size() - 1; i >= 0; i--) {
      if (underWay.get(i).request.test()) {
        giveBack(underWay.remove(i).buffer);
        moved = true;
      }
    }
    for (Filled next = next(); next != null; next = next()) {
      MemorySegment message = next.buffer.asSlice(0, next.bytes);
      underWay.add(new Sent(comm.startSend(message, next.to, TAG), next.buffer));
      moved = true;
    }
    if (!moved && underWay.isEmpty() && isStarved()) {
      handOverAll();
    }
    return moved;
  }

  private @Nullable Filled next() {
    try (Mutex.Held _ = mutex.hold()) {
      return filled.poll();
    }
  }

  private void giveBack(MemorySegment buffer) {
    try (Mutex.Held _ = mutex.hold()) {
      free.add(buffer);
      mutex.announce();
    }
  }

  /** Whether all buffers are with processes that nobody writes to at the moment. */
  private boolean isStarved() {
    try (Mutex.Held _ = mutex.hold()) {
      return made == BUFFERS && free.isEmpty() && filled.isEmpty();
    }
  }

  /** Sends also what is not full. */
  void handOverAll() {
    slots.forEach(
        (to, slot) -> {
          if (slot.tryLock()) {
            try {
              MemorySegment buffer = slot.buffer;
              if (buffer != null) {
                handOver(to, slot, buffer);
              }
            } finally {
              slot.unlock();
            }
          }
        });
  }

  /** Whether all that was put is with who it is for. */
  boolean isEmpty() {
    try (Mutex.Held _ = mutex.hold()) {
      return filled.isEmpty() && underWay.isEmpty();
    }
  }

  /** Whoever waits for a buffer waits no longer. */
  void giveUp() {
    try (Mutex.Held _ = mutex.hold()) {
      closed = true;
      mutex.announce();
    }
  }

  /** Waits for what is on its way: others take it, whatever has become of this process. */
  @Override
  public void close() {
    underWay.forEach(sent -> sent.request.await());
    memory.close();
  }
}
