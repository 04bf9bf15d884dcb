// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.transfer;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.cairn.CorruptContainerException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Message;
import org.cairn.comm.Request;
import org.cairn.container.Commit;
import org.cairn.container.Container;
import org.cairn.container.StagedBlocks;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.supply.Supply;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionHead;
import org.cairn.version.VersionId;
import org.cairn.version.VersionImage;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a version from another rank into a container, as a copy of the original. The grammar is in
 * {@link Wire}. If this side fails it lets the sender finish, and keeps nothing.
 */
public final class VersionReceiver extends Transfer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(VersionReceiver.class);

  private static final int MOVE_BYTES = 2 << 20;

  /** More blocks that were lost are asked for next time. */
  private static final int MOST_WANTED = 1 << 20;

  private final Communicator comm;
  private final int from;
  private final Arena arena = Supply.sharedArena();
  private @Nullable Container container;
  private MemorySegment buffer = arena.allocate(8, 8);
  private @Nullable Request answer;
  private final BooleanSupplier whole;
  private boolean offered;
  private boolean done;

  private @Nullable Commit commit;
  private List<DatasetEntry> datasets = List.of();
  private boolean toldOfFailure;

  /** Opens the container to receive into. */
  public interface Opener {
    Container open() throws IOException;
  }

  /**
   * The receiving side.
   *
   * @param whole whether to take all blocks, because those that are here are not to be trusted;
   *     asked once the container is open
   */
  public VersionReceiver(Communicator comm, int from, Opener target, BooleanSupplier whole) {
    this.comm = comm;
    this.from = from;
    this.whole = whole;
    try {
      container = target.open();
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
    }
  }

  /** Whether it was the sender that failed. */
  boolean wasToldOfFailure() {
    return toldOfFailure;
  }

  @Override
  boolean isDone() {
    return done && (answer == null || answer.test());
  }

  @Override
  boolean advance() throws IOException {
    if (!offered) {
      offered = true;
      answer = comm.startSend(offer(), from, Wire.OFFER);
      return true;
    }
    if (done) {
      return false;
    }
    Optional<Message> message = comm.poll(from, Wire.DATA);
    if (message.isEmpty()) {
      return false;
    }
    take(receive(message.get().bytes()));
    return true;
  }

  private MemorySegment offer() {
    Container target = container;
    List<VersionInfo> versions =
        target == null || whole.getAsBoolean() ? List.of() : target.versions();
    Set<Integer> bad = new HashSet<>();
    if (target != null && !versions.isEmpty()) {
      Arrays.stream(target.badSlots()).limit(MOST_WANTED).forEach(bad::add);
    }
    RecordWriter offer =
        new Wire.Offer(versions.stream().map(Wire.Offered::of).toList(), bad).write();
    return arena.allocate(offer.position(), 8).copyFrom(offer.bytes());
  }

  private MemorySegment receive(long length) {
    if (buffer.byteSize() < length) {
      buffer = arena.allocate(length, 8);
    }
    MemorySegment message = buffer.asSlice(0, length);
    comm.startReceive(message, from, Wire.DATA).await();
    return message;
  }

  private void take(MemorySegment message) {
    RecordReader in = new RecordReader(message, "a message of rank " + from, 0);
    try {
      take(in.getInt(), in);
    } catch (CorruptContainerException e) {
      fail(e);
    }
  }

  private void take(int kind, RecordReader in) throws CorruptContainerException {
    done = kind == Wire.END || kind == Wire.NOTHING || kind == Wire.FAILED;
    if (kind == Wire.ASK_MAP) {
      answer = comm.startSend(image(), from, Wire.OFFER);
    } else if (kind == Wire.FAILED) {
      toldOfFailure = !hasFailed();
      fail(new IOException("rank " + from + ": " + in.getText()));
    } else if (!hasFailed() && kind != Wire.NOTHING) {
      apply(kind, in);
    }
  }

  private void apply(int kind, RecordReader in) {
    try {
      switch (kind) {
        case Wire.OPEN -> open(in);
        case Wire.BLOCKS -> commit().store(Wire.readBlocks(in, datasets), 0);
        case Wire.END -> publish();
        default -> throw new IOException("rank " + from + " sent a message of kind " + kind);
      }
    } catch (IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException e) {
      fail(new IOException("what rank " + from + " sent does not fit: " + e.getMessage(), e));
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
    }
  }

  /** The map of the newest version; nothing if it cannot be read. */
  private MemorySegment image() {
    Container target = container;
    if (target == null || target.versions().isEmpty()) {
      return MemorySegment.NULL.asSlice(0, 0);
    }
    try {
      return VersionImage.of(target.view(target.versions().getFirst()), arena).bytes();
    } catch (IOException | RuntimeException | Error e) {
      // Then everything comes anew.
      LOG.warn("{} cannot be compared with: {}", target.location(), e.toString());
      return MemorySegment.NULL.asSlice(0, 0);
    }
  }

  private void open(RecordReader in) throws IOException {
    Container target = target();
    if (in.getInt() != 0) {
      target.continueFrom(find(target, VersionId.read(in)));
    }
    VersionHead head = VersionHead.read(in.getMemory(in.remaining()), in.file());
    Commit opened = target.beginCopy(head.info().id(), head.info().takenAt());
    commit = opened;
    opened.copy(head.datasets(), head.info());
    datasets = new ArrayList<>(head.datasets());
  }

  private static VersionInfo find(Container target, VersionId base) throws IOException {
    return target.versions().stream()
        .filter(info -> info.id().equals(base))
        .findFirst()
        .orElseThrow(() -> new IOException("no version " + base.exact() + " to continue"));
  }

  private Container target() throws IOException {
    Container target = container;
    if (target == null) {
      throw new IOException("there is no container");
    }
    return target;
  }

  private Commit commit() throws IOException {
    Commit current = commit;
    if (current == null) {
      throw new IOException("rank " + from + " sent blocks before it said of which version");
    }
    return current;
  }

  private void publish() throws IOException {
    Commit current = commit();
    current.moveClean(new StagedBlocks(arena.allocate(MOVE_BYTES, 64)));
    current.publish();
  }

  /** Keeps nothing of a version that did not become durable. The container stays open. */
  @Override
  public void close() {
    if (commit != null) {
      commit.abort();
    }
    Request request = answer;
    if (request == null || request.test()) {
      arena.close();
    }
  }
}
