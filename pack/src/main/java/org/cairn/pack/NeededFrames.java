// SPDX-License-Identifier: Apache-2.0
package org.cairn.pack;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.cairn.CorruptContainerException;
import org.cairn.tier.shared.BlockEntry;
import org.cairn.tier.shared.SegmentFrames;
import org.cairn.tier.shared.SegmentReader;

/** The frames, of however many segments, that files of a pack have blocks in. */
final class NeededFrames {
  private final Map<String, Segment> segments = new HashMap<>();

  /** A frame of which something is needed. */
  static final class Needed {
    private final SegmentReader segment;
    private final SegmentFrames.Frame frame;
    private final Set<Long> addresses = new HashSet<>();
    private long live;

    private Needed(SegmentReader segment, SegmentFrames.Frame frame) {
      this.segment = segment;
      this.frame = frame;
    }

    SegmentReader segment() {
      return segment;
    }

    SegmentFrames.Frame frame() {
      return frame;
    }

    /** Plain bytes that are needed; blocks that several files have count once. */
    long live() {
      return live;
    }

    private void add(BlockEntry entry) {
      if (addresses.add(entry.offset())) {
        live += entry.blockLength();
      }
    }

    boolean isHalfLive() {
      return 2 * live >= frame.info().plainLength();
    }

    /** How many of the stored bytes are there for so many plain ones. */
    double share(long plain) {
      return (double) frame.info().storedLength() * plain / frame.info().plainLength();
    }
  }

  /** The frames of one segment. */
  private static final class Segment {
    private final SegmentReader reader;
    private final long[] addresses;
    private final Map<Integer, Needed> needed = new HashMap<>();

    private Segment(SegmentReader reader) {
      this.reader = reader;
      this.addresses =
          reader.frames().all().stream().mapToLong(SegmentFrames.Frame::address).toArray();
    }

    private Needed of(BlockEntry entry) throws CorruptContainerException {
      int at = Arrays.binarySearch(addresses, entry.offset());
      int found = at >= 0 ? at : -at - 2;
      if (found < 0
          || reader.frames().all().get(found).end() - entry.offset() < entry.blockLength()) {
        throw new CorruptContainerException(
            reader.location(),
            -1,
            "a block at address %d is in no frame".formatted(entry.offset()));
      }
      return needed.computeIfAbsent(
          found, number -> new Needed(reader, reader.frames().all().get(number)));
    }
  }

  private NeededFrames() {}

  /** Those that any file of a pack needs. */
  static NeededFrames of(Pack pack) throws IOException {
    return of(pack.members());
  }

  /**
   * Those that some files of a pack need.
   *
   * @throws IOException if one of the segments is not there, or damaged
   */
  static NeededFrames of(Collection<Pack.Member> members) throws IOException {
    NeededFrames frames = new NeededFrames();
    for (Pack.Member member : members) {
      member
          .source()
          .forEachStored(
              (_, _, segment, entry) -> frames.open(member, segment).of(entry).add(entry));
    }
    return frames;
  }

  private Segment open(Pack.Member member, String name) throws IOException {
    Segment segment = segments.get(name);
    if (segment == null) {
      segment = new Segment(member.source().reader(name));
      segments.put(name, segment);
    }
    return segment;
  }

  /** The frame that a needed block lies in. */
  Needed of(String segment, BlockEntry entry) throws IOException {
    Segment found = segments.get(segment);
    if (found == null) {
      throw new IllegalArgumentException("nothing is needed of " + segment);
    }
    return found.of(entry);
  }

  List<Needed> all() {
    List<Needed> all = new ArrayList<>();
    segments.values().forEach(segment -> all.addAll(segment.needed.values()));
    return all;
  }

  /** In how many segments they lie. */
  int segmentCount() {
    return segments.size();
  }

  /** How many bytes have to be read. */
  long storedBytes() {
    return all().stream().mapToLong(one -> one.frame().info().storedLength()).sum();
  }

  /** How many of these are for what is wanted. */
  long liveBytes() {
    return Math.round(all().stream().mapToDouble(one -> one.share(one.live())).sum());
  }
}
