// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.segment;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.TreeMap;
import org.cairn.record.CorruptContainerException;
import org.cairn.store.Store;
import org.cairn.store.StoreFile;
import org.cairn.version.VersionId;

/**
 * What makes the segments of all groups one version: written last, once, and never changed.
 *
 * @param version the version
 * @param takenAt when it was published
 * @param groups its groups, with the segment of each
 * @param references all segments that the version needs, by name
 */
public record Manifest(
    VersionId version, Instant takenAt, List<Group> groups, List<Reference> references) {

  /** No manifest of a job that fits a machine room comes near. */
  private static final long MAX_BYTES = 1L << 30;

  /**
   * One group of ranks.
   *
   * @param group its number
   * @param segment the segment with the indices of its members
   * @param ranks its members
   * @param references the segments that they need; empty in a manifest, which has them for all
   */
  public record Group(int group, String segment, List<Integer> ranks, List<Reference> references) {
    /** Copies the lists. */
    public Group {
      ranks = List.copyOf(ranks);
      references = List.copyOf(references);
    }
  }

  /** Copies the lists. */
  public Manifest {
    groups = List.copyOf(groups);
    references = List.copyOf(references);
  }

  /**
   * The manifest of a version whose groups have finished their segments.
   *
   * @throws IllegalArgumentException if a rank of the version is in no group or in two
   */
  public static Manifest of(VersionId version, Instant takenAt, List<Group> groups) {
    if (!coversAllRanks(version.ranks(), groups)) {
      throw new IllegalArgumentException(
          "the groups %s are not all %d ranks of version %s once"
              .formatted(groups.stream().map(Group::ranks).toList(), version.ranks(), version));
    }
    TreeMap<String, Reference> all = new TreeMap<>();
    for (Group group : groups) {
      for (Reference reference : group.references) {
        all.merge(reference.segment(), reference, Manifest::sum);
      }
    }
    List<Group> bare =
        groups.stream()
            .map(group -> new Group(group.group, group.segment, group.ranks, List.of()))
            .toList();
    return new Manifest(version, takenAt, bare, List.copyOf(all.values()));
  }

  static boolean coversAllRanks(int ranks, List<Group> groups) {
    BitSet seen = new BitSet();
    int count = 0;
    for (Group group : groups) {
      for (int rank : group.ranks) {
        seen.set(rank);
        count++;
      }
    }
    return count == ranks && seen.cardinality() == ranks && seen.length() == ranks;
  }

  private static Reference sum(Reference a, Reference b) {
    return new Reference(a.segment(), Math.max(a.size(), b.size()), a.liveBytes() + b.liveBytes());
  }

  /** The name of its file. */
  public String name() {
    return SegmentFormat.manifestName(version);
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

  /** Writes the file and makes its bytes durable; the name is for the caller. */
  void write(Store store) throws IOException {
    RecordOutput out = new RecordOutput();
    new Header(version, 0, takenAt).write(out, SegmentFormat.MANIFEST_MAGIC);
    out.u32(groups.size());
    for (Group group : groups) {
      out.u32(group.group).text(group.segment).u32(group.ranks.size());
      group.ranks.forEach(out::u32);
    }
    Reference.write(out, references);
    out.checksum();
    try (StoreFile file = store.open(name(), Store.Access.CREATE_NEW)) {
      file.write(0, out.toMemory());
      file.force();
    }
  }

  /**
   * Reads a manifest.
   *
   * @throws CorruptContainerException if it is damaged or still being written
   * @throws org.cairn.record.UnsupportedFormatException if it is none, or of another format version
   */
  public static Manifest read(Store store, String name) throws IOException {
    String location = store.location(name);
    try (StoreFile file = store.open(name, Store.Access.READ)) {
      Header header = Header.read(file, location, SegmentFormat.MANIFEST_MAGIC, "manifest");
      if (file.size() > MAX_BYTES) {
        throw new CorruptContainerException(
            location,
            MAX_BYTES,
            "expected the end of a manifest, found %d bytes".formatted(file.size()));
      }
      RecordInput in = RecordInput.read(file, location, 0, file.size()).verified("manifest");
      in.raw(SegmentFormat.HEADER_BYTES);
      List<Group> groups = readGroups(in);
      List<Reference> references = Reference.read(in);
      in.expectEnd();
      Manifest manifest = new Manifest(header.version(), header.createdAt(), groups, references);
      if (!manifest.name().equals(name)) {
        throw new CorruptContainerException(
            location, 16, "expected %s, found %s".formatted(name, manifest.name()));
      }
      if (!coversAllRanks(header.version().ranks(), groups)) {
        throw in.corrupt("the groups are not all %d ranks".formatted(header.version().ranks()));
      }
      return manifest;
    }
  }

  private static List<Group> readGroups(RecordInput in) throws CorruptContainerException {
    int count = in.count(4 + 5 + 4);
    List<Group> groups = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int group = in.notNegative("group");
      String segment = in.name();
      List<Integer> ranks = new ArrayList<>();
      for (int j = in.count(4); j > 0; j--) {
        ranks.add(in.notNegative("rank"));
      }
      groups.add(new Group(group, segment, ranks, List.of()));
    }
    return groups;
  }
}
