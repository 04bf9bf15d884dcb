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
import org.cairn.comm.Message;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.record.SealedRecord;
import org.cairn.store.Store;
import org.cairn.supply.Supply;
import org.cairn.supply.Workspace;
import org.cairn.version.Lineage;
import org.jspecify.annotations.Nullable;

/**
 * A group of ranks writes one segment: its first rank asks one member after the other for its
 * blocks.
 *
 * <pre>
 * leader → member   START   offset:u64 name        where the member's blocks will lie
 * member → leader   BYTES   blocks                 as many messages as it takes
 *                   INDEX   references:counted MemberIndex:counted
 *                   FAILED  reason:text
 * </pre>
 */
final class GroupFlush {
  private static final int START = 1;
  private static final int BYTES = 2;
  private static final int INDEX = 3;
  private static final int FAILED = 4;
  private static final int BUFFER_BYTES = 2 << 20;

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
        Workspace space = new Workspace()) {
      takeOwn(own, writer);
      MemorySegment buffer = MemorySegment.NULL;
      for (int member = 1; member < group.size(); member++) {
        buffer = take(member, writer, space, buffer);
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

  private void takeOwn(FlushSource own, @Nullable SegmentWriter writer) {
    if (writer == null) {
      return;
    }
    try {
      own.stream(writer.name(), writer.position(), writer::append);
      FlushSource.Outcome outcome = own.outcome();
      addMember(new Indexed(outcome.references(), outcome.index()), writer);
      next = Optional.of(outcome.next());
    } catch (IOException | IllegalArgumentException | OutOfMemoryError e) {
      failures.add(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Takes what a member sends to its end, also if it is of no use any more.
   *
   * @return the buffer, which may have grown
   */
  private MemorySegment take(
      int member, @Nullable SegmentWriter writer, Workspace space, MemorySegment buffer) {
    RecordWriter start = RecordWriter.onHeap().putLong(writer == null ? 0 : writer.position());
    start.putText(writer == null ? "none" : writer.name());
    group.send(start.bytes(), member, START);
    MemorySegment room = buffer;
    while (true) {
      Message message = group.probe(member, Communicator.ANY_TAG);
      room = space.atLeast(room, message.bytes());
      MemorySegment bytes = room.asSlice(0, message.bytes());
      group.receive(bytes, member, message.tag());
      accept(message.tag(), bytes, writer);
      if (message.tag() != BYTES) {
        return room;
      }
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
    Message message = group.probe(0, START);
    byte[] start = Supply.bytes((int) message.bytes());
    group.receive(start, 0, START);
    RecordReader in = RecordReader.of(start, "rank 0 of the group");
    long offset = in.getLongNumber("offset");
    String segment = Names.readCounted(in);
    try (Workspace space = new Workspace()) {
      Sending sending = new Sending(group, space.allocate(Math.min(BUFFER_BYTES, own.mostBytes())));
      own.stream(segment, offset, sending::append);
      sending.flush();
      FlushSource.Outcome outcome = own.outcome();
      Indexed indexed = new Indexed(outcome.references(), outcome.index());
      group.send(indexed.write().bytes(), 0, INDEX);
      return Optional.of(outcome.next());
    } catch (CommunicationException e) {
      throw e;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      // Whatever it is: the leader waits for an answer, and tells it to all ranks.
      group.send(RecordWriter.onHeap().putText(e.toString()).bytes(), 0, FAILED);
      return Optional.empty();
    }
  }

  /** Gathers blocks to large messages. */
  private static final class Sending {
    private final Communicator group;
    private final MemorySegment buffer;
    private long used;

    Sending(Communicator group, MemorySegment buffer) {
      this.group = group;
      this.buffer = buffer;
    }

    void append(MemorySegment bytes) {
      if (used + bytes.byteSize() > buffer.byteSize()) {
        flush();
      }
      if (bytes.byteSize() > buffer.byteSize()) {
        group.send(bytes, 0, BYTES); // more than was expected: damage was found
        return;
      }
      MemorySegment.copy(bytes, 0, buffer, used, bytes.byteSize());
      used += bytes.byteSize();
    }

    void flush() {
      if (used > 0) {
        group.send(buffer.asSlice(0, used), 0, BYTES);
        used = 0;
      }
    }
  }
}
