// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.transfer;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.cairn.comm.Communicator;
import org.cairn.comm.Message;
import org.cairn.comm.Request;
import org.cairn.container.ContainerReader;
import org.cairn.container.VersionView;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.supply.Supply;
import org.cairn.tier.Deltas;
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
 *
 * <p>Waits for the offer; perhaps for a map; then sends one message after the other, see {@link
 * Outgoing}. Whatever goes wrong on the way, the receiver gets an answer.
 */
public final class VersionSender extends Transfer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(VersionSender.class);

  private final Communicator comm;
  private final int to;
  private final VersionId version;
  private final Deltas deltas;
  private final Arena arena = Supply.sharedArena();
  private final Optional<ContainerReader> source;

  private Phase phase = new AwaitingOffer();
  private Optional<Request> inFlight = Optional.empty();
  private boolean receiving;
  private long bytesSent;

  /** What the conversation has come to. */
  private sealed interface Phase {}

  private record AwaitingOffer() implements Phase {}

  /** The receiver was asked for its map. */
  private record AwaitingMap(VersionView target, Wire.Offer offer) implements Phase {}

  /** The first message is ready, the others come from {@code rest}. */
  private record Streaming(Optional<MemorySegment> ready, Outgoing rest) implements Phase {}

  private record Ended() implements Phase {}

  /** Opens the container to send from; a failure becomes an answer to the receiver. */
  public interface Opener {
    ContainerReader open() throws IOException;
  }

  /** Sends a version to a rank; what has to be read is opened when it is asked for. */
  public VersionSender(Communicator comm, int to, Opener source, VersionId version, Deltas deltas) {
    this.comm = comm;
    this.to = to;
    this.version = version;
    this.deltas = deltas;
    this.source = open(source);
  }

  private Optional<ContainerReader> open(Opener opener) {
    try {
      return Optional.of(opener.open());
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
      return Optional.empty();
    }
  }

  /** How many bytes have been sent, maps and headers included. */
  public long bytesSent() {
    return bytesSent;
  }

  @Override
  boolean isDone() {
    return phase instanceof Ended;
  }

  @Override
  boolean advance() {
    Phase before = phase;
    phase =
        switch (before) {
          case AwaitingOffer _ -> awaitOffer(before);
          case AwaitingMap asked -> awaitMap(asked);
          case Streaming stream -> stream(stream);
          case Ended _ -> before;
        };
    return phase != before;
  }

  // ---------------------------------------------------------------- what the receiver has

  private Phase awaitOffer(Phase before) {
    Optional<MemorySegment> message = receive();
    return message.isEmpty() ? before : answered(() -> choose(readOffer(message.get())));
  }

  private Phase awaitMap(AwaitingMap asked) {
    if (!isSent()) {
      return asked;
    }
    Optional<MemorySegment> message = receive();
    if (message.isEmpty()) {
      return asked;
    }
    return answered(() -> compare(asked.target, readImage(message.get()), asked.offer));
  }

  private interface Step {
    Phase take() throws IOException;
  }

  /** A step, or the reason why it cannot be taken, for the receiver. */
  private Phase answered(Step step) {
    try {
      if (!hasFailed()) {
        return step.take();
      }
    } catch (IllegalArgumentException e) {
      fail(new IOException(e.getMessage(), e));
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
    }
    return failed();
  }

  private Phase failed() {
    IOException reason = failure();
    String text = String.valueOf(reason == null ? null : reason.getMessage());
    return last(RecordWriter.onHeap().putInt(Wire.FAILED).putText(text));
  }

  private Streaming last(RecordWriter message) {
    return new Streaming(Optional.empty(), Outgoing.only(message(message)));
  }

  private Optional<MemorySegment> receive() {
    Optional<Message> message = comm.poll(to, Wire.OFFER);
    if (message.isEmpty()) {
      return Optional.empty();
    }
    MemorySegment bytes = arena.allocate(message.get().bytes(), 8);
    receiving = true;
    comm.startReceive(bytes, to, Wire.OFFER).await();
    receiving = false;
    return Optional.of(bytes);
  }

  private Wire.Offer readOffer(MemorySegment message) throws IOException {
    return Wire.Offer.read(new RecordReader(message, "the offer of rank " + to, 0));
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

  // ---------------------------------------------------------------- what to send

  /** Decides what to send, and how to find out. */
  private Phase choose(Wire.Offer offer) throws IOException {
    ContainerReader from = source.orElseThrow();
    if (offer.versions().stream().anyMatch(one -> one.id().equals(version) && has(from, one))) {
      return last(RecordWriter.onHeap().putInt(Wire.NOTHING));
    }
    Optional<Delta> delta = delta(from, offer);
    if (delta.isPresent()) {
      VersionView changed = from.changed(delta.get());
      return start(changed, Selection.of(delta.get(), changed), delta.get().base().id());
    }
    VersionView target = from.view(version);
    Optional<VersionMap> base = base(from, offer);
    if (base.isPresent() || offer.versions().isEmpty()) {
      return compare(target, base.orElse(null), offer);
    }
    send(message(RecordWriter.onHeap().putInt(Wire.ASK_MAP)));
    return new AwaitingMap(target, offer);
  }

  private static boolean has(ContainerReader source, Wire.Offered version) {
    return source.versions().stream().anyMatch(mine -> version.equals(Wire.Offered.of(mine)));
  }

  /** What leads here from a version that the receiver has; where it lost blocks a map is needed. */
  private Optional<Delta> delta(ContainerReader from, Wire.Offer offer) {
    if (!offer.bad().isEmpty()) {
      return Optional.empty();
    }
    return offer.versions().stream()
        .flatMap(one -> deltas.since(one.id(), one.root()).stream())
        .filter(delta -> from.versions().contains(delta.version()))
        .findFirst();
  }

  /** The newest version that both have, and whose map can be read. */
  private static Optional<VersionMap> base(ContainerReader from, Wire.Offer offer) {
    for (Wire.Offered one : offer.versions()) {
      for (VersionInfo mine : from.versions()) {
        if (one.equals(Wire.Offered.of(mine))) {
          try {
            return Optional.of(from.view(mine.id()));
          } catch (IOException | RuntimeException | Error e) {
            // Damaged, or just dropped: it was only to save traffic.
            LOG.debug("no comparison with version {}", mine.id(), e);
          }
        }
      }
    }
    return Optional.empty();
  }

  private Phase compare(VersionView target, @Nullable VersionMap base, Wire.Offer offer) {
    return start(
        target,
        Selection.between(base, target, offer.bad()),
        base == null ? null : base.info().id());
  }

  private Phase start(VersionView target, Selection blocks, @Nullable VersionId base) {
    MemorySegment end = message(RecordWriter.onHeap().putInt(Wire.END));
    MemorySegment opening = opening(target, base);
    BlockMessages messages = new BlockMessages(target, blocks, arena);
    return new Streaming(Optional.empty(), Outgoing.of(opening, messages, end));
  }

  private MemorySegment opening(VersionView target, @Nullable VersionId base) {
    MemorySegment head = VersionHead.write(target, arena);
    RecordWriter opening = RecordWriter.onHeap().putInt(Wire.OPEN).putInt(base == null ? 0 : 1);
    if (base != null) {
      base.write(opening);
    }
    MemorySegment message = arena.allocate(opening.position() + head.byteSize(), 8);
    message.copyFrom(opening.bytes());
    MemorySegment.copy(head, 0, message, opening.position(), head.byteSize());
    return message;
  }

  private MemorySegment message(RecordWriter record) {
    return arena.allocate(record.position(), 8).copyFrom(record.bytes());
  }

  // ---------------------------------------------------------------- sending

  /** Keeps one message in flight and the next one ready. */
  private Phase stream(Streaming stream) {
    Outgoing rest = stream.rest;
    if (stream.ready.isEmpty() && rest.hasNext()) {
      return answeredInTime(stream);
    }
    if (!isSent()) {
      return stream;
    }
    if (stream.ready.isPresent()) {
      send(stream.ready.get());
      return new Streaming(Optional.empty(), rest);
    }
    rest.close();
    return new Ended();
  }

  private Phase answeredInTime(Streaming stream) {
    try {
      Optional<MemorySegment> next = stream.rest.poll();
      return next.isEmpty() ? stream : new Streaming(next, stream.rest);
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
      stream.rest.close();
      return failed();
    }
  }

  private boolean isSent() {
    inFlight = inFlight.filter(request -> !request.test());
    return inFlight.isEmpty();
  }

  private void send(MemorySegment message) {
    bytesSent += message.byteSize();
    inFlight = Optional.of(comm.startSend(message, to, Wire.DATA));
  }

  @Override
  public void close() throws IOException {
    if (phase instanceof Streaming stream) {
      stream.rest.close();
    }
    if (source.isPresent()) {
      source.get().close();
    }
    if (!receiving && isSent()) {
      // Otherwise a transport may still use it; better to lose the memory.
      arena.close();
    }
  }
}
