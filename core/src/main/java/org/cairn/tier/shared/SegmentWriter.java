// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.cairn.clock.Clock;
import org.cairn.frame.Effort;
import org.cairn.frame.FrameInfo;
import org.cairn.record.Digest;
import org.cairn.record.Feature;
import org.cairn.record.RecordWriter;
import org.cairn.record.SealedRecord;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.supply.Workspace;
import org.cairn.version.Lineage;

/**
 * Writes the segment of one group of one version: blocks in large writes, then what each member
 * has, then the end. Not for use by several threads at a time.
 *
 * <p>A segment is worth nothing until {@link #finish} has returned. Its name is durable only after
 * the directory was forced, which {@link SharedDirectory#publish} does for all groups at once.
 */
public final class SegmentWriter implements AutoCloseable {

  private static final int BUFFER_BYTES = 8 << 20;

  private final Store store;
  private final StoreFile file;
  private final Workspace space = new Workspace();
  private final int room;
  private MemorySegment buffer = MemorySegment.NULL;
  private final SharedNames.Segment identity;
  private final Digest beginning;
  private final Map<String, Reference> referenced = new LinkedHashMap<>();
  private final Map<String, Long> live = new TreeMap<>();
  private final List<Member> members = new ArrayList<>();
  private final Set<Integer> ranks = new HashSet<>();
  private final SegmentFrames.Builder frames = new SegmentFrames.Builder();
  private int buffered;
  private long written;
  private boolean finished;
  private boolean closed;

  private SegmentWriter(
      Store store, StoreFile file, SharedNames.Segment identity, MemorySegment beginning, int room)
      throws IOException {
    this.store = store;
    this.file = file;
    this.identity = identity;
    this.beginning = Digest.of(beginning);
    this.room = room;
    live.put(file.name(), 0L);
  }

  /**
   * Begins the segment of a group.
   *
   * @param lineage of the run that takes the version
   * @throws java.nio.file.FileAlreadyExistsException if there is one already: no name is ever used
   *     twice, so somebody else believes to be this group
   */
  public static SegmentWriter create(
      Store store, Clock clock, SharedNames.Segment identity, Lineage lineage) throws IOException {
    return create(store, clock, identity, lineage, BUFFER_BYTES, List.of());
  }

  /** Begins the same, with blocks in frames. */
  public static SegmentWriter createFramed(
      Store store, Clock clock, SharedNames.Segment identity, Lineage lineage) throws IOException {
    return create(store, clock, identity, lineage, BUFFER_BYTES, List.of(SegmentFormat.FRAMES));
  }

  static SegmentWriter create(
      Store store, Clock clock, SharedNames.Segment identity, Lineage lineage, int bufferBytes)
      throws IOException {
    return create(store, clock, identity, lineage, bufferBytes, List.of());
  }

  private static SegmentWriter create(
      Store store,
      Clock clock,
      SharedNames.Segment identity,
      Lineage lineage,
      int bufferBytes,
      List<Feature> features)
      throws IOException {
    RecordWriter out = RecordWriter.onHeap();
    Header.write(
        out,
        SegmentFormat.magicOf(identity.name()),
        identity.version(),
        identity.token(),
        identity.group(),
        clock.now(),
        lineage,
        features);
    StoreFile file = store.open(identity.name(), Store.Access.CREATE_NEW);
    SegmentWriter writer = new SegmentWriter(store, file, identity, out.bytes(), bufferBytes);
    try {
      writer.append(out.bytes());
    } catch (IOException | RuntimeException | Error e) {
      writer.release();
      throw e;
    }
    return writer;
  }

  /** The name of the segment, for {@link MemberIndex.Builder#segment}. */
  public String name() {
    return file.name();
  }

  /** Where the next bytes will lie. */
  long position() {
    return written + buffered;
  }

  /** Appends the bytes of a block as they are, and gives the offset for its entry. */
  public long append(MemorySegment bytes) throws IOException {
    long offset = position();
    if (bytes.byteSize() > room - buffered) {
      flush();
    }
    if (bytes.byteSize() > room) {
      file.write(written, bytes);
      written += bytes.byteSize();
    } else {
      makeRoom(buffered + bytes.byteSize());
      MemorySegment.copy(bytes, 0, buffer, buffered, bytes.byteSize());
      buffered += (int) bytes.byteSize();
    }
    return offset;
  }

  /**
   * Appends a frame.
   *
   * @param effort for people; empty if nobody knows
   * @return the address of its first plain byte, for {@link MemberIndex.Builder#addFramed}
   */
  public long append(FrameInfo info, Optional<Effort> effort, MemorySegment stored)
      throws IOException {
    return frames.add(append(stored), info, effort);
  }

  /** The address that the first plain byte of the next frame will have. */
  long address() {
    return frames.address();
  }

  /** All frames from here on have blocks of several members. */
  void beginMerged() {
    frames.beginMerged();
  }

  /** Takes memory as it is needed: many a segment is small. */
  private void makeRoom(long wanted) {
    if (wanted > buffer.byteSize()) {
      MemorySegment larger = space.atLeast(MemorySegment.NULL, wanted);
      MemorySegment.copy(buffer, 0, larger, 0, buffered);
      buffer = larger;
    }
  }

  private void flush() throws IOException {
    file.write(written, buffer.asSlice(0, buffered));
    written += buffered;
    buffered = 0;
  }

  /** Declares that members have blocks in an older segment. */
  public void reference(Reference older) {
    referenced.put(older.segment(), older);
  }

  /**
   * Appends what a member has.
   *
   * @throws IllegalArgumentException if it refers to a segment that is neither this one nor {@link
   *     #reference declared}, or the rank has an index already
   */
  public void addMember(MemberIndex index) throws IOException {
    addMember(index, index.liveBytes());
  }

  /**
   * Appends what a member has.
   *
   * @param needed how many bytes it needs in which segments: an index of changes does not tell
   */
  public void addMember(MemberIndex index, Map<String, Long> needed) throws IOException {
    if (ranks.contains(index.rank())) {
      throw new IllegalArgumentException("rank " + index.rank() + " has an index already");
    }
    index.segments().forEach(this::requireDeclared);
    needed.keySet().forEach(this::requireDeclared);
    index.link().ifPresent(link -> requireDeclared(link.segment()));
    try (RecordWriter out = new RecordWriter()) {
      index.write(out);
      Digest checksum = SealedRecord.checksumOf(out.bytes());
      long offset = append(out.bytes());
      members.add(Member.of(index, offset, out.position(), checksum));
      ranks.add(index.rank());
    }
    needed.forEach((segment, bytes) -> live.merge(segment, bytes, Long::sum));
  }

  private void requireDeclared(String segment) {
    if (!segment.equals(name()) && !referenced.containsKey(segment)) {
      throw new IllegalArgumentException("segment " + segment + " was not declared");
    }
  }

  /**
   * Writes the end, and makes the bytes durable. Nothing can be added afterwards.
   *
   * @return what a manifest has to say about this segment
   */
  public Manifest.Group finish() throws IOException {
    Optional<SegmentFrames.Place> place = writeFrames();
    long offset = position();
    SegmentEnd end =
        SegmentEnd.of(
            offset,
            SegmentFormat.magicOf(name()),
            members,
            references(0, Digest.NONE),
            beginning,
            place);
    append(end.bytes());
    flush();
    file.force();
    finished = true;
    return Member.toGroup(
        identity, members, references(end.sizeWith(offset), end.footerChecksum()));
  }

  private Optional<SegmentFrames.Place> writeFrames() throws IOException {
    if (frames.isEmpty()) {
      return Optional.empty();
    }
    try (RecordWriter out = new RecordWriter()) {
      frames.write(out);
      Digest checksum = SealedRecord.checksumOf(out.bytes());
      return Optional.of(new SegmentFrames.Place(append(out.bytes()), out.position(), checksum));
    }
  }

  private List<Reference> references(long ownSize, Digest ownFooter) {
    List<Reference> all = new ArrayList<>();
    live.forEach(
        (segment, bytes) -> {
          Reference older = referenced.get(segment);
          all.add(
              older == null
                  ? new Reference(segment, ownSize, bytes, ownFooter, frames.storedBytes())
                  : older.needing(bytes));
        });
    return all;
  }

  /** Closes the file; a segment without an end is deleted. Closing twice is fine. */
  @Override
  public void close() throws IOException {
    if (!closed) {
      release();
      if (!finished) {
        store.delete(file.name());
      }
    }
  }

  private void release() throws IOException {
    closed = true;
    space.close();
    file.close();
  }
}
