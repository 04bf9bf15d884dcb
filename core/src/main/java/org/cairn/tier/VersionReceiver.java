// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.cairn.comm.Communicator;
import org.cairn.comm.Message;
import org.cairn.comm.Request;
import org.cairn.container.Commit;
import org.cairn.container.Container;
import org.cairn.container.DatasetEntry;
import org.cairn.container.StagedBlocks;
import org.cairn.container.VersionHead;
import org.cairn.container.VersionImage;
import org.cairn.container.VersionInfo;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a version from another rank into a container, as a copy of the original. The grammar is in
 * {@link Wire}. If this side fails it lets the sender finish, and keeps nothing.
 */
final class VersionReceiver extends Transfer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(VersionReceiver.class);

  private static final int MOVE_BYTES = 2 << 20;

  private final Communicator comm;
  private final int from;
  private final Arena arena = Arena.ofShared();
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
  interface Opener {
    Container open() throws IOException;
  }

  /**
   * The receiving side.
   *
   * @param whole whether to take all blocks, because those that are here are not to be trusted;
   *     asked once the container is open
   */
  VersionReceiver(Communicator comm, int from, Opener target, BooleanSupplier whole) {
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
    RecordWriter offer = RecordWriter.onHeap().putInt(versions.size());
    for (VersionInfo info : versions) {
      info.id().write(offer);
      offer.putLong(info.digestLow()).putLong(info.digestHigh());
    }
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
    int kind = message.get(Wire.INT, 0);
    done = kind == Wire.END || kind == Wire.NOTHING || kind == Wire.FAILED;
    if (kind == Wire.ASK_MAP) {
      answer = comm.startSend(image(), from, Wire.OFFER);
    } else if (kind == Wire.FAILED) {
      toldOfFailure = !hasFailed();
      byte[] text = message.asSlice(4).toArray(ValueLayout.JAVA_BYTE);
      fail(new IOException("rank " + from + ": " + new String(text, StandardCharsets.UTF_8)));
    } else if (!hasFailed() && kind != Wire.NOTHING) {
      apply(kind, message);
    }
  }

  private void apply(int kind, MemorySegment message) {
    try {
      switch (kind) {
        case Wire.OPEN -> open(message);
        case Wire.BLOCKS -> store(message);
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

  private void open(MemorySegment message) throws IOException {
    Container target = target();
    String origin = "a message of rank " + from;
    RecordReader in = new RecordReader(message, origin, 0);
    in.getInt();
    if (in.getInt() != 0) {
      target.continueFrom(find(target, VersionId.read(in)));
    }
    VersionHead head =
        VersionHead.read(message.asSlice(message.byteSize() - in.remaining()), origin);
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

  /** The bytes lie side by side in the message, as they should in the file. */
  private void store(MemorySegment message) throws IOException {
    int count = message.get(Wire.INT, 4);
    StagedBlocks staged = new StagedBlocks(message.asSlice(8 + (long) count * Wire.BLOCK_BYTES));
    for (int i = 0; i < count; i++) {
      long header = 8 + (long) i * Wire.BLOCK_BYTES;
      DatasetEntry dataset = datasets.get(message.get(Wire.INT, header));
      int block = message.get(Wire.INT, header + 4);
      int codec = message.get(Wire.INT, header + 8);
      int stored = message.get(Wire.INT, header + 12);
      long low = message.get(Wire.LONG, header + 16);
      long high = message.get(Wire.LONG, header + 24);
      int slot = dataset.slotOf(block);
      int length = dataset.blockLength(block);
      if (stored < 0) {
        staged.addZero(slot, length);
      } else if (codec == 0) {
        staged.addRaw(slot, length, low, high);
      } else {
        staged.addCoded(slot, length, codec, stored, low, high);
      }
    }
    commit().store(staged, 0);
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
