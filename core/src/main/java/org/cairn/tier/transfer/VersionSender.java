// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.transfer;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.cairn.comm.Communicator;
import org.cairn.comm.Message;
import org.cairn.comm.Request;
import org.cairn.container.BlockReader;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.supply.Supply;
import org.cairn.tier.Deltas;
import org.cairn.version.DatasetEntry;
import org.cairn.version.Delta;
import org.cairn.version.VersionHead;
import org.cairn.version.VersionId;
import org.cairn.version.VersionImage;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a version to the container of another rank: what that container does not have, which is
 * known, or found by comparing maps. Every block is verified before it leaves. The grammar is in
 * {@link Wire}.
 */
public final class VersionSender extends Transfer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(VersionSender.class);

  private static final int BUFFER_BYTES = 2 << 20;

  private enum State {
    AWAIT_OFFER,
    AWAIT_MAP,
    STREAM,
    DONE
  }

  private final Communicator comm;
  private final int to;
  private final Arena arena = Supply.sharedArena();
  private final MemorySegment[] buffers = {
    arena.allocate(BUFFER_BYTES, 8), arena.allocate(BUFFER_BYTES, 8)
  };

  private @Nullable ContainerReader reader;
  private @Nullable VersionView view;
  private @Nullable BlockReader blocks;
  private List<DatasetEntry> datasets = List.of();

  private State state = State.AWAIT_OFFER;
  private final VersionId version;
  private final Deltas deltas;
  private Wire.Offer offer = new Wire.Offer(List.of(), Set.of());
  private @Nullable Request inFlight;
  private @Nullable MemorySegment prepared;
  private int nextBuffer;
  private boolean ended;

  /** What is to be sent: dataset and block in one number. */
  private long[] changed = new long[64];

  private int changedCount;
  private int next;
  private long bytesSent;

  /** Opens the container to send from; a failure becomes an answer to the receiver. */
  public interface Opener {
    ContainerReader open() throws IOException;
  }

  public VersionSender(Communicator comm, int to, Opener source, VersionId version, Deltas deltas) {
    this.comm = comm;
    this.to = to;
    this.version = version;
    this.deltas = deltas;
    try {
      reader = source.open();
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
    }
  }

  /** How many bytes have been sent, maps and headers included. */
  public long bytesSent() {
    return bytesSent;
  }

  @Override
  boolean isDone() {
    return state == State.DONE;
  }

  @Override
  boolean advance() {
    return switch (state) {
      case AWAIT_OFFER -> awaitOffer();
      case AWAIT_MAP -> awaitMap();
      case STREAM -> stream();
      case DONE -> false;
    };
  }

  private Optional<MemorySegment> receive() {
    Optional<Message> message = comm.poll(to, Wire.OFFER);
    if (message.isEmpty()) {
      return Optional.empty();
    }
    MemorySegment bytes = arena.allocate(message.get().bytes(), 8);
    comm.startReceive(bytes, to, Wire.OFFER).await();
    return Optional.of(bytes);
  }

  private boolean awaitOffer() {
    Optional<MemorySegment> message = receive();
    if (message.isEmpty()) {
      return false;
    }
    try {
      offer = Wire.Offer.read(new RecordReader(message.get(), "the offer of rank " + to, 0));
      open();
    } catch (IllegalArgumentException e) {
      fail(new IOException(e.getMessage(), e));
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
    }
    if (hasFailed()) {
      prepareFailure();
    }
    return true;
  }

  /** Decides what to send, and how to find out. */
  private void open() throws IOException {
    ContainerReader source = reader;
    if (source == null || hasFailed()) {
      return;
    }
    if (offer.versions().stream().anyMatch(one -> one.id().equals(version) && has(source, one))) {
      prepareKind(Wire.NOTHING);
      return;
    }
    Optional<Delta> delta = delta(source);
    if (delta.isPresent()) {
      startStream(delta.get(), source);
      return;
    }
    VersionView target = source.view(version);
    view = target;
    Optional<VersionMap> base = base();
    if (base.isPresent()) {
      startStream(target, base.get(), base.get().info().id());
    } else if (offer.versions().isEmpty()) {
      startStream(target, null, null);
    } else {
      state = State.AWAIT_MAP;
      send(kindOnly(Wire.ASK_MAP));
    }
  }

  private static boolean has(ContainerReader source, Wire.Offered version) {
    return source.versions().stream().anyMatch(mine -> version.equals(Wire.Offered.of(mine)));
  }

  /** What leads here from a version that the receiver has; where it lost blocks a map is needed. */
  private Optional<Delta> delta(ContainerReader source) {
    if (!offer.bad().isEmpty()) {
      return Optional.empty();
    }
    return offer.versions().stream()
        .flatMap(one -> deltas.since(one.id(), one.root()).stream())
        .filter(delta -> source.versions().contains(delta.version()))
        .findFirst();
  }

  /** The newest version that both have, and whose map can be read. */
  private Optional<VersionMap> base() {
    ContainerReader source = reader;
    if (source == null) {
      return Optional.empty();
    }
    for (Wire.Offered one : offer.versions()) {
      for (VersionInfo mine : source.versions()) {
        if (one.equals(Wire.Offered.of(mine))) {
          try {
            return Optional.of(source.view(mine.id()));
          } catch (IOException | RuntimeException | Error e) {
            // Damaged, or just dropped: it was only to save traffic.
            LOG.debug("no comparison with version {}", mine.id(), e);
          }
        }
      }
    }
    return Optional.empty();
  }

  private boolean awaitMap() {
    if (!sent()) {
      return false;
    }
    Optional<MemorySegment> image = receive();
    VersionView target = view;
    if (image.isEmpty() || target == null) {
      return false;
    }
    VersionMap base = readImage(image.get());
    startStream(target, base, base == null ? null : base.info().id());
    return true;
  }

  /** The map of the receiver; null if it could not be read there or is not understood here. */
  private @Nullable VersionMap readImage(MemorySegment image) {
    if (image.byteSize() == 0) {
      return null;
    }
    try {
      return VersionImage.read(image, "rank " + to);
    } catch (IOException e) {
      LOG.warn("rank {} has to take a whole copy: {}", to, e.getMessage());
      return null;
    }
  }

  private void startStream(Delta delta, ContainerReader source) {
    VersionView target = source.changed(delta);
    view = target;
    Map<DatasetEntry, Integer> order = order(target);
    delta.<RuntimeException>forEachChanged(
        (entry, block) -> note((long) order.get(entry) << 32 | block));
    startStream(target, delta.base().id());
  }

  private void startStream(
      VersionView target, @Nullable VersionMap base, @Nullable VersionId baseId) {
    Map<DatasetEntry, Integer> order = order(target);
    Set<Integer> lost = new HashSet<>(offer.bad());
    target.<RuntimeException>forEachChanged(
        base,
        (entry, block) -> {
          lost.remove(entry.slotOf(block));
          note((long) order.get(entry) << 32 | block);
        });
    noteLost(lost);
    startStream(target, baseId);
  }

  /** Numbers the datasets, as the head of the version has them. */
  private Map<DatasetEntry, Integer> order(VersionView target) {
    datasets = new ArrayList<>(target.datasets());
    Map<DatasetEntry, Integer> order = new IdentityHashMap<>();
    datasets.forEach(dataset -> order.put(dataset, order.size()));
    return order;
  }

  private void startStream(VersionView target, @Nullable VersionId baseId) {
    blocks = new BlockReader(target);
    MemorySegment head = VersionHead.write(target, arena);
    RecordWriter opening = RecordWriter.onHeap().putInt(Wire.OPEN).putInt(baseId == null ? 0 : 1);
    if (baseId != null) {
      baseId.write(opening);
    }
    MemorySegment message = arena.allocate(opening.position() + head.byteSize(), 8);
    message.copyFrom(opening.bytes());
    MemorySegment.copy(head, 0, message, opening.position(), head.byteSize());
    state = State.STREAM;
    prepared = message;
  }

  /** Blocks that did not change, but that the receiver has no more. */
  private void noteLost(Set<Integer> lost) {
    for (int dataset = 0; dataset < datasets.size() && !lost.isEmpty(); dataset++) {
      DatasetEntry entry = datasets.get(dataset);
      for (int block = 0; block < entry.blocks(); block++) {
        if (lost.contains(entry.slotOf(block))) {
          note((long) dataset << 32 | block);
        }
      }
    }
  }

  private void note(long one) {
    if (changedCount == changed.length) {
      changed = Supply.copy(changed, 2 * changedCount);
    }
    changed[changedCount++] = one;
  }

  /** Keeps one message in flight and the next one ready. */
  private boolean stream() {
    MemorySegment ready = prepared;
    if (ready == null && !ended) {
      prepare();
      return true;
    }
    if (!sent()) {
      return false;
    }
    if (ready != null) {
      prepared = null;
      send(ready);
    } else {
      state = State.DONE;
    }
    return true;
  }

  private boolean sent() {
    Request request = inFlight;
    if (request == null) {
      return true;
    }
    if (request.test()) {
      inFlight = null;
      return true;
    }
    return false;
  }

  private void send(MemorySegment message) {
    bytesSent += message.byteSize();
    inFlight = comm.startSend(message, to, Wire.DATA);
  }

  private void prepare() {
    if (next == changedCount) {
      prepareKind(Wire.END);
      return;
    }
    try {
      prepared = nextBlocks();
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
      prepareFailure();
    }
  }

  private void prepareKind(int kind) {
    state = State.STREAM;
    ended = true;
    prepared = kindOnly(kind);
  }

  private MemorySegment kindOnly(int kind) {
    return message(RecordWriter.onHeap().putInt(kind));
  }

  private MemorySegment message(RecordWriter record) {
    return arena.allocate(record.position(), 8).copyFrom(record.bytes());
  }

  private void prepareFailure() {
    IOException reason = failure();
    String text = String.valueOf(reason == null ? null : reason.getMessage());
    state = State.STREAM;
    ended = true;
    prepared = message(RecordWriter.onHeap().putInt(Wire.FAILED).putText(text));
  }

  /** As many blocks as fit into a buffer, headers first. */
  private MemorySegment nextBlocks() throws IOException {
    VersionView target = view;
    BlockReader source = blocks;
    if (target == null || source == null) {
      throw new AssertionError("nothing to send from");
    }
    MemorySegment buffer = buffers[nextBuffer];
    nextBuffer = 1 - nextBuffer;
    int count = countFitting(target);
    RecordWriter headers = RecordWriter.into(buffer).putInt(Wire.BLOCKS).putInt(count);
    long at = Wire.PREFIX_BYTES + (long) count * Wire.Block.BYTES;
    for (int i = 0; i < count; i++) {
      int number = (int) (changed[next + i] >>> 32);
      DatasetEntry dataset = datasets.get(number);
      int block = (int) changed[next + i];
      BlockReader.Stored stored = source.readStored(dataset, block);
      new Wire.Block(
              number,
              block,
              stored.codec(),
              target.isZero(dataset, block) ? Wire.Block.ZEROS : (int) stored.bytes().byteSize(),
              target.low(dataset, block),
              target.high(dataset, block))
          .write(headers);
      MemorySegment.copy(stored.bytes(), 0, buffer, at, stored.bytes().byteSize());
      at += stored.bytes().byteSize();
    }
    next += count;
    return buffer.asSlice(0, at);
  }

  private int countFitting(VersionView target) {
    long bytes = Wire.PREFIX_BYTES;
    int count = 0;
    while (next + count < changedCount) {
      DatasetEntry dataset = datasets.get((int) (changed[next + count] >>> 32));
      bytes += Wire.Block.BYTES;
      bytes += target.place(dataset, (int) changed[next + count]).storedLength();
      if (count > 0 && bytes > BUFFER_BYTES) {
        break;
      }
      count++;
    }
    return count;
  }

  @Override
  public void close() throws IOException {
    if (blocks != null) {
      blocks.close();
    }
    if (reader != null) {
      reader.close();
    }
    Request request = inFlight;
    if (request == null || request.test()) {
      // Otherwise a transport may still read from it; better to lose the memory.
      arena.close();
    }
  }
}
