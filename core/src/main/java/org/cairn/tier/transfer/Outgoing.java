// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.transfer;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.cairn.supply.Supply;
import org.jspecify.annotations.Nullable;

/**
 * All messages that a sender has, in their order: an opening, blocks, and an end; or an end alone.
 * Where there are many blocks another thread reads them, so that whoever sends can meanwhile
 * receive and write what others send.
 */
final class Outgoing implements AutoCloseable {
  private final Optional<BlockMessages> blocks;
  private final MemorySegment end;
  private final @Nullable ExecutorService reader;
  private Optional<MemorySegment> opening;
  private Optional<Future<MemorySegment>> reading = Optional.empty();
  private boolean ended;

  private Outgoing(
      Optional<MemorySegment> opening,
      Optional<BlockMessages> blocks,
      MemorySegment end,
      @Nullable ExecutorService reader) {
    this.opening = opening;
    this.blocks = blocks;
    this.end = end;
    this.reader = reader;
  }

  /** One message. */
  static Outgoing only(MemorySegment message) {
    return new Outgoing(Optional.empty(), Optional.empty(), message, null);
  }

  /** A version. */
  static Outgoing of(MemorySegment opening, BlockMessages blocks, MemorySegment end) {
    ExecutorService reader =
        blocks.hasMany() ? Executors.newSingleThreadExecutor(Outgoing::thread) : null;
    return new Outgoing(Optional.of(opening), Optional.of(blocks), end, reader);
  }

  private static Thread thread(Runnable task) {
    return Supply.thread(task, "cairn-sending");
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
    return read(blocks.get());
  }

  private Optional<MemorySegment> read(BlockMessages from) throws IOException {
    if (reader == null) {
      return Optional.of(from.next());
    }
    try {
      reading = Optional.of(reader.submit(from::next));
      return Optional.empty();
    } catch (OutOfMemoryError e) {
      return Optional.of(from.next()); // there is no thread for it
    }
  }

  private Optional<MemorySegment> taken(Future<MemorySegment> message) throws IOException {
    if (!message.isDone()) {
      return Optional.empty();
    }
    reading = Optional.empty();
    try {
      return Optional.of(message.get());
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
    } catch (InterruptedException e) {
      throw new AssertionError("what is done is not waited for", e);
    }
  }

  @Override
  public void close() {
    if (reader != null) {
      Supply.end(reader);
    }
    blocks.ifPresent(BlockMessages::close);
  }
}
