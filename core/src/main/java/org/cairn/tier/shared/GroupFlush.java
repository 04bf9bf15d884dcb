// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.cairn.clock.Clock;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Request;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.record.SealedRecord;
import org.cairn.store.Store;
import org.cairn.supply.Workspace;
import org.cairn.version.Lineage;
import org.jspecify.annotations.Nullable;

/**
 * A group of ranks writes one segment. Its first rank asks all members for their blocks at once:
 * all read and send beside each other, and what comes before it is a member's turn is taken as far
 * as there is memory. The segment has the blocks of one member after those of another, so a member
 * learns late where its own lie: when all before it have ended.
 *
 * <pre>
 * leader → member   START   name                   where blocks go; to all at the beginning
 *                   PLACE   offset:u64             where the member's blocks begin there; once to
 *                                                  each, when its turn has come
 * member → leader   BYTES   blocks                 as many messages as it takes
 *                   INDEX   references:counted MemberIndex:counted       once it knows the place
 *                   FAILED  reason:text            instead of all that would follow
 * </pre>
 */
final class GroupFlush {
  private static final int START = 1;
  static final int BYTES = 2;
  private static final int INDEX = 3;
  private static final int FAILED = 4;
  private static final int PLACE = 5;
  private static final int BUFFER_BYTES = 2 << 20;

  /** For what members send before it is their turn. */
  private static final long EARLY_BYTES = 16 << 20;

  private final Communicator group;
  private final Store shared;
  private final Clock clock;
  private final SharedNames.Segment identity;
  private final Lineage lineage;
  private final List<String> failures = new ArrayList<>();
  private Optional<Flushed> next = Optional.empty();

  GroupFlush(
      Communicator group,
      Store shared,
      Clock clock,
      SharedNames.Segment identity,
      Lineage lineage) {
    this.group = group;
    this.shared = shared;
    this.clock = clock;
    this.identity = identity;
    this.lineage = lineage;
  }

  // ---------------------------------------------------------------- the leader's part

  /** Writes the segment; the answer is what the group says to all others. */
  byte[] lead(FlushSource own) throws IOException {
    Manifest.Group done = null;
    try (SegmentWriter writer = open();
        Intake intake = new Intake(group, EARLY_BYTES)) {
      String name = writer == null ? "none" : writer.name();
      for (int member = 1; member < group.size(); member++) {
        group.send(RecordWriter.onHeap().putText(name).bytes(), member, START);
      }
      takeOwn(own, writer, intake);
      for (int member = 1; member < group.size(); member++) {
        take(member, writer, intake);
      }
      if (failures.isEmpty() && writer != null) {
        done = finish(writer);
      }
    } catch (IOException e) {
      failures.add(e.toString());
    }
    return write(done);
  }

  /** What the next flush of the leader itself can go on from, if this one comes to a good end. */
  Optional<Flushed> next() {
    return next;
  }

  private static Manifest.Group finish(SegmentWriter writer) throws IOException {
    try {
      return writer.finish();
    } catch (OutOfMemoryError e) {
      throw new IOException(e.toString(), e);
    }
  }

  /** What a rank says to all others that could not do its part. */
  static byte[] failed(Throwable reason) {
    return RecordWriter.onHeap().putText(reason.toString()).toArray();
  }

  private @Nullable SegmentWriter open() {
    try {
      return SegmentWriter.create(shared, clock, identity, lineage);
    } catch (IOException | OutOfMemoryError e) {
      failures.add("the segment cannot be created: " + e);
      return null;
    }
  }

  private void takeOwn(FlushSource own, @Nullable SegmentWriter writer, Intake intake) {
    if (writer == null) {
      return;
    }
    try {
      long start = writer.position();
      own.stream(
          writer.name(),
          bytes -> {
            writer.append(bytes);
            intake.worked(bytes.byteSize());
          });
      FlushSource.Outcome outcome = own.outcome(start);
      addMember(new Indexed(outcome.references(), outcome.index()), writer);
      next = Optional.of(outcome.next());
    } catch (IOException | IllegalArgumentException | OutOfMemoryError e) {
      failures.add(String.valueOf(e.getMessage()));
    }
  }

  /** Takes what a member sends to its end, also if it is of no use any more. */
  private void take(int member, @Nullable SegmentWriter writer, Intake intake) {
    long place = writer == null ? 0 : writer.position();
    group.send(RecordWriter.onHeap().putLong(place).bytes(), member, PLACE);
    boolean ended = false;
    while (!ended) {
      Intake.Taken message = intake.next(member);
      accept(message.tag(), message.bytes(), writer);
      ended = message.tag() != BYTES;
      intake.giveBack(message);
    }
  }

  private void accept(int tag, MemorySegment bytes, @Nullable SegmentWriter writer) {
    RecordReader in = new RecordReader(bytes, "a message of a member", 0);
    try {
      if (tag == FAILED) {
        failures.add(in.getText());
      } else if (writer != null && failures.isEmpty()) {
        if (tag == BYTES) {
          writer.append(bytes);
        } else {
          addMember(Indexed.read(in), writer);
        }
      }
    } catch (IOException | IllegalArgumentException | OutOfMemoryError e) {
      failures.add(String.valueOf(e.getMessage()));
    }
  }

  private static void addMember(Indexed member, SegmentWriter writer) throws IOException {
    Map<String, Long> needed = new HashMap<>();
    for (Reference reference : member.references) {
      needed.put(reference.segment(), reference.liveBytes());
      if (!reference.segment().equals(writer.name())) {
        writer.reference(reference);
      }
    }
    writer.addMember(member.index, needed);
  }

  /**
   * What a member has to say in the end.
   *
   * @param references the segments that it needs, with how many bytes it needs there
   */
  record Indexed(List<Reference> references, MemberIndex index) {
    RecordWriter write() throws IOException {
      RecordWriter out = RecordWriter.onHeap();
      long field = out.begin();
      Reference.write(out, references);
      out.end(field);
      RecordWriter record = RecordWriter.onHeap();
      index.write(record);
      return out.putCounted(record.toArray());
    }

    static Indexed read(RecordReader in) throws IOException {
      List<Reference> references = Reference.read(in.getCountedRecord());
      SealedRecord index = SealedRecord.of(in.getCounted(), in.file());
      return new Indexed(references, MemberIndex.read(index.verified("index")));
    }
  }

  private byte[] write(Manifest.@Nullable Group done) {
    RecordWriter out = RecordWriter.onHeap().putText(String.join("; ", failures));
    if (done != null) {
      out.putLong(done.takenAt().toEpochMilli());
      long references = out.begin();
      Reference.write(out, done.references());
      out.end(references);
      done.write(out);
    }
    return out.toArray();
  }

  /** Reads what a group said. */
  static void read(byte[] message, List<Manifest.Group> groups, List<String> failures)
      throws IOException {
    RecordReader in = RecordReader.of(message, "a message");
    String failure = in.getText();
    if (!failure.isEmpty()) {
      failures.add(failure);
      return;
    }
    Instant takenAt = Instant.ofEpochMilli(in.getLong());
    List<Reference> references = Reference.read(in.getCountedRecord());
    groups.add(Manifest.Group.read(in, takenAt, references));
  }

  // ---------------------------------------------------------------- a member's part

  /**
   * Gives the leader what this rank has, or the reason why it cannot.
   *
   * @return what the next flush can go on from, if this one comes to a good end
   */
  static Optional<Flushed> follow(Communicator group, FlushSource own) throws IOException {
    String segment = Names.readCounted(receive(group, START));
    Optional<Flushed> next = Optional.empty();
    boolean placed = false;
    Sending sending = new Sending(group, Math.min(BUFFER_BYTES, own.mostBytes()));
    try {
      sending.allocate();
      own.stream(segment, sending::append);
      sending.flush();
      long start = receive(group, PLACE).getLongNumber("offset");
      placed = true;
      FlushSource.Outcome outcome = own.outcome(start);
      Indexed indexed = new Indexed(outcome.references(), outcome.index());
      group.send(indexed.write().bytes(), 0, INDEX);
      next = Optional.of(outcome.next());
    } catch (CommunicationException e) {
      throw e;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      // Whatever it is: the leader waits for an answer, and tells it to all ranks.
      group.send(RecordWriter.onHeap().putText(e.toString()).bytes(), 0, FAILED);
      if (!placed) {
        receive(group, PLACE); // it is sent in any case
      }
    } finally {
      sending.close();
    }
    return next;
  }

  private static RecordReader receive(Communicator group, int tag) {
    byte[] bytes = new byte[(int) group.probe(0, tag).bytes()];
    group.receive(bytes, 0, tag);
    return RecordReader.of(bytes, "rank 0 of the group");
  }

  /** Gathers blocks to large messages; fills one while the one before is on its way. */
  static final class Sending implements AutoCloseable {
    private final Communicator group;
    private final long bytes;
    private final Workspace space = new Workspace();
    private MemorySegment filling = MemorySegment.NULL;
    private MemorySegment other = MemorySegment.NULL;
    private long used;
    private Optional<Request> inFlight = Optional.empty();

    Sending(Communicator group, long bytes) {
      this.group = group;
      this.bytes = bytes;
    }

    void allocate() {
      filling = space.allocate(bytes);
      other = space.allocate(bytes);
    }

    void append(MemorySegment bytes) {
      if (used + bytes.byteSize() > filling.byteSize()) {
        start();
      }
      if (bytes.byteSize() > filling.byteSize()) {
        // More than was expected: damage was found. The bytes are not sent from where they are:
        // should the send be cut short, whoever lent them would free what a transport still reads.
        filling = space.allocate(bytes.byteSize());
      }
      MemorySegment.copy(bytes, 0, filling, used, bytes.byteSize());
      used += bytes.byteSize();
    }

    private void start() {
      await();
      if (used > 0) {
        inFlight = Optional.of(group.startSend(filling.asSlice(0, used), 0, BYTES));
        MemorySegment next = other;
        other = filling;
        filling = next;
        used = 0;
      }
    }

    void flush() {
      start();
      await();
    }

    /** Waits until nobody reads from the memory any more. */
    private void await() {
      inFlight.ifPresent(Request::await);
      inFlight = Optional.empty();
    }

    /** Memory from which a message may still be sent is lost rather than freed. */
    @Override
    public void close() {
      try {
        await();
      } catch (RuntimeException e) {
        return; // an interrupt, or a leader that is gone
      }
      space.close();
    }
  }
}
