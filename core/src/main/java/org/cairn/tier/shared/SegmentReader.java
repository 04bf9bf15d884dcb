// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.cairn.CorruptContainerException;
import org.cairn.record.Digest;
import org.cairn.record.Fields;
import org.cairn.record.RecordReader;
import org.cairn.record.SealedRecord;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.version.Lineage;
import org.cairn.version.VersionId;

/**
 * Reads one segment. Header, preamble, footer and tail have been verified when {@link #open}
 * returns, an index when it is read; the bytes of blocks are for the caller to verify by their
 * digests.
 *
 * <p>Safe for use by many threads.
 */
public final class SegmentReader implements AutoCloseable {

  private final StoreFile file;
  private final String location;
  private final Header header;
  private final long footer;
  private final Digest footerChecksum;
  private final long size;
  private final List<Member> members;

  /** The same; in a pack there may be thousands. */
  private final Map<Integer, Member> byRank = new HashMap<>();

  private final List<Reference> references;
  private final SegmentFrames frames;

  /** Frames that others have read, by their offsets. */
  private final Map<Long, byte[]> near = new ConcurrentHashMap<>();

  private SegmentReader(StoreFile file, String location) throws IOException {
    this.file = file;
    this.location = location;
    this.header = Header.read(file, location, SegmentFormat.magicOf(file.name()), "segment");
    checkName();
    this.size = file.size();
    this.footer = readTail();
    long length = size - SegmentFormat.TAIL_BYTES - footer;
    SealedRecord record =
        SealedRecord.read(file, location, footer, length, SegmentFormat.FOOTER_IN_MEMORY);
    RecordReader in = record.verified("footer");
    this.footerChecksum = record.checksum();
    in.expectTag(SegmentFormat.FOOTER_TAG, "a footer");
    Fields fields = Fields.read(in.getCountedRecord());
    in.expectEnd();
    fields.requireKnown(
        "the footer", Member.MEMBERS, Member.REFERENCES, Member.BEGINNING, Member.FRAMES);
    checkBeginning(Digest.read(fields.get(Member.BEGINNING, "digest of the header")));
    this.members = Member.read(fields.get(Member.MEMBERS, "list of members"), footer);
    members.forEach(member -> byRank.putIfAbsent(member.rank(), member));
    this.references =
        Reference.read(fields.get(Member.REFERENCES, "list of segments")).stream()
            .map(this::completed)
            .toList();
    this.frames = readFrames(fields.find(Member.FRAMES));
  }

  private SegmentFrames readFrames(Optional<RecordReader> place) throws IOException {
    return place.isEmpty()
        ? SegmentFrames.NONE
        : SegmentFrames.read(file, location, SegmentFrames.Place.read(place.get(), footer));
  }

  /**
   * Opens a segment.
   *
   * @throws CorruptContainerException if it is damaged or was never finished
   * @throws org.cairn.UnsupportedFormatException if it is no segment, or of another format version
   */
  public static SegmentReader open(Store store, String name) throws IOException {
    StoreFile file = store.open(name, Store.Access.READ);
    try {
      return new SegmentReader(file, store.location(name));
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  /**
   * Opens the segment that somebody refers to.
   *
   * @throws CorruptContainerException also if it is another one of the same name
   */
  static SegmentReader open(Store store, Reference expected) throws IOException {
    SegmentReader reader = open(store, expected.segment());
    Optional<String> difference = reader.differsFrom(expected);
    if (difference.isPresent()) {
      reader.close();
      throw new CorruptContainerException(reader.location, reader.footer, difference.get());
    }
    return reader;
  }

  /** In what it is not the segment that somebody refers to. */
  Optional<String> differsFrom(Reference expected) {
    if (size != expected.size()) {
      return Optional.of(
          "expected a segment of %d bytes, found %d bytes".formatted(expected.size(), size));
    }
    if (!footerChecksum.equals(expected.footer())) {
      return Optional.of(
          "expected a segment whose footer has checksum %s, found another one with %s"
              .formatted(expected.footer(), footerChecksum));
    }
    return Optional.empty();
  }

  /** A file that was renamed would stand in for another. */
  private void checkName() throws CorruptContainerException {
    String expected = identity().name();
    if (!expected.equals(file.name())) {
      throw new CorruptContainerException(
          location, 16, "expected segment %s, found %s".formatted(file.name(), expected));
    }
  }

  private void checkBeginning(Digest expected) throws CorruptContainerException {
    if (!expected.equals(header.digest())) {
      throw new CorruptContainerException(
          location,
          0,
          "expected a header with digest %s, found %s".formatted(expected, header.digest()));
    }
  }

  private long readTail() throws IOException {
    long at = size - SegmentFormat.TAIL_BYTES;
    if (at < header.bytes()) {
      throw new CorruptContainerException(
          location, size, "expected the rest of a segment, found a file of " + size + " bytes");
    }
    RecordReader in =
        SealedRecord.read(file, location, at, SegmentFormat.TAIL_BYTES - 8L)
            .verified("tail, of a segment that may have been cut off or never finished,");
    long offset = in.getLong();
    long expected = in.getLong();
    if (expected != size) {
      throw in.corrupt("expected a file of %d bytes, found %d".formatted(expected, size));
    }
    if (offset < header.bytes() || offset > at) {
      throw in.corrupt("expected a footer between header and tail, found " + offset);
    }
    checkLastMagic(at + SegmentFormat.TAIL_BYTES - 8);
    return offset;
  }

  private void checkLastMagic(long at) throws IOException {
    byte[] found = new byte[8];
    file.read(at, MemorySegment.ofArray(found));
    if (RecordReader.of(found, location).getLong() != SegmentFormat.magicOf(file.name())) {
      throw new CorruptContainerException(
          location, at, "expected the mark of a segment at its end, found another");
    }
  }

  /** What was not known yet when the footer was written. */
  private Reference completed(Reference reference) {
    return reference.segment().equals(file.name())
        ? new Reference(
            reference.segment(),
            size,
            reference.liveBytes(),
            footerChecksum,
            reference.frameBytes())
        : reference;
  }

  /** The name of the segment. */
  public String name() {
    return file.name();
  }

  /** Where it lies, for messages. */
  public String location() {
    return location;
  }

  /** What its name says, and its header too. */
  public SharedNames.Segment identity() {
    return new SharedNames.Segment(
        header.version(), header.token(), header.group(), SharedNames.isOfIndices(file.name()));
  }

  /** The version that it was written for. */
  public VersionId version() {
    return header.version();
  }

  /** Where the run that wrote it comes from. */
  public Lineage lineage() {
    return header.lineage();
  }

  /** When it was begun. */
  public Instant createdAt() {
    return header.createdAt();
  }

  /** The bytes of the file. */
  public long size() {
    return size;
  }

  /** The checksum of its footer, which stands for all indices. */
  public Digest footerChecksum() {
    return footerChecksum;
  }

  /** The ranks that have an index here. */
  public List<Integer> ranks() {
    return members.stream().map(Member::rank).toList();
  }

  /** The segments that the members need, this one included. */
  public List<Reference> references() {
    return references;
  }

  /** What a manifest has to say about this segment. */
  public Manifest.Group toGroup() {
    return Member.toGroup(identity(), members, references);
  }

  /** When those blocks were verified that were not for the longest time; empty if unknown. */
  Optional<Instant> oldestVerification() {
    return members.stream().flatMap(member -> member.verified().stream()).min(Instant::compareTo);
  }

  /**
   * What the footer says of a member.
   *
   * @throws IllegalArgumentException if the rank is none
   */
  Member memberInfo(int rank) {
    Member member = byRank.get(rank);
    if (member == null) {
      throw new IllegalArgumentException("rank %d is not in %s".formatted(rank, location));
    }
    return member;
  }

  /**
   * What a member has; if that is a change to something older, only the change.
   *
   * @throws IllegalArgumentException if the rank is no member
   */
  public MemberIndex member(int rank) throws IOException {
    return member(rank, memberInfo(rank).checksum());
  }

  /**
   * What a member has.
   *
   * @param checksum the index that is meant
   * @throws CorruptContainerException also if it is another
   */
  MemberIndex member(int rank, Digest checksum) throws IOException {
    Member member = memberInfo(rank);
    SealedRecord record =
        SealedRecord.read(
            file, location, member.offset(), member.length(), SegmentFormat.INDEX_IN_MEMORY);
    RecordReader in = record.verified("index of rank " + rank);
    if (!record.checksum().equals(checksum)) {
      throw in.corrupt(
          "expected the index of rank %d with checksum %s, found another one with %s"
              .formatted(rank, checksum, record.checksum()));
    }
    MemberIndex index = MemberIndex.read(in);
    if (index.rank() != rank) {
      throw new CorruptContainerException(
          location,
          member.offset(),
          "expected the index of rank %d, found that of rank %d".formatted(rank, index.rank()));
    }
    return index;
  }

  /**
   * Reads the stored bytes of a block of this segment to the beginning of {@code target}. They have
   * not been verified.
   */
  public void read(BlockEntry entry, MemorySegment target) throws IOException {
    if (entry.isZero()) {
      throw new IllegalArgumentException("nothing is stored of a block of zeros");
    }
    long count =
        entry.offset() > footer - entry.storedLength()
            ? 0
            : file.read(entry.offset(), target.asSlice(0, entry.storedLength()));
    if (count < entry.storedLength()) {
      throw new CorruptContainerException(
          location,
          entry.offset(),
          "expected a block of %d bytes, found %d".formatted(entry.storedLength(), count));
    }
  }

  /**
   * Reads stored bytes of blocks that lie side by side. They have not been verified.
   *
   * @return whether all of them are there
   */
  boolean read(long offset, MemorySegment target) throws IOException {
    return offset <= footer - target.byteSize() && file.read(offset, target) == target.byteSize();
  }

  /** The frames in which blocks lie; none in most segments. */
  public SegmentFrames frames() {
    return frames;
  }

  /**
   * Reads the stored bytes of a frame, all that {@code target} has room for. They have not been
   * verified.
   */
  public void read(SegmentFrames.Frame frame, MemorySegment target) throws IOException {
    byte[] known = near.get(frame.offset());
    if (known != null && known.length == target.byteSize()) {
      MemorySegment.copy(known, 0, target, ValueLayout.JAVA_BYTE, 0, known.length);
    } else {
      SegmentFrames.read(file, location, frame, target);
    }
  }

  /** Somebody else has read the frame at this offset: these are its stored bytes. */
  void keep(long offset, byte[] stored) {
    near.put(offset, stored);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
