// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.cairn.comm.Backoff;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Message;
import org.cairn.comm.RankLostException;
import org.cairn.supply.Workspace;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What members of a group send to its leader, who wants to have it member by member: what comes
 * from others meanwhile is taken too, and kept, as far as there is memory. The rest stays with who
 * sent it. A message whose turn has come and that there is no memory for is dropped: whoever sent
 * it must not wait for ever. For one thread.
 */
final class Intake implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Intake.class);

  private static final long LOOK_EVERY = 1 << 20;
  private static final MemorySegment NO_MEMORY = MemorySegment.ofArray(new byte[0]);

  private final Communicator group;
  private final Workspace space = new Workspace();
  private final List<Deque<Taken>> early = new ArrayList<>();
  private final List<MemorySegment> free = new ArrayList<>();
  private long room;
  private long unlooked;
  private boolean receiving;

  /** A message that has come. */
  sealed interface Arrival {
    /** Its tag. */
    int tag();
  }

  /** A message that was received; its bytes are the beginning of {@code memory}. */
  record Taken(int tag, MemorySegment bytes, MemorySegment memory, boolean isEarly)
      implements Arrival {}

  /** A message that there was no memory for. */
  record Dropped(int tag, OutOfMemoryError why) implements Arrival {}

  /**
   * An intake.
   *
   * @param room how many bytes may be kept for members whose turn has not come
   */
  Intake(Communicator group, long room) {
    this.group = group;
    this.room = room;
    for (int member = 0; member < group.size(); member++) {
      early.add(new ArrayDeque<>());
    }
  }

  /** The next message of a member whose turn it is; waits for it. */
  Arrival next(int member) {
    Backoff backoff = new Backoff("what member " + member + " of the group has");
    while (true) {
      Taken kept = early.get(member).poll();
      if (kept != null) {
        return kept;
      }
      Optional<Message> message = group.poll(member, Communicator.ANY_TAG);
      if (message.isPresent()) {
        return receiveOrDrop(member, message.get());
      }
      if (!takeEarly(member + 1)) {
        backoff.pause();
      }
    }
  }

  /** The leader has dealt with so many bytes of its own: now and then takes what has come. */
  void worked(long bytes) {
    unlooked += bytes;
    if (unlooked >= LOOK_EVERY) {
      unlooked = 0;
      takeEarly(1);
    }
  }

  /** Takes what members have sent from this one on; whether there was anything. */
  private boolean takeEarly(int first) {
    boolean any = false;
    for (int member = first; member < group.size() && room > 0; member++) {
      Optional<Message> message = group.poll(member, Communicator.ANY_TAG);
      if (message.isPresent() && message.get().bytes() <= room) {
        any |= keep(member, message.get());
      }
    }
    return any;
  }

  /** Without memory it waits for its turn. */
  private boolean keep(int member, Message message) {
    try {
      Taken taken = receive(member, message, true);
      early.get(member).add(taken);
      room -= taken.memory.byteSize();
      return true;
    } catch (OutOfMemoryError e) {
      room = 0;
      return false;
    }
  }

  private Arrival receiveOrDrop(int member, Message message) {
    try {
      return receive(member, message, false);
    } catch (OutOfMemoryError e) {
      drop(group, member, message.tag());
      return new Dropped(message.tag(), e);
    }
  }

  /** A message that is too large for what receives it is gone, and its sender goes on. */
  static void drop(Communicator comm, int from, int tag) {
    try {
      comm.receive(NO_MEMORY, from, tag);
    } catch (RankLostException e) {
      throw e;
    } catch (CommunicationException e) {
      LOG.debug("dropped: {}", e.getMessage());
    }
  }

  private Taken receive(int member, Message message, boolean isEarly) {
    MemorySegment memory = memory(message.bytes());
    MemorySegment bytes = memory.asSlice(0, message.bytes());
    receiving = true;
    group.receive(bytes, member, message.tag());
    receiving = false;
    return new Taken(message.tag(), bytes, memory, isEarly);
  }

  private MemorySegment memory(long bytes) {
    for (int i = 0; i < free.size(); i++) {
      if (free.get(i).byteSize() >= bytes) {
        return free.remove(i);
      }
    }
    return space.atLeast(MemorySegment.NULL, bytes);
  }

  /** Its memory may be used again. */
  void giveBack(Taken message) {
    free.add(message.memory);
    room += message.isEarly ? message.memory.byteSize() : 0;
  }

  @Override
  public void close() {
    if (!receiving) {
      // Else a receive was cut short, and a transport may still write to it.
      space.close();
    }
  }
}
