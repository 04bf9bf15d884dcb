// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.transfer;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.cairn.CorruptContainerException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Message;
import org.cairn.comm.Request;
import org.cairn.container.Container;
import org.cairn.container.Incoming;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionHead;
import org.cairn.version.VersionId;
import org.cairn.version.VersionImage;
import org.cairn.version.VersionInfo;
import org.cairn.work.Lane;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a version from another rank, as a copy of the original. The grammar is in {@link Wire}. If
 * this side fails it lets the sender finish, and keeps nothing.
 *
 * <p>Where there are many blocks another thread writes them, while the next message comes: there
 * are two buffers. Who talks knows of a failure when it has come so far.
 */
public final class VersionReceiver extends Transfer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(VersionReceiver.class);

  /** Who sends that much at once has more. */
  private static final long MANY_BYTES = 1 << 20;

  private final Communicator comm;
  private final int from;
  private final Arena arena = Supply.sharedArena();
  private final Optional<Target> target;
  private final BooleanSupplier whole;
  private final Deque<Buffer> free = new ArrayDeque<>(List.of(new Buffer(), new Buffer()));
  private final Deque<Given> given = new ArrayDeque<>();
  private Lane writing = Lane.here();
  private boolean beside;
  private Optional<Request> answer = Optional.empty();
  private boolean offered;
  private boolean receiving;
  private boolean done;
  private boolean toldOfFailure;

  /** For whoever writes; others look at it when that has ended. */
  private Optional<Version> version = Optional.empty();

  /** What is being taken. */
  private record Version(Incoming incoming, List<DatasetEntry> datasets) {}

  /** Memory for a message. */
  private final class Buffer {
    private MemorySegment memory = MemorySegment.NULL;

    MemorySegment atLeast(long bytes) {
      if (memory.byteSize() < bytes) {
        memory = arena.allocate(bytes, 8);
      }
      return memory.asSlice(0, bytes);
    }
  }

  /** A message that is being dealt with. */
  private record Given(Lane.Piece<Lane> piece, Buffer buffer) {}

  /** The sender says that it failed. */
  private static final class ToldException extends IOException {
    private static final long serialVersionUID = 1;

    ToldException(String message) {
      super(message);
    }
  }

  /** Opens the container to receive into. */
  public interface Opener {
    Container open() throws IOException;
  }

  private interface TargetOpener {
    Target open(Arena arena) throws IOException;
  }

  /**
   * The receiving side.
   *
   * @param whole whether to take all blocks, because those that are here are not to be trusted;
   *     asked once the container is open
   */
  public VersionReceiver(Communicator comm, int from, Opener target, BooleanSupplier whole) {
    this(comm, from, whole, arena -> new Target.Copies(target.open(), arena));
  }

  private VersionReceiver(Communicator comm, int from, BooleanSupplier whole, TargetOpener opener) {
    this.comm = comm;
    this.from = from;
    this.whole = whole;
    this.target = open(opener);
  }

  /** The receiving side, of a version that goes where nothing is. */
  static VersionReceiver fresh(
      Communicator comm, int from, CopyTransfer.Opener<Incoming.Target> target) {
    return new VersionReceiver(comm, from, () -> true, _ -> Target.empty(target.open()));
  }

  private Optional<Target> open(TargetOpener opener) {
    try {
      return Optional.of(opener.open(arena));
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
      return Optional.empty();
    }
  }

  /** Whether it was the sender that failed. */
  boolean wasToldOfFailure() {
    return toldOfFailure;
  }

  @Override
  boolean isDone() {
    return done && given.isEmpty() && isAnswered();
  }

  private boolean isAnswered() {
    return answer.isEmpty() || answer.get().test();
  }

  @Override
  boolean advance() throws IOException {
    if (!offered) {
      offered = true;
      answer = Optional.of(comm.startSend(offer(), from, Wire.OFFER));
      return true;
    }
    boolean moved = collect();
    if (done || free.isEmpty()) {
      return moved;
    }
    Optional<Message> message = comm.poll(from, Wire.DATA);
    if (message.isEmpty()) {
      return moved;
    }
    Buffer buffer = free.removeFirst();
    take(receive(buffer.atLeast(message.get().bytes())), buffer);
    return true;
  }

  // ---------------------------------------------------------------- talking

  private MemorySegment offer() {
    List<VersionInfo> versions =
        target.isEmpty() || whole.getAsBoolean() ? List.of() : target.get().versions();
    Set<Integer> bad = versions.isEmpty() ? Set.of() : target.orElseThrow().badSlots();
    RecordWriter offer =
        new Wire.Offer(versions.stream().map(Wire.Offered::of).toList(), bad).write();
    return arena.allocate(offer.position(), 8).copyFrom(offer.bytes());
  }

  private MemorySegment receive(MemorySegment message) {
    receiving = true;
    comm.startReceive(message, from, Wire.DATA).await();
    receiving = false;
    return message;
  }

  private void take(MemorySegment message, Buffer buffer) {
    RecordReader in = new RecordReader(message, "a message of rank " + from, 0);
    try {
      int kind = in.getInt();
      done = kind == Wire.END || kind == Wire.NOTHING || kind == Wire.FAILED;
      if (kind == Wire.ASK_MAP) {
        answer = Optional.of(comm.startSend(image(), from, Wire.OFFER));
      } else if (!hasFailed() && kind != Wire.NOTHING) {
        given.add(new Given(lane(message).give(() -> apply(kind, in)), buffer));
        return;
      }
    } catch (CorruptContainerException e) {
      fail(e);
    }
    free.add(buffer);
  }

  /** What was done before by this thread has ended. */
  private Lane lane(MemorySegment message) {
    if (message.byteSize() >= MANY_BYTES && !beside) {
      beside = true;
      writing = Lane.beside("cairn-receiving");
    }
    return writing;
  }

  /** What has been dealt with makes room for the next. */
  private boolean collect() {
    boolean moved = false;
    while (!given.isEmpty() && given.getFirst().piece.isDone()) {
      Given one = given.removeFirst();
      finish(one.piece);
      free.add(one.buffer);
      moved = true;
    }
    return moved;
  }

  private void finish(Lane.Piece<Lane> piece) {
    try {
      piece.result();
    } catch (ToldException e) {
      toldOfFailure = !hasFailed();
      fail(e);
    } catch (IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException e) {
      fail(new IOException("what rank " + from + " sent does not fit: " + e.getMessage(), e));
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
    }
  }

  /** The map of the newest version; nothing if it cannot be read. */
  private MemorySegment image() {
    MemorySegment nothing = MemorySegment.NULL.asSlice(0, 0);
    if (target.isEmpty() || target.get().versions().isEmpty()) {
      return nothing;
    }
    try {
      return VersionImage.of(target.get().newest(), arena).bytes();
    } catch (IOException | RuntimeException | Error e) {
      // Then everything comes anew.
      LOG.warn("rank {} cannot compare: {}", comm.rank(), e.toString());
      return nothing;
    }
  }

  // ---------------------------------------------------------------- writing

  private void apply(int kind, RecordReader in) throws IOException {
    switch (kind) {
      case Wire.OPEN -> version = Optional.of(begin(in));
      case Wire.BLOCKS -> current().incoming.store(Wire.readBlocks(in, current().datasets));
      case Wire.END -> current().incoming.publish();
      case Wire.FAILED -> throw new ToldException("rank " + from + ": " + in.getText());
      default -> throw new IOException("rank " + from + " sent a message of kind " + kind);
    }
  }

  private Version begin(RecordReader in) throws IOException {
    Optional<VersionId> base =
        in.getInt() == 0 ? Optional.empty() : Optional.of(VersionId.read(in));
    VersionHead head = VersionHead.read(in.getMemory(in.remaining()), in.file());
    Incoming incoming = target.orElseThrow().begin(head, base);
    return new Version(incoming, new ArrayList<>(head.datasets()));
  }

  private Version current() throws IOException {
    return version.orElseThrow(
        () -> new IOException("rank " + from + " sent blocks before it said of which version"));
  }

  /** Keeps nothing of a version that did not become durable. The container stays open. */
  @Override
  public void close() {
    writing.close();
    version.ifPresent(one -> one.incoming.abort());
    if (!receiving && isAnswered()) {
      // Else a transport may still use it; better to lose the memory.
      arena.close();
    }
  }
}
