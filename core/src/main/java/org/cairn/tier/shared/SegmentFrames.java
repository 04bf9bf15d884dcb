// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.cairn.CorruptContainerException;
import org.cairn.frame.Effort;
import org.cairn.frame.FrameInfo;
import org.cairn.record.Digest;
import org.cairn.record.Fields;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.record.SealedRecord;
import org.cairn.store.StoreFile;

/**
 * The frames of a segment. Their plain bytes have addresses, as if they lay side by side in the
 * order of the frames: a block in a frame is told by the address of its first byte. Immutable.
 *
 * <pre>
 * Frames → "FRMS" length:u32 Fields checksum      1 (offset:v FrameInfo)*, offsets ascending
 *                                                 2 count:v, of those that one member has
 *                                                 3 (count:v Effort)*, of frames that follow each other
 * </pre>
 *
 * <p>Those in which only one member has blocks come first, if anybody counts them.
 */
public final class SegmentFrames {
  static final SegmentFrames NONE = new SegmentFrames(List.of(), 0);

  private static final int FRAMES = 1;
  private static final int APART = 2;
  private static final int EFFORTS = 3;

  private final List<Frame> frames;
  private final int apart;
  private final long[] addresses;

  /**
   * A frame.
   *
   * @param offset where it lies in the segment
   * @param address that of its first plain byte
   * @param effort how hard it was compressed, and why; empty if nobody told
   */
  public record Frame(long offset, long address, FrameInfo info, Optional<Effort> effort) {
    /** The address behind its last plain byte. */
    public long end() {
      return address + info.plainLength();
    }
  }

  private SegmentFrames(List<Frame> frames, int apart) {
    this.frames = List.copyOf(frames);
    this.apart = apart;
    this.addresses = frames.stream().mapToLong(Frame::address).toArray();
  }

  /** All frames, in the order of their addresses. */
  public List<Frame> all() {
    return frames;
  }

  /** How many of them, from the first on, have blocks of one member each. */
  int apart() {
    return apart;
  }

  /**
   * The frame in which a block lies.
   *
   * @throws CorruptContainerException if it is not in one frame
   */
  Frame of(String location, BlockEntry entry) throws CorruptContainerException {
    int at = Arrays.binarySearch(addresses, entry.offset());
    int found = at >= 0 ? at : -at - 2;
    if (found < 0 || frames.get(found).end() - entry.offset() < entry.storedLength()) {
      throw new CorruptContainerException(
          location,
          -1,
          "a block of %d bytes at address %d is in no frame"
              .formatted(entry.storedLength(), entry.offset()));
    }
    return frames.get(found);
  }

  /** The place of a frame in the list. */
  int indexOf(Frame frame) {
    return Arrays.binarySearch(addresses, frame.address());
  }

  /** Gives the frames in which some of these plain bytes lie. */
  void overlapping(long address, long bytes, Consumer<Frame> consumer) {
    int at = Arrays.binarySearch(addresses, address);
    for (int i = at >= 0 ? at : Math.max(0, -at - 2);
        i < frames.size() && frames.get(i).address() < address + bytes;
        i++) {
      consumer.accept(frames.get(i));
    }
  }

  /** Collects frames while a segment is written. */
  static final class Builder {
    private final List<Frame> frames = new ArrayList<>();
    private long address;
    private long storedBytes;
    private int apart = -1;

    /** The address of the first plain byte of a frame. */
    long add(long offset, FrameInfo info, Optional<Effort> effort) {
      frames.add(new Frame(offset, address, info, effort));
      address += info.plainLength();
      storedBytes += info.storedLength();
      return frames.getLast().address();
    }

    /** Further ones are of several members. */
    void beginMerged() {
      apart = frames.size();
    }

    /** The address that the next one will have. */
    long address() {
      return address;
    }

    long storedBytes() {
      return storedBytes;
    }

    boolean isEmpty() {
      return frames.isEmpty();
    }

    void write(RecordWriter out) {
      out.putInt(SegmentFormat.FRAMES_TAG);
      long body = out.begin();
      long field = out.beginField(FRAMES);
      for (Frame frame : frames) {
        out.putVarint(frame.offset);
        frame.info.write(out);
      }
      out.end(field);
      if (apart >= 0) {
        field = out.beginField(APART);
        out.putVarint(apart);
        out.end(field);
      }
      if (!frames.isEmpty() && frames.stream().allMatch(frame -> frame.effort.isPresent())) {
        field = out.beginField(EFFORTS);
        writeEfforts(out);
        out.end(field);
      }
      out.end(body).seal();
    }

    private void writeEfforts(RecordWriter out) {
      int first = 0;
      for (int i = 1; i <= frames.size(); i++) {
        Optional<Effort> effort = frames.get(first).effort;
        if (i == frames.size() || !frames.get(i).effort.equals(effort)) {
          out.putVarint(i - first);
          effort.orElseThrow().write(out);
          first = i;
        }
      }
    }
  }

  /**
   * Where the record lies, as the footer tells.
   *
   * @param checksum that of the record
   */
  record Place(long offset, long length, Digest checksum) {
    void write(RecordWriter out) {
      out.putLong(offset).putLong(length);
      checksum.write(out);
    }

    static Place read(RecordReader in, long footer) throws CorruptContainerException {
      long offset = in.getLongNumber("offset");
      long length = in.getLongNumber("length");
      Digest checksum = Digest.read(in);
      in.expectEnd();
      if (offset > footer || length > footer - offset) {
        throw in.corrupt("expected a list of frames before the footer, found it at " + offset);
      }
      return new Place(offset, length, checksum);
    }
  }

  static SegmentFrames read(StoreFile file, String location, Place place) throws IOException {
    SealedRecord record =
        SealedRecord.read(
            file, location, place.offset, place.length, SegmentFormat.FRAMES_IN_MEMORY);
    RecordReader in = record.verified("list of frames");
    if (!record.checksum().equals(place.checksum)) {
      throw in.corrupt(
          "expected a list of frames with checksum %s, found another one with %s"
              .formatted(place.checksum, record.checksum()));
    }
    in.expectTag(SegmentFormat.FRAMES_TAG, "a list of frames");
    Fields fields = Fields.read(in.getCountedRecord());
    in.expectEnd();
    fields.requireKnown("the list of frames", FRAMES, APART, EFFORTS);
    List<Frame> all = read(fields.get(FRAMES, "list of frames"), place.offset);
    Optional<RecordReader> efforts = fields.find(EFFORTS);
    if (efforts.isPresent()) {
      readEfforts(efforts.get(), all);
    }
    Optional<RecordReader> apart = fields.find(APART);
    return new SegmentFrames(all, apart.isEmpty() ? 0 : readApart(apart.get(), all.size()));
  }

  private static int readApart(RecordReader in, int frames) throws CorruptContainerException {
    int apart = in.getSmallVarint("a number of frames");
    in.expectEnd();
    if (apart > frames) {
      throw in.corrupt("expected at most %d frames, found %d".formatted(frames, apart));
    }
    return apart;
  }

  private static void readEfforts(RecordReader in, List<Frame> frames)
      throws CorruptContainerException {
    int told = 0;
    while (in.remaining() > 0) {
      int count = in.getSmallVarint("a number of frames");
      Optional<Effort> effort = Optional.of(Effort.read(in));
      if (count < 1 || count > frames.size() - told) {
        throw in.corrupt(
            "expected levels of %d frames, found one of %d behind %d"
                .formatted(frames.size(), count, told));
      }
      for (int end = told + count; told < end; told++) {
        Frame frame = frames.get(told);
        frames.set(told, new Frame(frame.offset, frame.address, frame.info, effort));
      }
    }
  }

  private static List<Frame> read(RecordReader in, long end) throws IOException {
    List<Frame> frames = new ArrayList<>();
    long behind = 0;
    long address = 0;
    while (in.remaining() > 0) {
      long offset = in.getVarint();
      FrameInfo info = FrameInfo.read(in);
      if (offset < behind || offset > end || info.storedLength() > end - offset) {
        throw in.corrupt(
            "expected a frame between %d and %d, found one of %d bytes at %d"
                .formatted(behind, end, info.storedLength(), offset));
      }
      frames.add(new Frame(offset, address, info, Optional.empty()));
      behind = offset + info.storedLength();
      address += info.plainLength();
    }
    return frames;
  }

  /**
   * Reads the stored bytes of a frame; they have not been verified.
   *
   * @throws CorruptContainerException if they are not all there
   */
  static void read(StoreFile file, String location, Frame frame, MemorySegment target)
      throws IOException {
    long found = file.read(frame.offset, target);
    if (found < target.byteSize()) {
      throw new CorruptContainerException(
          location,
          frame.offset,
          "expected a frame of %d bytes, found %d".formatted(target.byteSize(), found));
    }
  }
}
