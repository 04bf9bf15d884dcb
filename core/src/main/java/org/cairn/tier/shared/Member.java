// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.record.Digest;
import org.cairn.record.Fields;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;

/**
 * What the footer of a segment says of a member.
 *
 * @param offset where its index lies
 * @param length how many bytes that takes, checksum included
 * @param checksum the one at the end of the index
 * @param root the root digest of the member's state
 * @param takenAt when the checkpoint was taken, by the clock of that rank
 * @param verified when its older blocks were all verified since; empty if unknown
 */
record Member(
    int rank,
    long offset,
    long length,
    Digest checksum,
    Digest root,
    Instant takenAt,
    Optional<Instant> verified) {
  // The fields of a footer.
  static final int MEMBERS = 1;
  static final int REFERENCES = 2;
  static final int BEGINNING = 3;
  static final int FRAMES = 4;

  private static final int RANK = 1;
  private static final int OFFSET = 2;
  private static final int LENGTH = 3;
  private static final int CHECKSUM = 4;
  private static final int ROOT = 5;
  private static final int TAKEN_AT = 6;
  private static final int VERIFIED = 7;

  static Member of(MemberIndex index, long offset, long length, Digest checksum) {
    return new Member(
        index.rank(),
        offset,
        length,
        checksum,
        index.root(),
        index.takenAt(),
        index.oldestVerification());
  }

  /** What a manifest has to say about a segment with these members. */
  static Manifest.Group toGroup(
      SharedNames.Segment segment, List<Member> members, List<Reference> references) {
    return new Manifest.Group(
        segment.group(),
        segment.name(),
        members.stream().map(Member::rank).toList(),
        members.stream().map(Member::root).toList(),
        members.stream().map(Member::takenAt).max(Instant::compareTo).orElse(Instant.EPOCH),
        references);
  }

  void write(RecordWriter out) {
    long start = out.begin();
    out.putIntField(RANK, rank).putLongField(OFFSET, offset).putLongField(LENGTH, length);
    long field = out.beginField(CHECKSUM);
    checksum.write(out);
    out.end(field);
    field = out.beginField(ROOT);
    root.write(out);
    out.end(field);
    out.putLongField(TAKEN_AT, takenAt.toEpochMilli());
    verified.ifPresent(time -> out.putLongField(VERIFIED, time.toEpochMilli()));
    out.end(start);
  }

  /** Reads members to the end of a field. */
  static List<Member> read(RecordReader in, long footer) throws IOException {
    List<Member> members = new ArrayList<>();
    while (in.remaining() > 0) {
      Fields fields = Fields.read(in.getCountedRecord());
      fields.requireKnown("a member", RANK, OFFSET, LENGTH, CHECKSUM, ROOT, TAKEN_AT, VERIFIED);
      Optional<RecordReader> verified = fields.find(VERIFIED);
      Member member =
          new Member(
              fields.get(RANK, "rank").getNumber("rank"),
              fields.get(OFFSET, "offset").getLongNumber("offset"),
              fields.get(LENGTH, "length").getLongNumber("length"),
              Digest.read(fields.get(CHECKSUM, "checksum of an index")),
              Digest.read(fields.get(ROOT, "root digest")),
              Instant.ofEpochMilli(fields.get(TAKEN_AT, "time").getLongNumber("time")),
              verified.isEmpty()
                  ? Optional.empty()
                  : Optional.of(Instant.ofEpochMilli(verified.get().getLongNumber("time"))));
      if (member.offset > footer || member.length > footer - member.offset) {
        throw in.corrupt(
            "expected the index of rank %d before the footer, found it at %d"
                .formatted(member.rank, member.offset));
      }
      members.add(member);
    }
    return members;
  }
}
