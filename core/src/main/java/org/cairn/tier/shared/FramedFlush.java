// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.cairn.clock.Clock;
import org.cairn.comm.CommunicationException;
import org.cairn.comm.Communicator;
import org.cairn.frame.Effort;
import org.cairn.frame.FrameInfo;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.store.Store;
import org.cairn.version.Lineage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A group of ranks writes one segment of frames. What several of them have is found first; then
 * each makes frames of its large variables, which travel as they will lie; small ones come plain,
 * and the first rank merges them, class by class, as they come. The segment has the frames of one
 * member after those of another, and the merged ones behind them.
 *
 * <pre>
 * leader → member   START   name blocks:u32 bandwidth:u64   where frames go; of how many blocks
 *                                                           digests are wanted
 *                   SHARE   borrowed:counted lent:counted   which blocks it need not give, and the
 *                                                           places of which it has to tell
 *                   PLACE   1:u8 FramePlaces | 0:u8         where its blocks lie, when all are
 *                                                           written; or that nothing came of it
 * member → leader   DIGESTS Digests                         what it has
 *                   FRAME   FrameInfo Effort stored         as many as it takes
 *                   OWN     own:v Variable* position:v*      what follows; where lent blocks lie
 *                   BYTES   blocks                          small variables, by their classes
 *                   END
 *                   INDEX   as without frames, once it knows the places
 *                   FAILED  reason:text                     instead of all that would follow
 * </pre>
 */
final class FramedFlush {
  private static final Logger LOG = LoggerFactory.getLogger(FramedFlush.class);

  private static final int START = 1;
  private static final int BYTES = GroupFlush.BYTES;
  private static final int INDEX = 3;
  private static final int FAILED = 4;
  private static final int PLACE = 5;
  private static final int DIGESTS = 6;
  private static final int SHARE = 7;
  static final int FRAME = 8;
  private static final int OWN = 9;
  private static final int END = 10;
  private static final byte[] NO_SHARE = new byte[8]; // two counts of nothing
  private static final byte[] NOTHING_CAME = new byte[1];
  private static final long EARLY_BYTES = 12 << 20;
  private static final int BUFFER_BYTES = 1 << 20;

  private final Communicator group;
  private final Store shared;
  private final Clock clock;
  private final SharedNames.Segment identity;
  private final Lineage lineage;
  private final Framing framing;
  private final GroupReport report = new GroupReport();

  FramedFlush(
      Communicator group,
      Store shared,
      Clock clock,
      SharedNames.Segment identity,
      Lineage lineage,
      Framing framing) {
    this.group = group;
    this.shared = shared;
    this.clock = clock;
    this.identity = identity;
    this.lineage = lineage;
    this.framing = framing;
  }

  // ---------------------------------------------------------------- the leader's part

  /** Writes the segment, and says for the group what has become of it. */
  GroupFlush.Part lead(FlushSource source) throws IOException {
    try (SegmentWriter writer = open();
        IndexFile indices = new IndexFile(shared, clock, identity.forIndices(), lineage);
        Intake intake = new Intake(group, EARLY_BYTES)) {
      int most = BlockSharing.mostBlocks(group.size());
      for (int member = 1; member < group.size(); member++) {
        RecordWriter out = RecordWriter.onHeap().putText(identity.name()).putInt(most);
        out.putLong(Double.doubleToLongBits(framing.bytesPerSecond()));
        group.send(out.bytes(), member, START);
      }
      framing.begin(framing.bytesPerSecond(), group.size());
      return new Leading(source, writer, indices, intake, most).run();
    } catch (IOException e) {
      report.failed(e.toString());
      return report.part(null, GroupFlush.Own.NOTHING);
    }
  }

  private @Nullable SegmentWriter open() {
    try {
      return SegmentWriter.createFramed(shared, clock, identity, lineage);
    } catch (IOException | OutOfMemoryError e) {
      report.failed("the segment cannot be created: " + e);
      return null;
    }
  }

  /** What a member still has to say, as the leader sees it. */
  private static final class Peer {
    final int member;
    boolean isGone; // it has failed, and says nothing more
    boolean hasEnded; // it waits to hear where its blocks lie
    long start;
    int ownBlocks;
    List<MergedFrames.Variable> variables = List.of();
    long[] lent = {};

    /** A message of which a part was taken; null if there is none. */
    Intake.@Nullable Taken open;

    long taken;

    Peer(int member) {
      this.member = member;
    }
  }

  /** A member cannot go on; that was noted. */
  private static final class MemberFailed extends IOException {
    private static final long serialVersionUID = 1;

    MemberFailed(String reason) {
      super(reason);
    }
  }

  /** One flush, as the leader goes through it. */
  private final class Leading {
    private final FlushSource source;
    private final @Nullable SegmentWriter writer;
    private final IndexFile indices;
    private final Intake intake;
    private final int most;
    private final BlockSharing sharing = new BlockSharing(group.size());
    private final List<Peer> peers = new ArrayList<>();
    private long nanos;
    private long bytes;

    Leading(
        FlushSource source,
        @Nullable SegmentWriter writer,
        IndexFile indices,
        Intake intake,
        int most) {
      this.source = source;
      this.writer = writer;
      this.indices = indices;
      this.intake = intake;
      this.most = most;
      for (int member = 1; member < group.size(); member++) {
        peers.add(new Peer(member));
      }
    }

    GroupFlush.Part run() throws IOException {
      try (FramedStream own = attempt(() -> source.framed(framing))) {
        share(own);
        Peer first = new Peer(0);
        if (own != null) {
          attempt(
              () -> {
                own.writeOwn(this::append);
                first.ownBlocks = own.ownBlocks();
                first.variables = own.variables();
                first.lent = own.lentPositions();
                return own;
              });
        }
        peers.forEach(this::takeFrames);
        MergedFrames merged = merge(own, first);
        peers.forEach(this::takeEnd);
        return finish(own, first, merged);
      }
    }

    /** Gives what comes of it, or null after a failure, which is noted. */
    private <T> @Nullable T attempt(Attempt<T> what) {
      if (!report.isGood()) {
        return null;
      }
      try {
        return what.run();
      } catch (MemberFailed e) {
        return null; // noted before
      } catch (IOException | IllegalArgumentException | OutOfMemoryError e) {
        report.failed(String.valueOf(e.getMessage()));
        return null;
      }
    }

    private void append(FrameInfo info, Effort effort, MemorySegment stored) throws IOException {
      SegmentWriter target = writer;
      if (target == null) {
        throw new IOException("there is no segment");
      }
      long begun = clock.nanos();
      target.append(info, Optional.of(effort), stored);
      nanos += clock.nanos() - begun;
      bytes += stored.byteSize();
      intake.worked(stored.byteSize());
    }

    // -------------------------------------------------------------- what several have

    private void share(@Nullable FramedStream own) {
      attempt(
          () -> {
            if (own != null) {
              RecordWriter out = RecordWriter.onHeap();
              own.tell(out, most);
              sharing.add(0, RecordReader.of(out.toArray(), "the leader"));
            }
            return sharing;
          });
      for (Peer peer : peers) {
        take(peer, DIGESTS, in -> sharing.add(peer.member, in));
      }
      if (own != null) {
        own.share(sharing.of(0).borrowed(), sharing.of(0).lent());
      }
      for (Peer peer : peers) {
        if (!peer.isGone) {
          BlockSharing.Share share = sharing.of(peer.member);
          byte[] told = attempt(() -> share.write(RecordWriter.onHeap()).toArray());
          group.send(told == null ? NO_SHARE : told, peer.member, SHARE);
        }
      }
    }

    // -------------------------------------------------------------- frames and bytes

    /** Takes one message of a member, of this kind, or that it has failed. */
    private void take(Peer peer, int tag, Reading reading) {
      if (!peer.isGone) {
        Intake.Arrival message = intake.next(peer.member);
        accept(peer, message, tag, reading);
      }
    }

    private void accept(Peer peer, Intake.Arrival message, int tag, Reading reading) {
      peer.hasEnded |= message.tag() == END;
      switch (message) {
        case Intake.Taken taken -> {
          RecordReader in = new RecordReader(taken.bytes(), "a message of a member", 0);
          try {
            if (taken.tag() == FAILED) {
              peer.isGone = true;
              report.failed(in.getText());
            } else if (taken.tag() != tag) {
              report.failed(
                  "member %d said %d, expected %d".formatted(peer.member, taken.tag(), tag));
            } else if (report.isGood()) {
              reading.read(in);
            }
          } catch (IOException | IllegalArgumentException | OutOfMemoryError e) {
            report.failed(String.valueOf(e.getMessage()));
          }
          intake.giveBack(taken);
        }
        case Intake.Dropped dropped -> {
          peer.isGone |= dropped.tag() == FAILED;
          report.failed("the leader has no memory for a message: " + dropped.why().getMessage());
        }
      }
    }

    /** Takes the frames of a member, to the word that there are no more. */
    private void takeFrames(Peer peer) {
      SegmentWriter target = writer;
      peer.start = target == null ? 0 : target.address();
      boolean ended = false;
      while (!peer.isGone && !ended) {
        Intake.Arrival message = intake.next(peer.member);
        ended = message.tag() != FRAME;
        if (ended) {
          accept(peer, message, OWN, in -> readOwn(peer, in));
        } else {
          accept(
              peer,
              message,
              FRAME,
              in -> append(FrameInfo.read(in), Effort.read(in), in.getMemory(in.remaining())));
        }
      }
    }

    private static void readOwn(Peer peer, RecordReader in) throws IOException {
      peer.ownBlocks = in.getSmallVarint("a number of blocks");
      peer.variables = MergedFrames.Variable.read(in);
      peer.lent = new long[in.getSmallVarint("a number of blocks")];
      for (int i = 0; i < peer.lent.length; i++) {
        peer.lent[i] = in.getVarint();
      }
    }

    private @Nullable MergedFrames merge(@Nullable FramedStream own, Peer first) {
      SegmentWriter target = writer;
      if (own == null || target == null) {
        return null;
      }
      target.beginMerged();
      List<List<MergedFrames.Variable>> members = new ArrayList<>();
      List<MergedFrames.Source> sources = new ArrayList<>();
      members.add(first.variables);
      sources.add(own.smallBytes());
      for (Peer peer : peers) {
        members.add(peer.variables);
        sources.add(memory -> read(peer, memory));
      }
      MergedFrames merged =
          new MergedFrames(framing, target.address(), members, sources, this::append);
      return attempt(
          () -> {
            merged.run();
            return merged;
          });
    }

    /** Reads bytes of a member's small variables. */
    private void read(Peer peer, MemorySegment target) throws IOException {
      long filled = 0;
      while (filled < target.byteSize()) {
        Intake.Taken message = peer.open == null ? nextBytes(peer) : peer.open;
        long some = Math.min(target.byteSize() - filled, message.bytes().byteSize() - peer.taken);
        MemorySegment.copy(message.bytes(), peer.taken, target, filled, some);
        filled += some;
        peer.taken += some;
        peer.open = message;
        if (peer.taken == message.bytes().byteSize()) {
          intake.giveBack(message);
          peer.open = null;
          peer.taken = 0;
        }
      }
    }

    private Intake.Taken nextBytes(Peer peer) throws IOException {
      Intake.Arrival message = intake.next(peer.member);
      if (message instanceof Intake.Taken taken && taken.tag() == BYTES) {
        return taken;
      }
      accept(peer, message, BYTES, _ -> {});
      throw new MemberFailed("member " + peer.member);
    }

    /** Takes what a member says to its end, also if it is of no use any more. */
    private void takeEnd(Peer peer) {
      if (peer.open != null) {
        intake.giveBack(peer.open);
        peer.open = null;
      }
      while (!peer.isGone && !peer.hasEnded) {
        Intake.Arrival message = intake.next(peer.member);
        boolean idle = !report.isGood() && message.tag() != FAILED;
        accept(peer, message, idle ? message.tag() : END, _ -> {});
      }
    }

    // -------------------------------------------------------------- the end

    private GroupFlush.Part finish(
        @Nullable FramedStream own, Peer first, @Nullable MergedFrames merged) throws IOException {
      GroupFlush.Own mine = GroupFlush.Own.NOTHING;
      List<FramePlaces> places = new ArrayList<>();
      if (own != null && merged != null) {
        attempt(() -> places.addAll(places(first, merged)));
      }
      SegmentWriter target = writer;
      if (own != null && target != null) {
        Streamed.Outcome outcome =
            attempt(
                () -> {
                  Streamed.Outcome done = source.outcome(own, target.name(), places.getFirst());
                  GroupFlush.addMember(GroupFlush.Indexed.of(done), target, indices);
                  return done;
                });
        mine = source.own(own, target.name(), outcome);
      }
      for (Peer peer : peers) {
        tellPlaces(peer, places);
      }
      Manifest.Group done = target == null ? null : attempt(() -> close(target));
      return report.part(done, mine);
    }

    private Manifest.Group close(SegmentWriter target) throws IOException {
      long begun = clock.nanos();
      Manifest.Group done = GroupFlush.finish(target, indices);
      framing.measured(bytes, nanos + clock.nanos() - begun);
      return done;
    }

    private List<FramePlaces> places(Peer first, MergedFrames merged) {
      SegmentWriter target = writer;
      List<LentAddresses> lent = new ArrayList<>();
      long mergedAt =
          (target == null ? 0 : target.address())
              - merged.frames().stream().mapToLong(FrameInfo::plainLength).sum();
      List<Peer> all = new ArrayList<>(peers);
      all.addFirst(first);
      for (Peer peer : all) {
        lent.add(
            new LentAddresses(
                sharing.of(peer.member).lent(),
                peer.lent,
                peer.ownBlocks,
                peer.start,
                merged.parts(peer.member)));
      }
      List<FramePlaces> places = new ArrayList<>();
      for (Peer peer : all) {
        BlockSharing.Share share = sharing.of(peer.member);
        long[] borrowed = new long[share.borrowings()];
        for (int i = 0; i < borrowed.length; i++) {
          borrowed[i] = lent.get(share.lender(i)).of(share.lentOrdinal(i));
        }
        places.add(
            FramePlaces.of(
                peer.start, mergedAt, merged.frames(), merged.parts(peer.member), borrowed));
      }
      return places;
    }

    /** Tells a member where its blocks lie, and takes what it makes of that. */
    private void tellPlaces(Peer peer, List<FramePlaces> places) {
      if (peer.isGone) {
        return;
      }
      // It waits for an answer, also if there is no memory for what was to be said.
      byte[] told =
          attempt(() -> places.get(peer.member).write(RecordWriter.onHeap().putByte(1)).toArray());
      group.send(told == null ? NOTHING_CAME : told, peer.member, PLACE);
      SegmentWriter target = writer;
      if (told != null && target != null) {
        take(peer, INDEX, in -> GroupFlush.addMember(GroupFlush.Indexed.read(in), target, indices));
      }
    }
  }

  /** Reads a message. */
  private interface Reading {
    void read(RecordReader in) throws IOException;
  }

  /** Does something that may fail. */
  private interface Attempt<T> {
    T run() throws IOException;
  }

  // ---------------------------------------------------------------- a member's part

  /** Gives the leader what this rank has, or the reason why it cannot. */
  static GroupFlush.Part follow(Communicator group, FlushSource source, Framing framing)
      throws IOException {
    RecordReader start = GroupFlush.receive(group, START);
    String segment = Names.readCounted(start);
    int most = start.getInt();
    framing.begin(Double.longBitsToDouble(start.getLong()), group.size());
    GroupFlush.Own own = GroupFlush.Own.NOTHING;
    boolean answered = false;
    GroupFlush.Sending sending = new GroupFlush.Sending(group, BUFFER_BYTES);
    try (FramedStream stream = source.framed(framing)) {
      sending.allocate();
      RecordWriter digests = RecordWriter.onHeap();
      stream.tell(digests, most);
      group.send(digests.bytes(), 0, DIGESTS);
      RecordReader share = GroupFlush.receive(group, SHARE);
      stream.share(BitSet.valueOf(share.getCounted()), BitSet.valueOf(share.getCounted()));
      stream.writeOwn(sending::frame);
      sending.flush();
      group.send(own(stream).bytes(), 0, OWN);
      stream.writeSmall(sending::append);
      sending.flush();
      group.send(RecordWriter.onHeap().bytes(), 0, END);
      own = source.own(stream, segment, null);
      RecordReader place = GroupFlush.receive(group, PLACE);
      if (place.getByte() != 0) {
        Streamed.Outcome outcome = source.outcome(stream, segment, FramePlaces.read(place));
        group.send(GroupFlush.Indexed.of(outcome).write().bytes(), 0, INDEX);
        own = source.own(stream, segment, outcome);
      }
      answered = true;
    } catch (CommunicationException e) {
      throw e;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      // Whatever it is: the leader waits for an answer, and tells it to all ranks.
      if (answered) {
        LOG.debug("closed with an error after all was given away", e);
      } else {
        group.send(RecordWriter.onHeap().putText(e.toString()).bytes(), 0, FAILED);
      }
    } finally {
      sending.close();
    }
    return new GroupFlush.Part(new byte[0], own);
  }

  private static RecordWriter own(FramedStream stream) {
    RecordWriter out = RecordWriter.onHeap();
    out.putVarint(stream.ownBlocks());
    MergedFrames.Variable.write(out, stream.variables());
    long[] lent = stream.lentPositions();
    out.putVarint(lent.length);
    for (long position : lent) {
      out.putVarint(position);
    }
    return out;
  }
}
