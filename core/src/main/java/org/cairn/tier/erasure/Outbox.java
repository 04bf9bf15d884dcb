// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.cairn.comm.Communicator;
import org.cairn.comm.Request;
import org.cairn.record.RecordWriter;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * Messages to all members in the making; see {@link Exchange} for their grammar. One thread fills
 * it, another sends: not at the same time.
 */
final class Outbox implements AutoCloseable {
  private static final int FIRST_BYTES = 64 << 10;

  private final Communicator comm;
  private final Arena arena = Supply.sharedArena();
  private final MemorySegment[] memory;
  private final long[] used;
  private final @Nullable Request[] requests;

  Outbox(Communicator comm, int members) {
    this.comm = comm;
    this.memory = new MemorySegment[members];
    this.used = new long[members];
    this.requests = new Request[members];
    Arrays.fill(memory, MemorySegment.NULL);
  }

  /** Begins new messages; those sent last have left. */
  void begin(int kind) {
    for (int to = 0; to < memory.length; to++) {
      assert requests[to] == null : "the last message to " + to + " is on its way";
      need(to, Exchange.HEADER_BYTES, 0);
      RecordWriter.into(memory[to]).putInt(kind).putInt(0);
      used[to] = Exchange.HEADER_BYTES;
    }
  }

  /** Adds bytes that belong at {@code offset} of what the receiver works on. */
  void put(int to, int offset, MemorySegment source, long from, int length) {
    need(to, used[to] + Exchange.PIECE_BYTES + length, used[to]);
    RecordWriter.into(memory[to].asSlice(used[to])).putInt(offset).putInt(length);
    MemorySegment.copy(source, from, memory[to], used[to] + Exchange.PIECE_BYTES, length);
    used[to] += Exchange.PIECE_BYTES + length;
  }

  private void need(int to, long bytes, long keep) {
    if (memory[to].byteSize() < bytes) {
      MemorySegment larger = arena.allocate(Math.max(FIRST_BYTES, bytes + bytes / 2), 8);
      MemorySegment.copy(memory[to], 0, larger, 0, keep);
      memory[to] = larger;
    }
  }

  /** Starts to send the message to the process that stands for a member; says how long it is. */
  long send(int to, int process, int tag) {
    requests[to] = comm.startSend(memory[to].asSlice(0, used[to]), process, tag);
    return used[to];
  }

  /** Whether the messages sent last have left. */
  boolean isGone() {
    boolean gone = true;
    for (int to = 0; to < requests.length; to++) {
      Request request = requests[to];
      if (request != null && request.test()) {
        requests[to] = null;
      }
      gone &= requests[to] == null;
    }
    return gone;
  }

  /** Waits until the messages sent last have left. */
  void awaitGone() {
    for (int to = 0; to < requests.length; to++) {
      Request request = requests[to];
      if (request != null) {
        request.await();
        requests[to] = null;
      }
    }
  }

  @Override
  public void close() {
    for (Request request : requests) {
      if (request != null) {
        // A transport may still read from it; better to lose the memory.
        return;
      }
    }
    arena.close();
  }
}
