// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.segment;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.cairn.clock.Clock;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.version.VersionId;

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
  private final Arena arena = Arena.ofShared();
  private final MemorySegment buffer;
  private final Map<String, Long> referencedSizes = new LinkedHashMap<>();
  private final Map<String, Long> live = new TreeMap<>();
  private final List<Member> members = new ArrayList<>();
  private int buffered;
  private long written;
  private boolean finished;
  private boolean closed;

  /** Where the index of a member lies. */
  record Member(int rank, long offset, long length) {}

  private SegmentWriter(Store store, StoreFile file, int bufferBytes) {
    this.store = store;
    this.file = file;
    this.buffer = arena.allocate(bufferBytes, 4096);
    live.put(file.name(), 0L);
  }

  /**
   * Begins the segment of a group.
   *
   * @throws java.nio.file.FileAlreadyExistsException if there is one already: versions are never
   *     used twice, so somebody else believes to be this group
   */
  public static SegmentWriter create(Store store, Clock clock, VersionId version, int group)
      throws IOException {
    return create(store, clock, version, group, BUFFER_BYTES);
  }

  static SegmentWriter create(
      Store store, Clock clock, VersionId version, int group, int bufferBytes) throws IOException {
    String name = SegmentFormat.segmentName(version, group);
    SegmentWriter writer =
        new SegmentWriter(store, store.open(name, Store.Access.CREATE_NEW), bufferBytes);
    try {
      Header header = new Header(version, group, clock.now());
      writer.append(header.write(new RecordOutput(), SegmentFormat.SEGMENT_MAGIC).toMemory());
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
    if (bytes.byteSize() > buffer.byteSize() - buffered) {
      flush();
    }
    if (bytes.byteSize() > buffer.byteSize()) {
      file.write(written, bytes);
      written += bytes.byteSize();
    } else {
      MemorySegment.copy(bytes, 0, buffer, buffered, bytes.byteSize());
      buffered += (int) bytes.byteSize();
    }
    return offset;
  }

  private void flush() throws IOException {
    file.write(written, buffer.asSlice(0, buffered));
    written += buffered;
    buffered = 0;
  }

  /** Declares that members have blocks in an older segment of this size. */
  public void reference(String segment, long size) {
    referencedSizes.put(segment, size);
  }

  /**
   * Appends what a member has.
   *
   * @throws IllegalArgumentException if it refers to a segment that is neither this one nor {@link
   *     #reference declared}, or the rank has an index already
   */
  public void addMember(MemberIndex index) throws IOException {
    if (members.stream().anyMatch(member -> member.rank == index.rank())) {
      throw new IllegalArgumentException("rank " + index.rank() + " has an index already");
    }
    for (String segment : index.segments()) {
      if (!segment.equals(name()) && !referencedSizes.containsKey(segment)) {
        throw new IllegalArgumentException("segment " + segment + " was not declared");
      }
    }
    RecordOutput out = new RecordOutput();
    index.write(out);
    members.add(new Member(index.rank(), append(out.toMemory()), out.size()));
    index.liveBytes().forEach((segment, bytes) -> live.merge(segment, bytes, Long::sum));
  }

  /**
   * Writes the end, and makes the bytes durable. Nothing can be added afterwards.
   *
   * @return what a manifest has to say about this segment
   */
  public Manifest.Group finish() throws IOException {
    RecordOutput footer = new RecordOutput().u32(SegmentFormat.FOOTER_TAG).u32(members.size());
    for (Member member : members) {
      footer.u32(member.rank).u64(member.offset).u64(member.length);
    }
    Reference.write(footer, references(0));
    footer.checksum();
    long offset = append(footer.toMemory());
    long size = offset + footer.size() + SegmentFormat.TAIL_BYTES;
    RecordOutput tail = new RecordOutput().u64(offset).u64(size).checksum();
    append(tail.u64(SegmentFormat.SEGMENT_MAGIC).toMemory());
    flush();
    file.force();
    finished = true;
    int group = SegmentFormat.segmentGroup(name());
    List<Integer> ranks = members.stream().map(Member::rank).toList();
    return new Manifest.Group(group, name(), ranks, references(size));
  }

  private List<Reference> references(long ownSize) {
    return live.entrySet().stream()
        .map(
            entry ->
                new Reference(
                    entry.getKey(),
                    referencedSizes.getOrDefault(entry.getKey(), ownSize),
                    entry.getValue()))
        .toList();
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
    arena.close();
    file.close();
  }
}
