// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.cairn.frame.FrameInfo;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * Where a member's blocks have come to lie, as the leader of the group tells it.
 *
 * <pre>
 * FramePlaces → start:v mergedAt:v count:v (plain:v stored:v){count}
 *               count:v (length:v address:v){count} count:v address:v{count}
 * </pre>
 *
 * @param start the address of the member's first frame
 * @param mergedAt that of the first frame that several members have blocks in
 * @param mergedPlain how many bytes are in each of these frames
 * @param mergedStored how many each takes
 * @param parts where its small variables lie
 * @param borrowed the addresses of blocks that others have given away
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record FramePlaces(
    long start,
    long mergedAt,
    long[] mergedPlain,
    long[] mergedStored,
    List<Part> parts,
    long[] borrowed) {

  /** So many bytes of a member's small variables lie side by side. */
  record Part(long length, long address) {}

  static FramePlaces of(
      long start, long mergedAt, List<FrameInfo> merged, List<Part> parts, long[] borrowed) {
    return new FramePlaces(
        start,
        mergedAt,
        merged.stream().mapToLong(FrameInfo::plainLength).toArray(),
        merged.stream().mapToLong(FrameInfo::storedLength).toArray(),
        parts,
        borrowed);
  }

  FrameShares merged() {
    return FrameShares.written(mergedAt, mergedPlain, mergedStored);
  }

  /** Goes through the places of small variables. */
  Small small() {
    return new Small(parts);
  }

  /** Goes from block to block. */
  static final class Small {
    private final List<Part> parts;
    private int part;
    private long inPart;

    private Small(List<Part> parts) {
      this.parts = parts;
    }

    /** The address of the next so many bytes, which lie side by side. */
    long next(int bytes) {
      if (part < parts.size() && inPart == parts.get(part).length) {
        part++;
        inPart = 0;
      }
      if (part == parts.size() || parts.get(part).length - inPart < bytes) {
        throw new IllegalArgumentException("the leader has not told where all blocks lie");
      }
      long address = parts.get(part).address + inPart;
      inPart += bytes;
      return address;
    }
  }

  RecordWriter write(RecordWriter out) {
    out.putVarint(start).putVarint(mergedAt).putVarint(mergedPlain.length);
    for (int i = 0; i < mergedPlain.length; i++) {
      out.putVarint(mergedPlain[i]).putVarint(mergedStored[i]);
    }
    out.putVarint(parts.size());
    parts.forEach(part -> out.putVarint(part.length).putVarint(part.address));
    out.putVarint(borrowed.length);
    for (long address : borrowed) {
      out.putVarint(address);
    }
    return out;
  }

  static FramePlaces read(RecordReader in) throws IOException {
    long start = in.getVarint();
    long mergedAt = in.getVarint();
    int frames = count(in, 2);
    long[] plain = new long[frames];
    long[] stored = new long[frames];
    for (int i = 0; i < frames; i++) {
      plain[i] = in.getVarint();
      stored[i] = in.getVarint();
    }
    int count = count(in, 2);
    List<Part> parts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      parts.add(new Part(in.getVarint(), in.getVarint()));
    }
    long[] borrowed = new long[count(in, 1)];
    for (int i = 0; i < borrowed.length; i++) {
      borrowed[i] = in.getVarint();
    }
    return new FramePlaces(start, mergedAt, plain, stored, parts, borrowed);
  }

  private static int count(RecordReader in, int bytesEach) throws IOException {
    int count = in.getSmallVarint("a count");
    if ((long) count * bytesEach > in.remaining()) {
      throw in.corrupt("%d places do not fit their message".formatted(count));
    }
    return count;
  }
}
