// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.cairn.clock.Clock;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.comm.Request;
import org.cairn.frame.Effort;
import org.cairn.frame.FrameInfo;
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
 *                   INDEX   references:counted MemberIndex:counted MemberIndex:counted
 * once it knows the place; the second, which may
 * be empty, for the file of indices alone
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
  private final GroupReport report = new GroupReport();

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

  /**
   * What a rank did.
   *
   * @param message what it says of it to all others: nothing, if another speaks for the group
   */
  record Part(byte[] message, Own own) {
    /** Of a rank that could not do it. */
    static Part failed(Throwable reason) {
      return new Part(GroupReport.failed(reason), Own.NOTHING);
    }
  }

  /**
   * What became of the blocks of one rank.
   *
   * @param scrubbed what was verified on the way; empty if nothing was due
   * @param bytes how many it has added
   * @param next what its next flush can go on from, if this one comes to a good end
   */
  record Own(Optional<ScrubReport> scrubbed, long bytes, Optional<Flushed> next) {
    static final Own NOTHING = new Own(Optional.empty(), 0, Optional.empty());

    private static Own written(Streamed streamed) {
      return new Own(streamed.scrubbed(), streamed.bytes(), Optional.empty());
    }

    Own with(Flushed flushed) {
      return new Own(scrubbed, bytes, Optional.of(flushed));
    }
  }

  // ---------------------------------------------------------------- the leader's part

  /** Writes the segment, and says for the group what has become of it. */
  Part lead(FlushSource source) throws IOException {
    Manifest.Group done = null;
    Own own = Own.NOTHING;
    try (SegmentWriter writer = open();
        IndexFile indices = new IndexFile(shared, clock, identity.forIndices(), lineage);
        Intake intake = new Intake(group, EARLY_BYTES)) {
      String name = writer == null ? "none" : writer.name();
      for (int member = 1; member < group.size(); member++) {
        group.send(RecordWriter.onHeap().putText(name).bytes(), member, START);
      }
      own = takeOwn(source, writer, indices, intake);
      for (int member = 1; member < group.size(); member++) {
        take(member, writer, indices, intake);
      }
      if (report.isGood() && writer != null) {
        done = finish(writer, indices);
      }
    } catch (IOException e) {
      report.failed(e.toString());
    }
    return report.part(done, own);
  }

  static Manifest.Group finish(SegmentWriter writer, IndexFile indices) throws IOException {
    try {
      indices.finish().ifPresent(writer::reference);
      return writer.finish();
    } catch (OutOfMemoryError e) {
      throw new IOException(e.toString(), e);
    }
  }

  private @Nullable SegmentWriter open() {
    try {
      return SegmentWriter.create(shared, clock, identity, lineage);
    } catch (IOException | OutOfMemoryError e) {
      report.failed("the segment cannot be created: " + e);
      return null;
    }
  }

  private Own takeOwn(
      FlushSource source, @Nullable SegmentWriter writer, IndexFile indices, Intake intake) {
    if (writer == null) {
      return Own.NOTHING;
    }
    Own own = Own.NOTHING;
    try {
      long start = writer.position();
      Streamed streamed =
          source.stream(
              writer.name(),
              bytes -> {
                writer.append(bytes);
                intake.worked(bytes.byteSize());
              });
      own = Own.written(streamed);
      Streamed.Outcome outcome = streamed.outcome(start);
      addMember(Indexed.of(outcome), writer, indices);
      own = own.with(outcome.next());
    } catch (IOException | IllegalArgumentException | OutOfMemoryError e) {
      report.failed(String.valueOf(e.getMessage()));
    }
    return own;
  }

  /** Takes what a member sends to its end, also if it is of no use any more. */
  private void take(int member, @Nullable SegmentWriter writer, IndexFile indices, Intake intake) {
    long place = writer == null ? 0 : writer.position();
    group.send(RecordWriter.onHeap().putLong(place).bytes(), member, PLACE);
    boolean ended = false;
    while (!ended) {
      Intake.Arrival message = intake.next(member);
      switch (message) {
        case Intake.Taken taken -> {
          accept(taken.tag(), taken.bytes(), writer, indices);
          intake.giveBack(taken);
        }
        case Intake.Dropped dropped ->
            report.failed("the leader has no memory for a message: " + dropped.why().getMessage());
      }
      ended = message.tag() != BYTES;
    }
  }

  private void accept(
      int tag, MemorySegment bytes, @Nullable SegmentWriter writer, IndexFile indices) {
    RecordReader in = new RecordReader(bytes, "a message of a member", 0);
    try {
      if (tag == FAILED) {
        report.failed(in.getText());
      } else if (writer != null && report.isGood()) {
        if (tag == BYTES) {
          writer.append(bytes);
        } else {
          addMember(Indexed.read(in), writer, indices);
        }
      }
    } catch (IOException | IllegalArgumentException | OutOfMemoryError e) {
      report.failed(String.valueOf(e.getMessage()));
    }
  }

  static void addMember(Indexed member, SegmentWriter writer, IndexFile indices)
      throws IOException {
    if (member.apart.isPresent()) {
      indices.add(member.apart.get(), member.references);
    }
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
   * @param apart an index for the file that holds nothing else
   */
  record Indexed(List<Reference> references, MemberIndex index, Optional<MemberIndex> apart) {
    static Indexed of(Streamed.Outcome outcome) {
      return new Indexed(outcome.references(), outcome.index(), outcome.apart());
    }

    RecordWriter write() throws IOException {
      RecordWriter out = RecordWriter.onHeap();
      long field = out.begin();
      Reference.write(out, references);
      out.end(field);
      RecordWriter record = RecordWriter.onHeap();
      index.write(record);
      out.putCounted(record.toArray());
      RecordWriter aside = RecordWriter.onHeap();
      if (apart.isPresent()) {
        apart.get().write(aside);
      }
      return out.putCounted(aside.toArray());
    }

    static Indexed read(RecordReader in) throws IOException {
      List<Reference> references = Reference.read(in.getCountedRecord());
      MemberIndex index = index(in.getCounted(), in.file());
      byte[] aside = in.getCounted();
      return new Indexed(
          references,
          index,
          aside.length == 0 ? Optional.empty() : Optional.of(index(aside, in.file())));
    }

    private static MemberIndex index(byte[] record, String file) throws IOException {
      return MemberIndex.read(SealedRecord.of(record, file).verified("index"));
    }
  }

  // ---------------------------------------------------------------- a member's part

  /** Gives the leader what this rank has, or the reason why it cannot. */
  static Part follow(Communicator group, FlushSource source) throws IOException {
    String segment = Names.readCounted(receive(group, START));
    Own own = Own.NOTHING;
    boolean placed = false;
    Sending sending = new Sending(group, Math.min(BUFFER_BYTES, source.mostBytes()));
    try {
      sending.allocate();
      Streamed streamed = source.stream(segment, sending::append);
      own = Own.written(streamed);
      sending.flush();
      long start = receive(group, PLACE).getLongNumber("offset");
      placed = true;
      Streamed.Outcome outcome = streamed.outcome(start);
      group.send(Indexed.of(outcome).write().bytes(), 0, INDEX);
      own = own.with(outcome.next());
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
    return new Part(new byte[0], own);
  }

  static RecordReader receive(Communicator group, int tag) {
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

    /** Sends a frame by itself. */
    void frame(FrameInfo info, Effort effort, MemorySegment stored) {
      start(BYTES);
      RecordWriter head = RecordWriter.onHeap();
      info.write(head);
      effort.write(head);
      used = head.position() + stored.byteSize();
      filling = space.atLeast(filling, used);
      MemorySegment.copy(head.bytes(), 0, filling, 0, head.position());
      MemorySegment.copy(stored, 0, filling, head.position(), stored.byteSize());
      start(FramedFlush.FRAME);
    }

    void append(MemorySegment bytes) {
      if (used + bytes.byteSize() > filling.byteSize()) {
        start(BYTES);
      }
      if (bytes.byteSize() > filling.byteSize()) {
        // More than was expected: damage was found. The bytes are not sent from where they are:
        // should the send be cut short, whoever lent them would free what a transport still reads.
        filling = space.allocate(bytes.byteSize());
      }
      MemorySegment.copy(bytes, 0, filling, used, bytes.byteSize());
      used += bytes.byteSize();
    }

    private void start(int tag) {
      await();
      if (used > 0) {
        inFlight = Optional.of(group.startSend(filling.asSlice(0, used), 0, tag));
        MemorySegment next = other;
        other = filling;
        filling = next;
        used = 0;
      }
    }

    void flush() {
      start(BYTES);
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
