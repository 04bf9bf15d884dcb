// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.cairn.work.Lane;

/**
 * All messages that a sender has, in their order: an opening, blocks, and an end; or an end alone.
 * Where there are many blocks another thread reads them, so that whoever sends can meanwhile
 * receive and write what others send.
 */
final class Outgoing implements AutoCloseable {
  private final Optional<BlockMessages> blocks;
  private final MemorySegment end;
  private final Lane reader;
  private Optional<MemorySegment> opening;
  private Optional<Lane.Piece<MemorySegment>> reading = Optional.empty();
  private boolean ended;

  private Outgoing(
      Optional<MemorySegment> opening,
      Optional<BlockMessages> blocks,
      MemorySegment end,
      Lane reader) {
    this.opening = opening;
    this.blocks = blocks;
    this.end = end;
    this.reader = reader;
  }

  /** One message. */
  static Outgoing only(MemorySegment message) {
    return new Outgoing(Optional.empty(), Optional.empty(), message, Lane.here());
  }

  /** A version. */
  static Outgoing of(MemorySegment opening, BlockMessages blocks, MemorySegment end) {
    Lane reader = blocks.hasMany() ? Lane.beside("cairn-sending") : Lane.here();
    return new Outgoing(Optional.of(opening), Optional.of(blocks), end, reader);
  }

  boolean hasNext() {
    return !ended;
  }

  /**
   * The next message, if it is there already. It is valid until this is called for the one after
   * the next.
   */
  Optional<MemorySegment> poll() throws IOException {
    if (opening.isPresent()) {
      Optional<MemorySegment> first = opening;
      opening = Optional.empty();
      return first;
    }
    if (reading.isPresent()) {
      return taken(reading.get());
    }
    if (blocks.isEmpty() || !blocks.get().hasNext()) {
      ended = true;
      return Optional.of(end);
    }
    Lane.Piece<MemorySegment> piece = reader.ask(blocks.get()::next);
    reading = Optional.of(piece);
    return taken(piece);
  }

  private Optional<MemorySegment> taken(Lane.Piece<MemorySegment> message) throws IOException {
    if (!message.isDone()) {
      return Optional.empty();
    }
    reading = Optional.empty();
    return Optional.of(message.result());
  }

  @Override
  public void close() {
    reader.close();
    blocks.ifPresent(BlockMessages::close);
  }
}
