// SPDX-License-Identifier: Apache-2.0
package org.cairn.redivision;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.cairn.CorruptContainerException;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Message;
import org.cairn.comm.RankLostException;
import org.cairn.comm.Request;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.supply.Supply;
import org.cairn.supply.Workspace;
import org.cairn.version.DatasetEntry;
import org.cairn.version.VersionSource;
import org.cairn.work.Lane;
import org.cairn.work.Workers;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings elements from who reads them to who wants them. Each process reads the members that are
 * its, every block once and verified, and sends out what others want as it comes; at the same time
 * it takes what others send, and puts it where the program has it. What a process wants of its own
 * members goes there directly.
 *
 * <pre>
 * Message → (order:u32 kind:u32 from:u64 to:u64 length:u64 byte{length})*
 *   kind 1: bytes of the dataset from..to that the order wants, packed
 *   kind 2: they are zeros
 *   order END: nothing follows; kind 1 if that is all, 3 if something could not be read
 * </pre>
 *
 * <p>One thread speaks with others, as transports may want it, and waits for one of them only when
 * it has nothing left to send; so nobody waits for a process that waits for him. Memory does not
 * grow with anything: see {@link Outbox}.
 */
final class Delivery {
  private static final Logger LOG = LoggerFactory.getLogger(Delivery.class);

  static final int END = -1;
  static final int BYTES = 1;
  static final int ZEROS = 2;
  static final int FAILED = 3;
  static final int HEADER_BYTES = 32;

  private static final int SPINS = 100;
  private static final long LONGEST_NAP = 500_000;

  private final Communicator comm;
  private final Workers crew;
  private final Map<Integer, VersionSource> members;
  private final Collection<Asked> asked;
  private final List<Order> wanted;
  private final List<MemorySegment> targets;
  private final Set<Integer> awaited;
  private final long[] missing;
  private final Workspace memory = new Workspace();
  private MemorySegment incoming = MemorySegment.NULL;
  private boolean incomplete;

  /** Why this process cannot do its part any more. */
  private @Nullable Throwable failure;

  /**
   * What a process wants of a member that this one reads.
   *
   * @param process who wants it
   * @param order the number that it has there
   */
  record Asked(int process, int order, int member, String dataset, Runs runs) {}

  /** What is damaged in a member. */
  record Damaged(int member, String what) {}

  /**
   * One process's part.
   *
   * @param members what it reads
   * @param asked what is asked of it, by itself too
   * @param wanted what it asked for, by number
   * @param targets where that goes, by wish
   * @param awaited other processes that it asked
   */
  Delivery(
      Communicator comm,
      Workers crew,
      Map<Integer, VersionSource> members,
      Collection<Asked> asked,
      List<Order> wanted,
      List<MemorySegment> targets,
      Set<Integer> awaited) {
    this.comm = comm;
    this.crew = crew;
    this.members = members;
    this.asked = asked;
    this.wanted = wanted;
    this.targets = targets;
    this.awaited = new TreeSet<>(awaited);
    this.missing = wanted.stream().mapToLong(Order::bytes).toArray();
    for (Asked own : asked) {
      if (own.process == comm.rank()) {
        missing[own.order] = 0; // no message comes of it
      }
    }
  }

  static void writeHeader(RecordWriter out, int order, int kind, long from, long to, long length) {
    out.putInt(order).putInt(kind).putLong(from).putLong(to).putLong(length);
  }

  /**
   * Brings everything; called by all processes that have anything to do with each other. Whatever
   * fails here, others are told, and what they send is taken: they need not know.
   *
   * @return what is damaged of what this process reads
   * @throws IOException if this process could not do its part, and all others know
   */
  List<Damaged> run() throws IOException {
    try (memory) {
      return deliver();
    }
  }

  private List<Damaged> deliver() throws IOException {
    Set<Integer> others = new TreeSet<>();
    asked.forEach(one -> others.add(one.process));
    others.remove(comm.rank());
    if (others.isEmpty() && awaited.isEmpty()) {
      return new Reading(null).run();
    }
    // Taken before anything is said: to say that nothing follows must not fail for want of memory.
    MemorySegment last = MemorySegment.ofArray(Supply.bytes(HEADER_BYTES));
    MemorySegment crumbs = MemorySegment.ofArray(Supply.bytes(HEADER_BYTES));
    List<Damaged> damaged = List.of();
    try {
      damaged = exchange(others);
    } catch (CommunicationException e) {
      throw e; // nobody can be told
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
    boolean complete = failure == null && damaged.isEmpty();
    writeHeader(RecordWriter.into(last), END, complete ? BYTES : FAILED, 0, 0, 0);
    List<Request> ends = new ArrayList<>();
    others.forEach(to -> ends.add(comm.startSend(last, to, Outbox.TAG)));
    while (!awaited.isEmpty()) {
      takeRest(crumbs);
    }
    Request.awaitAll(ends);
    return finish(damaged);
  }

  private long largestRecord() {
    return asked.stream()
        .mapToLong(one -> entry(one).spec().blockSize() + (long) HEADER_BYTES)
        .max()
        .orElse(0);
  }

  private DatasetEntry entry(Asked one) {
    VersionSource source = members.get(one.member);
    if (source == null) {
      throw new IllegalStateException("member %d is not read here".formatted(one.member));
    }
    return source
        .find(one.dataset)
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "member %d has no dataset \"%s\"".formatted(one.member, one.dataset)));
  }

  /** Reads and sends all that is asked for, and takes meanwhile what comes. */
  private List<Damaged> exchange(Set<Integer> others) throws IOException {
    try (Outbox outbox = new Outbox(comm, others, largestRecord(), this::takeOne);
        Lane lane = Lane.beside("cairn-redivision")) {
      try {
        Lane.Piece<List<Damaged>> read = lane.ask(new Reading(outbox)::run);
        int idle = 0;
        boolean filled = false; // whether all messages have been
        while (!filled || !outbox.isEmpty()) {
          boolean moved = outbox.advance();
          moved |= takeOne();
          if (!filled && read.isDone()) {
            outbox.handOverAll();
            filled = true;
          }
          idle = moved ? 0 : idle + 1;
          if (idle > SPINS) {
            Supply.nap(Delivery.class, Math.min(LONGEST_NAP, 1000L * (idle - SPINS)));
          }
        }
        return read.result();
      } finally {
        outbox.giveUp();
      }
    }
  }

  private List<Damaged> finish(List<Damaged> damaged) throws IOException {
    Throwable mine = failure;
    if (mine != null) {
      throw mine instanceof IOException io ? io : new IOException(mine.toString(), mine);
    }
    // If nobody has said that something is missing, nothing may be.
    for (int order = 0; order < missing.length && !incomplete && damaged.isEmpty(); order++) {
      if (missing[order] != 0) {
        throw new IOException(
            "%d bytes of \"%s\" of rank %d did not arrive"
                .formatted(
                    missing[order], wanted.get(order).dataset(), wanted.get(order).member()));
      }
    }
    return damaged;
  }

  // ---------------------------------------------------------------- coming in

  /** Takes a message if there is one; whether there was. */
  private boolean takeOne() throws IOException {
    Optional<Message> message = comm.poll(Communicator.ANY_SOURCE, Outbox.TAG);
    if (message.isPresent()) {
      incoming = memory.atLeast(incoming, message.get().bytes());
      MemorySegment bytes = incoming.asSlice(0, message.get().bytes());
      place(comm.receive(bytes, message.get().source(), Outbox.TAG), incoming);
    }
    return message.isPresent();
  }

  /**
   * Waits for a message when nothing is left to send: hundreds that kept asking would take the
   * cores from those who read. Who has failed takes what comes, and does nothing with it.
   */
  private void takeRest(MemorySegment crumbs) {
    if (failure == null) {
      try {
        incoming = memory.atLeast(incoming, Outbox.MOST_BYTES);
        place(comm.receive(incoming, Communicator.ANY_SOURCE, Outbox.TAG), incoming);
        return;
      } catch (CommunicationException e) {
        throw e;
      } catch (IOException | RuntimeException | Error e) {
        failure = e;
        return; // if it was the last word of somebody it was understood
      }
    }
    Message next = comm.probe(Communicator.ANY_SOURCE, Outbox.TAG);
    try {
      comm.receive(crumbs, next.source(), Outbox.TAG);
      if (crumbs.get(ValueLayout.JAVA_INT_UNALIGNED, 0) == END) {
        awaited.remove(next.source());
      }
    } catch (RankLostException e) {
      throw e;
    } catch (CommunicationException e) {
      LOG.debug("{} bytes of rank {} are not wanted any more", next.bytes(), next.source(), e);
    }
  }

  private void place(Message message, MemorySegment buffer) throws IOException {
    MemorySegment bytes = buffer.asSlice(0, message.bytes());
    long at = 0;
    while (at < bytes.byteSize()) {
      RecordReader in =
          new RecordReader(bytes.asSlice(at, HEADER_BYTES), "process " + message.source(), at);
      int order = in.getInt();
      int kind = in.getInt();
      long from = in.getLong();
      long to = in.getLong();
      long length = in.getLong();
      at += HEADER_BYTES;
      if (order == END) {
        awaited.remove(message.source());
        incomplete |= kind == FAILED;
      } else {
        place(order, kind, from, to, bytes.asSlice(at, length));
      }
      at += length;
    }
  }

  private void place(int number, int kind, long from, long to, MemorySegment packed)
      throws CorruptContainerException {
    Order order = wanted.get(number);
    MemorySegment target = targets.get(order.wish());
    long bytes = order.runs().packedBytes(order.width(), from, to);
    if (kind == ZEROS) {
      order.runs().copy(order.width(), from, to, null, target);
    } else if (bytes == packed.byteSize()) {
      order.runs().unpack(order.width(), from, to, packed, target);
    } else {
      throw new CorruptContainerException(
          "a message", 0, "expected %d bytes, found %d".formatted(bytes, packed.byteSize()));
    }
    missing[number] -= bytes;
  }

  // ---------------------------------------------------------------- going out

  /** Reads all members of this process, and gives what is read to who wants it. */
  private final class Reading implements VersionSource.Sink {
    private final @Nullable Outbox outbox;

    /** By identity: asked once a block, and entries are costly to compare. */
    private final Map<DatasetEntry, List<Asked>> wanting = new IdentityHashMap<>();

    Reading(@Nullable Outbox outbox) {
      this.outbox = outbox;
    }

    List<Damaged> run() throws IOException {
      List<Damaged> damaged = new ArrayList<>();
      Set<Integer> read = new TreeSet<>();
      asked.forEach(one -> read.add(one.member));
      for (int member : read) {
        read(member).ifPresent(damaged::add);
      }
      return damaged;
    }

    private Optional<Damaged> read(int member) throws IOException {
      wanting.clear();
      for (Asked one : asked) {
        if (one.member == member) {
          wanting.computeIfAbsent(entry(one), _ -> new ArrayList<>()).add(one);
        }
      }
      List<VersionSource.Range> ranges = new ArrayList<>();
      wanting.forEach((entry, all) -> addRanges(entry, all, ranges));
      VersionSource source = members.get(member);
      if (source == null) {
        throw new IllegalStateException("member %d is not read here".formatted(member));
      }
      return scan(source, ranges).stream()
          .findFirst()
          .map(damage -> new Damaged(member, damage.what()));
    }

    /** Whoever has to send, too, because there was no thread to be had, reads alone. */
    private List<VersionSource.Damage> scan(VersionSource source, List<VersionSource.Range> ranges)
        throws IOException {
      if (outbox == null || !outbox.isSender()) {
        return source.scan(ranges, crew, this, done -> {});
      }
      try (Workers alone = new Workers(1, "cairn-reader")) {
        return source.scan(ranges, alone, this, done -> {});
      }
    }

    /** Stretches of a dataset that somebody wants, none of which shares a block with another. */
    private void addRanges(DatasetEntry entry, List<Asked> all, List<VersionSource.Range> ranges) {
      int width = entry.spec().type().bytes();
      int block = entry.spec().blockSize();
      all.sort(Comparator.comparingLong(one -> one.runs.low()));
      long from = -1;
      long to = -1;
      for (Asked one : all) {
        long low = one.runs.low() * width;
        long high = one.runs.high() * width;
        if (to >= 0 && low / block <= (to - 1) / block + 1) {
          to = Math.max(to, high);
        } else {
          if (to >= 0) {
            ranges.add(new VersionSource.Range(entry, from, to));
          }
          from = low;
          to = high;
        }
      }
      if (to >= 0) {
        ranges.add(new VersionSource.Range(entry, from, to));
      }
    }

    @Override
    public void block(DatasetEntry dataset, int block, MemorySegment bytes) throws IOException {
      long position = (long) block * dataset.spec().blockSize();
      give(dataset, position, position + bytes.byteSize(), bytes);
    }

    @Override
    public void zeros(DatasetEntry dataset, int first, int count) throws IOException {
      long position = (long) first * dataset.spec().blockSize();
      long end =
          Math.min(
              position + (long) count * dataset.spec().blockSize(), dataset.spec().byteLength());
      give(dataset, position, end, null);
    }

    private void give(DatasetEntry dataset, long position, long end, @Nullable MemorySegment bytes)
        throws IOException {
      int width = dataset.spec().type().bytes();
      for (Asked one : wanting.getOrDefault(dataset, List.of())) {
        if (one.runs.low() * width >= end) {
          return; // in the order of where they begin
        }
        if (one.runs.high() * width <= position) {
          continue;
        }
        if (one.process == comm.rank()) {
          Order order = wanted.get(one.order);
          order.runs().copy(width, position, end, bytes, targets.get(order.wish()));
        } else {
          send(one, width, position, end, bytes);
        }
      }
    }

    private void send(Asked one, int width, long position, long end, @Nullable MemorySegment bytes)
        throws IOException {
      long packed = one.runs.packedBytes(width, position, end);
      if (packed == 0 || outbox == null) {
        return;
      }
      long length = bytes == null ? 0 : packed;
      outbox.put(
          one.process,
          HEADER_BYTES + length,
          room -> {
            writeHeader(
                RecordWriter.into(room),
                one.order,
                bytes == null ? ZEROS : BYTES,
                position,
                end,
                length);
            if (bytes != null) {
              one.runs.pack(width, position, end, bytes, room.asSlice(HEADER_BYTES));
            }
          });
    }
  }
}
