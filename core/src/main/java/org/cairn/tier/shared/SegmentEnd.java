// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.cairn.record.Digest;
import org.cairn.record.RecordWriter;
import org.cairn.record.SealedRecord;

/**
 * What a segment ends with: footer and tail, see {@link SegmentFormat}.
 *
 * @param footerChecksum the one by which others refer to the segment
 */
record SegmentEnd(MemorySegment bytes, Digest footerChecksum) {
  /**
   * Makes the end of a segment.
   *
   * @param offset where it will lie
   * @param references with size and checksum 0 for the segment itself, which are not known yet
   * @param beginning the digest of header and preamble
   */
  static SegmentEnd of(
      long offset,
      long magic,
      List<Member> members,
      List<Reference> references,
      Digest beginning,
      Optional<SegmentFrames.Place> frames) {
    RecordWriter out = RecordWriter.onHeap().putInt(SegmentFormat.FOOTER_TAG);
    long body = out.begin();
    long field = out.beginField(Member.MEMBERS);
    members.forEach(member -> member.write(out));
    out.end(field);
    field = out.beginField(Member.REFERENCES);
    Reference.write(out, references);
    out.end(field);
    field = out.beginField(Member.BEGINNING);
    beginning.write(out);
    out.end(field);
    if (frames.isPresent()) {
      field = out.beginField(Member.FRAMES);
      frames.get().write(out);
      out.end(field);
    }
    out.end(body).seal();
    Digest checksum = SealedRecord.checksumOf(out.bytes());
    long size = offset + out.position() + SegmentFormat.TAIL_BYTES;
    RecordWriter tail = RecordWriter.onHeap().putLong(offset).putLong(size).seal();
    return new SegmentEnd(out.putBytes(tail.putLong(magic).toArray()).bytes(), checksum);
  }

  /** How many bytes the segment has with it. */
  long sizeWith(long offset) {
    return offset + bytes.byteSize();
  }
}
