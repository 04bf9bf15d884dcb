// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.cairn.CorruptContainerException;
import org.cairn.Label;
import org.cairn.record.Digest;
import org.cairn.record.Fields;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.record.SealedRecord;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.version.Lineage;
import org.cairn.version.VersionId;

/**
 * What makes the segments of all groups one version: written last, once, and never changed.
 *
 * @param version the version
 * @param lineage of the run that took it
 * @param publishedAt when it became a version here
 * @param takenAt when the checkpoint was taken, by the latest of the clocks of its ranks
 * @param groups its groups, with the segment of each
 * @param references all segments that the version needs, by name
 * @param label what a person says of the version
 */
public record Manifest(
    VersionId version,
    Lineage lineage,
    Instant publishedAt,
    Instant takenAt,
    List<Group> groups,
    List<Reference> references,
    Label label) {
  private static final int SECTOR = 512;
  private static final int GROUPS = 1;
  private static final int REFERENCES = 2;
  private static final int TAKEN_AT = 3;
  private static final int LABEL = 4;

  /**
   * One group of ranks.
   *
   * @param group its number
   * @param segment the segment with the indices of its members
   * @param ranks its members
   * @param roots the root digests of their states
   * @param takenAt when the checkpoint was taken; the time of all groups in a manifest
   * @param references the segments that they need; empty in a manifest, which has them for all
   */
  public record Group(
      int group,
      String segment,
      List<Integer> ranks,
      List<Digest> roots,
      Instant takenAt,
      List<Reference> references) {
    private static final int GROUP = 1;
    private static final int SEGMENT = 2;
    private static final int RANKS = 3;
    private static final int ROOTS = 4;

    /** Copies the lists. */
    public Group {
      ranks = List.copyOf(ranks);
      roots = List.copyOf(roots);
      takenAt = takenAt.truncatedTo(ChronoUnit.MILLIS);
      references = List.copyOf(references);
      if (ranks.size() != roots.size()) {
        throw new IllegalArgumentException(ranks.size() + " ranks, " + roots.size() + " roots");
      }
    }

    /** What is left of it in a manifest. */
    private Group bare(Instant time) {
      return new Group(group, segment, ranks, roots, time, List.of());
    }

    void write(RecordWriter out) {
      long start = out.begin();
      out.putIntField(GROUP, group);
      long field = out.beginField(SEGMENT);
      out.putBytes(segment.getBytes(StandardCharsets.US_ASCII));
      out.end(field);
      field = out.beginField(RANKS);
      ranks.forEach(out::putInt);
      out.end(field);
      field = out.beginField(ROOTS);
      roots.forEach(root -> root.write(out));
      out.end(field).end(start);
    }

    static Group read(RecordReader in, Instant takenAt, List<Reference> references)
        throws IOException {
      Fields fields = Fields.read(in.getCountedRecord());
      fields.requireKnown("a group", GROUP, SEGMENT, RANKS, ROOTS);
      int group = fields.get(GROUP, "group").getNumber("group");
      String segment = Names.read(fields.get(SEGMENT, "segment"));
      RecordReader list = fields.get(RANKS, "ranks");
      RecordReader digests = fields.get(ROOTS, "root digests");
      List<Integer> ranks = new ArrayList<>();
      List<Digest> roots = new ArrayList<>();
      while (list.remaining() > 0) {
        ranks.add(list.getNumber("rank"));
        roots.add(Digest.read(digests));
      }
      digests.expectEnd();
      return new Group(group, segment, ranks, roots, takenAt, references);
    }
  }

  /** Copies the lists, and keeps times as the file does. */
  public Manifest {
    publishedAt = publishedAt.truncatedTo(ChronoUnit.MILLIS);
    takenAt = takenAt.truncatedTo(ChronoUnit.MILLIS);
    groups = List.copyOf(groups);
    references = List.copyOf(references);
  }

  /**
   * The manifest of a version whose groups have finished their segments.
   *
   * @throws IllegalArgumentException if a rank of the version is in no group or in two
   */
  public static Manifest of(
      VersionId version, Lineage lineage, Instant publishedAt, List<Group> groups) {
    if (!coversAllRanks(version.ranks(), groups)) {
      throw new IllegalArgumentException(
          "the groups %s are not all %d ranks of version %s once"
              .formatted(groups.stream().map(Group::ranks).toList(), version.ranks(), version));
    }
    Instant takenAt =
        groups.stream().map(Group::takenAt).max(Instant::compareTo).orElse(publishedAt);
    TreeMap<String, Reference> all = new TreeMap<>();
    for (Group group : groups) {
      for (Reference reference : group.references) {
        all.merge(reference.segment(), reference, Reference::plus);
      }
    }
    List<Group> bare = groups.stream().map(group -> group.bare(takenAt)).toList();
    return new Manifest(
        version, lineage, publishedAt, takenAt, bare, List.copyOf(all.values()), Label.none());
  }

  /** The same of a version that somebody has said something of. */
  Manifest labelled(Label said) {
    return new Manifest(version, lineage, publishedAt, takenAt, groups, references, said);
  }

  static boolean coversAllRanks(int ranks, List<Group> groups) {
    // Counted first: numbers out of a damaged file must not decide how much memory is taken.
    if (groups.stream().mapToLong(group -> group.ranks.size()).sum() != ranks) {
      return false;
    }
    BitSet seen = new BitSet();
    for (Group group : groups) {
      for (int rank : group.ranks) {
        if (rank >= ranks) {
          return false;
        }
        seen.set(rank);
      }
    }
    return seen.cardinality() == ranks;
  }

  /** The name of its file. */
  public String name() {
    return SharedNames.manifest(version);
  }

  /** The token of the flush that wrote its segments. */
  int token() {
    return SharedNames.segment(groups.getFirst().segment())
        .map(SharedNames.Segment::token)
        .orElse(0);
  }

  /** The group that a rank is in. */
  public Group groupOf(int rank) {
    return groups.stream()
        .filter(group -> group.ranks.contains(rank))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException("version %s has no rank %d".formatted(version, rank)));
  }

  /** The root digest of the state of a rank. */
  public Digest rootOf(int rank) {
    Group group = groupOf(rank);
    return group.roots.get(group.ranks.indexOf(rank));
  }

  /** Writes the file and makes its bytes durable; the name is for the caller. */
  void write(Store store) throws IOException {
    RecordWriter out = RecordWriter.onHeap();
    Header.write(out, SegmentFormat.MANIFEST_MAGIC, version, 0, 0, publishedAt, lineage, List.of());
    out.putInt(SegmentFormat.MANIFEST_TAG);
    long body = out.begin();
    long field = out.beginField(GROUPS);
    groups.forEach(group -> group.write(out));
    out.end(field);
    field = out.beginField(REFERENCES);
    Reference.write(out, references);
    out.end(field);
    out.putLongField(TAKEN_AT, takenAt.toEpochMilli());
    if (!label.isNone()) {
      field = out.beginField(LABEL);
      out.putFields(label.toFields()).end(field);
    }
    out.end(body).seal();
    if (out.position() > SegmentFormat.MAX_MANIFEST_BYTES) {
      throw new IOException(
          "%s would have %d bytes, of %d that it can have; put more ranks into a group (Tiers.sharedGroup)"
              .formatted(store.location(name()), out.position(), SegmentFormat.MAX_MANIFEST_BYTES));
    }
    try (StoreFile file = store.open(name(), Store.Access.CREATE_NEW)) {
      file.write(0, out.bytes());
      file.force();
    }
  }

  /**
   * Reads a manifest.
   *
   * @throws CorruptContainerException if it is damaged or still being written
   * @throws org.cairn.UnsupportedFormatException if it is none, or of another format version
   */
  public static Manifest read(Store store, String name) throws IOException {
    String location = store.location(name);
    try (StoreFile file = store.open(name, Store.Access.READ)) {
      Header header = Header.read(file, location, SegmentFormat.MANIFEST_MAGIC, "manifest");
      long size = file.size();
      if (size > SegmentFormat.MAX_MANIFEST_BYTES) {
        throw new CorruptContainerException(
            location,
            SegmentFormat.MAX_MANIFEST_BYTES,
            "expected the end of a manifest, found %d bytes".formatted(size));
      }
      RecordReader in =
          SealedRecord.read(file, location, 0, size, SegmentFormat.MANIFEST_IN_MEMORY)
              .verified("manifest");
      in.getRecord(header.bytes());
      return readBody(in, header, name);
    }
  }

  /**
   * Whether a manifest is as one whose writer was killed, or whose machine stopped, before it was
   * durable: it ends before it says that it does, or sectors of it were never written. False for
   * one of which bits have changed.
   */
  static boolean isTorn(Store store, String name) throws IOException {
    String location = store.location(name);
    try (StoreFile file = store.open(name, Store.Access.READ)) {
      if (hasUnwrittenSector(file) || Header.isCut(file, location)) {
        return true;
      }
      long begin = Header.read(file, location, SegmentFormat.MANIFEST_MAGIC, "manifest").bytes();
      long body = begin + 2 * Integer.BYTES;
      if (file.size() < body) {
        return true;
      }
      byte[] tagAndLength = new byte[2 * Integer.BYTES];
      file.read(begin, MemorySegment.ofArray(tagAndLength));
      RecordReader in = new RecordReader(MemorySegment.ofArray(tagAndLength), location, begin);
      in.expectTag(SegmentFormat.MANIFEST_TAG, "the body of a manifest");
      return file.size() < body + in.getNumber("length of a manifest") + Digest.BYTES;
    }
  }

  /** No sector of a manifest is nothing but zeros: the last bytes are a checksum. */
  private static boolean hasUnwrittenSector(StoreFile file) throws IOException {
    byte[] sector = new byte[SECTOR];
    byte[] zeros = new byte[SECTOR];
    for (long at = 0; at < file.size(); at += SECTOR) {
      int length = (int) Math.min(SECTOR, file.size() - at);
      file.read(at, MemorySegment.ofArray(sector).asSlice(0, length));
      if (Arrays.equals(sector, 0, length, zeros, 0, length)) {
        return true;
      }
    }
    return false;
  }

  private static Manifest readBody(RecordReader in, Header header, String name) throws IOException {
    in.expectTag(SegmentFormat.MANIFEST_TAG, "the body of a manifest");
    Fields fields = Fields.read(in.getCountedRecord());
    in.expectEnd();
    fields.requireKnown("the manifest", GROUPS, REFERENCES, TAKEN_AT, LABEL);
    Instant takenAt = Instant.ofEpochMilli(fields.get(TAKEN_AT, "time").getLongNumber("time"));
    RecordReader list = fields.get(GROUPS, "list of groups");
    List<Group> groups = new ArrayList<>();
    while (list.remaining() > 0) {
      Group group = Group.read(list, takenAt, List.of());
      if (group.ranks.isEmpty()) {
        throw list.corrupt("group %d has no ranks".formatted(group.group));
      }
      groups.add(group);
    }
    List<Reference> references = Reference.read(fields.get(REFERENCES, "list of segments"));
    Manifest manifest =
        new Manifest(
            header.version(),
            header.lineage(),
            header.createdAt(),
            takenAt,
            groups,
            references,
            readLabel(fields));
    if (!manifest.name().equals(name)) {
      throw new CorruptContainerException(
          in.file(), 16, "expected %s, found %s".formatted(name, manifest.name()));
    }
    if (!coversAllRanks(header.version().ranks(), groups)) {
      throw in.corrupt("the groups are not all %d ranks".formatted(header.version().ranks()));
    }
    return manifest;
  }

  private static Label readLabel(Fields fields) throws IOException {
    Optional<RecordReader> in = fields.find(LABEL);
    if (in.isEmpty()) {
      return Label.none();
    }
    try {
      return Label.of(Fields.read(in.get()).unknown());
    } catch (IllegalArgumentException e) {
      throw in.get().corrupt(String.valueOf(e.getMessage()));
    }
  }
}
