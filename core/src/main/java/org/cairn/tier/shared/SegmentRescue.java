// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.cairn.CorruptContainerException;
import org.cairn.UnsupportedFormatException;
import org.cairn.frame.FrameInfo;
import org.cairn.frame.FrameProbe;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.record.SealedRecord;
import org.cairn.store.StoreFile;
import org.cairn.version.Lineage;
import org.cairn.version.RunInfo;
import org.cairn.version.VersionHead;
import org.cairn.version.VersionId;

/**
 * Finds what is left of a segment that is damaged where it says what is in it: header, preamble,
 * list of frames, footer, tail, or a part of them that was cut off. Indices and the list of frames
 * are told by their tags and checksums; without the list frames are read one after the other, since
 * each says how long it is. What was lost is made anew around them, in memory.
 *
 * <p>Nothing is believed that a whole segment would not have to prove, too: indices have checksums
 * and root digests, blocks have digests. Records of another segment, which may be the content of a
 * frame, are told apart by their version.
 */
final class SegmentRescue {
  private static final long FIRST_WINDOW = 8 << 20;

  /** No pack of terabytes has more; a file of tiny ones would take all memory. */
  private static final int MOST_FRAMES = 1 << 20;

  private final StoreFile file;
  private final String location;
  private final long size;
  private final RecordSearch search;
  private final Beside beside;
  private final Map<Integer, Member> members = new TreeMap<>();

  /** What members need in other segments. */
  private final Map<String, Reference> others = new TreeMap<>();

  /** Whose indices are looked for; that of the first if the header cannot be read. */
  private Optional<SharedNames.Segment> identity;

  private Instant createdAt = Instant.EPOCH;

  /** Header and preamble, if both are right. */
  private Optional<Header> header = Optional.empty();

  /** Other segments that members may have blocks in. */
  interface Beside {
    /** What can be said of one; empty if it is not there, or damaged itself. */
    Optional<Reference> find(String segment);
  }

  /**
   * A segment that was found again.
   *
   * @param beginning what stands in the place of its first bytes; empty if these are right
   * @param ending what follows its last byte
   */
  record Rescued(String name, long size, MemorySegment beginning, MemorySegment ending) {
    StoreFile mend(StoreFile file) {
      return new MendedFile(file, size, beginning, ending);
    }
  }

  private SegmentRescue(StoreFile file, String location, Beside beside) throws IOException {
    this.file = file;
    this.location = location;
    this.beside = beside;
    this.size = file.size();
    this.search = new RecordSearch(file, location);
    this.identity = readIdentity();
  }

  /**
   * Finds what is left.
   *
   * @return empty if that is nothing
   */
  static Optional<Rescued> rescue(StoreFile file, String location, Beside beside)
      throws IOException {
    return new SegmentRescue(file, location, beside).rescue();
  }

  /** Whether a file ends as segments do, whatever it begins with. */
  static boolean isSegmentByItsEnd(StoreFile file, String location) throws IOException {
    long at = file.size() - SegmentFormat.TAIL_BYTES;
    if (at < 0) {
      return false;
    }
    return hasMagicAt(file, location, file.size() - Long.BYTES)
        && SealedRecord.read(file, location, at, SegmentFormat.TAIL_BYTES - Long.BYTES).isIntact();
  }

  private static boolean hasMagicAt(StoreFile file, String location, long at) throws IOException {
    byte[] magic = new byte[Long.BYTES];
    return at >= 0
        && file.read(at, MemorySegment.ofArray(magic)) == magic.length
        && RecordReader.of(magic, location).getLong() == SegmentFormat.SEGMENT_MAGIC;
  }

  /** Whether what there is of its first bytes is that of a segment. */
  private static boolean beginsLikeOne(StoreFile file) throws IOException {
    byte[] magic = RecordWriter.onHeap().putLong(SegmentFormat.SEGMENT_MAGIC).toArray();
    byte[] found = new byte[(int) Math.min(magic.length, file.size())];
    return found.length > 0
        && file.read(0, MemorySegment.ofArray(found)) == found.length
        && Arrays.equals(found, Arrays.copyOf(magic, found.length));
  }

  /**
   * What is to be said of a file of which nothing was found again.
   *
   * @param why what else would be said
   */
  static IOException hopeless(StoreFile file, String location, IOException why) throws IOException {
    if (hasMagicAt(file, location, file.size() - Long.BYTES)) {
      return why;
    }
    return beginsLikeOne(file)
        ? new CorruptContainerException(
            location,
            file.size(),
            "cut off here, or never written to its end, and nothing can be brought back, for names"
                + " and indices lie at the end; get the file again from where it came from")
        : new UnsupportedFormatException(
            "%s is not a Cairn pack: it neither begins nor ends like one, and has %d bytes"
                .formatted(location, file.size()));
  }

  private Optional<SharedNames.Segment> readIdentity() throws IOException {
    try {
      Header.Fixed header = Header.Fixed.read(file, location);
      createdAt = header.createdAt();
      return Optional.of(new SharedNames.Segment(header.version(), header.token(), header.group()));
    } catch (CorruptContainerException e) {
      return Optional.empty();
    }
  }

  private Optional<Rescued> rescue() throws IOException {
    try {
      header = Optional.of(Header.read(file, location, SegmentFormat.SEGMENT_MAGIC, "segment"));
    } catch (UnsupportedFormatException e) {
      if (e.isOurs()) {
        return Optional.empty(); // what a later release would find in it nobody knows
      }
    } catch (CorruptContainerException e) {
      // Then it is made anew.
    }
    long first = beginningBytes();
    Optional<Rescued> byList = rescueByList(first);
    return byList.isPresent() ? byList : rescueByFrames(first);
  }

  /** Where frames begin, as header or preamble tell; if neither does, they are not read. */
  private long beginningBytes() throws IOException {
    try {
      return Header.Fixed.read(file, location).bytes();
    } catch (CorruptContainerException e) {
      return search
          .at(SegmentFormat.PREAMBLE_TAG, SegmentFormat.HEADER_BYTES, size)
          .map(RecordSearch.Found::end)
          .orElse((long) SegmentFormat.HEADER_BYTES);
    }
  }

  private Optional<Rescued> rescueByList(long first) throws IOException {
    Optional<RecordSearch.Found> list = search.last(SegmentFormat.FRAMES_TAG, first, size);
    if (list.isEmpty()) {
      return Optional.empty();
    }
    RecordSearch.Found found = list.get();
    try {
      SegmentFrames.Place place =
          new SegmentFrames.Place(found.offset(), found.length(), found.record().checksum());
      List<SegmentFrames.Frame> frames = SegmentFrames.read(file, location, place).all();
      long end = frames.isEmpty() ? first : endOf(frames.getLast());
      findMembers(end, found.offset());
      long start = frames.isEmpty() ? end : frames.getFirst().offset();
      return mended(start, bytesOf(frames), Optional.of(place), MemorySegment.NULL);
    } catch (CorruptContainerException e) {
      return Optional.empty();
    }
  }

  private static long endOf(SegmentFrames.Frame frame) {
    return frame.offset() + frame.info().storedLength();
  }

  private static long bytesOf(List<SegmentFrames.Frame> frames) {
    return frames.stream().mapToLong(frame -> frame.info().storedLength()).sum();
  }

  private Optional<Rescued> rescueByFrames(long first) throws IOException {
    SegmentFrames.Builder frames = new SegmentFrames.Builder();
    long end = walk(first, frames);
    findMembers(end, size);
    if (frames.isEmpty()) {
      return mended(first, 0, Optional.empty(), MemorySegment.NULL);
    }
    RecordWriter list = RecordWriter.onHeap();
    frames.write(list);
    SegmentFrames.Place place =
        new SegmentFrames.Place(size, list.position(), SealedRecord.checksumOf(list.bytes()));
    return mended(first, frames.storedBytes(), Optional.of(place), list.bytes());
  }

  /** Reads frames as long as there are some; says where they end. */
  private long walk(long first, SegmentFrames.Builder frames) throws IOException {
    long offset = first;
    try (FrameProbe probe = new FrameProbe()) {
      Walk walk = new Walk(probe);
      Optional<FrameInfo> frame = walk.frameAt(offset);
      for (int count = 0; frame.isPresent() && count < MOST_FRAMES; count++) {
        frames.add(offset, frame.get(), Optional.empty());
        offset += frame.get().storedLength();
        frame = walk.frameAt(offset);
      }
      return offset;
    }
  }

  /** What was read of the file last: frames may be as short as six bytes. */
  private final class Walk {
    private final FrameProbe probe;
    private MemorySegment window = MemorySegment.NULL;
    private long start;

    Walk(FrameProbe probe) {
      this.probe = probe;
    }

    Optional<FrameInfo> frameAt(long offset) throws IOException {
      if (offset >= size || search.at(SegmentFormat.INDEX_TAG, offset, size).isPresent()) {
        return Optional.empty();
      }
      long most = Math.min(size - offset, FrameInfo.MOST_STORED);
      long left = start + window.byteSize() - offset;
      while (true) {
        if (left > 0) {
          Optional<FrameInfo> found =
              probe.probe(window.asSlice(offset - start, left), location, offset);
          if (found.isPresent() || left >= most) {
            return found;
          }
        }
        left = Math.min(most, Math.max(FIRST_WINDOW, 4 * left));
        window = probe.memory(left);
        start = offset;
        file.read(start, window);
      }
    }
  }

  private void findMembers(long from, long end) throws IOException {
    Optional<RecordSearch.Found> found = search.first(SegmentFormat.INDEX_TAG, from, end);
    while (found.isPresent()) {
      take(found.get());
      found = search.first(SegmentFormat.INDEX_TAG, found.get().end(), end);
    }
  }

  private void take(RecordSearch.Found found) throws IOException {
    try {
      MemberIndex index = MemberIndex.read(found.in());
      VersionId version =
          VersionHead.read(MemorySegment.ofArray(index.catalog()), location).info().id();
      if (identity.isEmpty()) {
        identity = Optional.of(identityOf(version, index));
        createdAt = index.takenAt();
      }
      SharedNames.Segment own = identity.get();
      if (own.version().equals(version) && index.link().isEmpty() && findOthers(index, own)) {
        members.putIfAbsent(
            index.rank(),
            Member.of(index, found.offset(), found.length(), found.record().checksum()));
      }
    } catch (CorruptContainerException | UnsupportedFormatException e) {
      // One file less; whoever opens the segment says which.
    }
  }

  /** Whether all is there that a member has elsewhere. */
  private boolean findOthers(MemberIndex index, SharedNames.Segment own) {
    for (String name : index.segments()) {
      if (!name.equals(own.name()) && !others.containsKey(name)) {
        Optional<Reference> found = beside.find(name);
        if (found.isEmpty()) {
          return false;
        }
        others.put(name, found.get());
      }
    }
    return true;
  }

  private static SharedNames.Segment identityOf(VersionId version, MemberIndex index) {
    return index.segments().stream()
        .flatMap(name -> SharedNames.segment(name).stream())
        .filter(segment -> segment.version().equals(version))
        .findFirst()
        .orElse(new SharedNames.Segment(version, 0, 0));
  }

  /**
   * Puts a beginning and an end to what was found.
   *
   * @param start where the first frame lies; a beginning has no more room
   * @param list the list of frames, if it is made anew
   */
  private Optional<Rescued> mended(
      long start, long frameBytes, Optional<SegmentFrames.Place> place, MemorySegment list)
      throws IOException {
    if (members.isEmpty()) {
      return Optional.empty();
    }
    String name = identity.orElseThrow().name();
    MemorySegment beginning = header.isPresent() ? MemorySegment.NULL : newBeginning();
    if (beginning.byteSize() > start) {
      return Optional.empty();
    }
    Digest digest = header.isPresent() ? header.get().digest() : Digest.of(beginning);
    SegmentEnd end =
        SegmentEnd.of(
            size + list.byteSize(),
            SegmentFormat.SEGMENT_MAGIC,
            List.copyOf(members.values()),
            references(new Reference(name, 0, frameBytes, Digest.NONE, frameBytes)),
            digest,
            place);
    RecordWriter ending = RecordWriter.onHeap().putBytes(list.toArray(ValueLayout.JAVA_BYTE));
    ending.putBytes(end.bytes().toArray(ValueLayout.JAVA_BYTE));
    return Optional.of(new Rescued(name, size, beginning, ending.bytes()));
  }

  private List<Reference> references(Reference own) {
    Map<String, Reference> all = new TreeMap<>(others);
    all.put(own.segment(), own);
    return List.copyOf(all.values());
  }

  private MemorySegment newBeginning() throws IOException {
    SharedNames.Segment own = identity.orElseThrow();
    VersionId version = own.version();
    RunInfo run =
        RunInfo.of(
            version.run(),
            createdAt,
            version.ranks(),
            Optional.empty(),
            false,
            List.of(),
            Optional.empty());
    RecordWriter out = RecordWriter.onHeap();
    Header.write(
        out,
        SegmentFormat.SEGMENT_MAGIC,
        version,
        own.token(),
        own.group(),
        createdAt,
        Lineage.beginning(version.job(), "", run),
        List.of(SegmentFormat.FRAMES));
    return out.bytes();
  }
}
