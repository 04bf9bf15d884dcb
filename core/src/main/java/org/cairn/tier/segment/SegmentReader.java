// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.segment;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.cairn.record.CorruptContainerException;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.version.VersionId;

/**
 * Reads one segment. Header, footer and tail have been verified when {@link #open} returns, an
 * index when it is read; the bytes of blocks are for the caller to verify by their digests.
 *
 * <p>Safe for use by many threads.
 */
public final class SegmentReader implements AutoCloseable {

  private static final int MEMBER_BYTES = 4 + 8 + 8;

  private final StoreFile file;
  private final String location;
  private final Header header;
  private final long footer;
  private final long size;
  private final List<SegmentWriter.Member> members;
  private final List<Reference> references;

  private SegmentReader(StoreFile file, String location) throws IOException {
    this.file = file;
    this.location = location;
    this.header = Header.read(file, location, SegmentFormat.SEGMENT_MAGIC, "segment");
    checkName();
    this.size = file.size();
    this.footer = readTail();
    long length = size - SegmentFormat.TAIL_BYTES - footer;
    RecordInput in = RecordInput.read(file, location, footer, length).verified("footer");
    in.expectTag(SegmentFormat.FOOTER_TAG, "a footer");
    this.members = readMembers(in);
    this.references = Reference.read(in).stream().map(this::withSize).toList();
    in.expectEnd();
  }

  /**
   * Opens a segment.
   *
   * @throws CorruptContainerException if it is damaged or was never finished
   * @throws org.cairn.record.UnsupportedFormatException if it is no segment, or of another format
   *     version
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

  /** A file that was renamed would stand in for another. */
  private void checkName() throws CorruptContainerException {
    String expected = SegmentFormat.segmentName(header.version(), header.group());
    if (!expected.equals(file.name())) {
      throw new CorruptContainerException(
          location, 16, "expected segment %s, found %s".formatted(file.name(), expected));
    }
  }

  private long readTail() throws IOException {
    long at = size - SegmentFormat.TAIL_BYTES;
    if (at < SegmentFormat.HEADER_BYTES) {
      throw new CorruptContainerException(
          location, size, "expected the rest of a segment, found a file of " + size + " bytes");
    }
    RecordInput in = RecordInput.read(file, location, at, SegmentFormat.TAIL_BYTES - 8);
    in.verified("tail, of a segment that may have been cut off or never finished,");
    long offset = in.u64();
    long expected = in.u64();
    if (expected != size) {
      throw in.corrupt("expected a file of %d bytes, found %d".formatted(expected, size));
    }
    if (offset < SegmentFormat.HEADER_BYTES || offset > at) {
      throw in.corrupt("expected a footer between header and tail, found " + offset);
    }
    checkLastMagic(at + SegmentFormat.TAIL_BYTES - 8);
    return offset;
  }

  private void checkLastMagic(long at) throws IOException {
    byte[] found = new byte[8];
    file.read(at, MemorySegment.ofArray(found));
    RecordOutput expected = new RecordOutput().u64(SegmentFormat.SEGMENT_MAGIC);
    if (MemorySegment.ofArray(found).mismatch(expected.toMemory()) != -1) {
      throw new CorruptContainerException(
          location, at, "expected the mark of a segment at its end, found another");
    }
  }

  private List<SegmentWriter.Member> readMembers(RecordInput in) throws CorruptContainerException {
    int count = in.count(MEMBER_BYTES);
    List<SegmentWriter.Member> read = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      SegmentWriter.Member member =
          new SegmentWriter.Member(
              in.notNegative("rank"), in.notNegative64("offset"), in.notNegative64("length"));
      if (member.offset() > footer || member.length() > footer - member.offset()) {
        throw in.corrupt(
            "expected the index of rank %d before the footer, found it at %d"
                .formatted(member.rank(), member.offset()));
      }
      read.add(member);
    }
    return read;
  }

  private Reference withSize(Reference reference) {
    return reference.segment().equals(file.name())
        ? new Reference(reference.segment(), size, reference.liveBytes())
        : reference;
  }

  /** The name of the segment. */
  public String name() {
    return file.name();
  }

  /** The version that it was written for. */
  public VersionId version() {
    return header.version();
  }

  /** The group that wrote it. */
  public int group() {
    return header.group();
  }

  /** When it was begun. */
  public Instant createdAt() {
    return header.createdAt();
  }

  /** The bytes of the file. */
  public long size() {
    return size;
  }

  /** The ranks that have an index here. */
  public List<Integer> ranks() {
    return members.stream().map(SegmentWriter.Member::rank).toList();
  }

  /** The segments that the members need, this one included. */
  public List<Reference> references() {
    return references;
  }

  /** What a manifest has to say about this segment. */
  public Manifest.Group toGroup() {
    return new Manifest.Group(group(), name(), ranks(), references);
  }

  /**
   * What a member has.
   *
   * @throws IllegalArgumentException if the rank is no member
   */
  public MemberIndex member(int rank) throws IOException {
    SegmentWriter.Member member =
        members.stream()
            .filter(candidate -> candidate.rank() == rank)
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException("rank %d is not in %s".formatted(rank, location)));
    RecordInput in =
        RecordInput.read(file, location, member.offset(), member.length())
            .verified("index of rank " + rank);
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

  @Override
  public void close() throws IOException {
    file.close();
  }
}
