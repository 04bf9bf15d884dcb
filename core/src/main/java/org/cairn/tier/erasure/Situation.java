// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * What all members of a group have, and what follows from it for an update. All members come to the
 * same conclusions, since all see the same reports.
 *
 * <p>A making of parity is known by its {@link ParityLayout}. It can be built on if the own
 * container of every member still has the version, and if every member can learn where its bytes
 * lay: from its own parity container, or from one of the members after it.
 */
final class Situation {
  private final List<Report> reports;
  private final int parity;

  /**
   * What a member has.
   *
   * @param local the versions of its own container and their root digests
   * @param layouts what its parity container has of the versions
   */
  record Report(Map<VersionId, Digest> local, Map<VersionId, ParityLayout> layouts) {
    byte[] write() {
      RecordWriter out = RecordWriter.onHeap().putInt(local.size());
      local.forEach(
          (id, root) -> {
            id.write(out);
            root.write(out);
          });
      out.putInt(layouts.size());
      layouts.forEach(
          (id, layout) -> {
            id.write(out);
            out.putCounted(layout.write());
          });
      return out.toArray();
    }

    static Report read(byte[] bytes) throws IOException {
      return RecordReader.parse(
          bytes,
          "a report",
          in -> {
            Map<VersionId, Digest> local = new LinkedHashMap<>();
            for (int left = in.getCount(VersionId.BYTES + Digest.BYTES); left > 0; left--) {
              local.put(VersionId.read(in), Digest.read(in));
            }
            Map<VersionId, ParityLayout> layouts = new LinkedHashMap<>();
            for (int left = in.getCount(VersionId.BYTES + 4); left > 0; left--) {
              layouts.put(VersionId.read(in), ParityLayout.read(in.getCountedRecord()));
            }
            return new Report(local, layouts);
          });
    }
  }

  /**
   * Parity of one version, made under one layout.
   *
   * @param holders the members that have their share
   */
  record Making(VersionId version, ParityLayout layout, BitSet holders) {
    /** Who tells a member where its bytes lay; empty if nobody can. */
    Optional<Integer> teacherOf(int member) {
      return ParityLayout.keepersOfMap(
              member, layout.stripes().members(), layout.stripes().parity())
          .stream()
          .filter(holders::get)
          .findFirst();
    }

    boolean isHeldByAll() {
      return holders.cardinality() == layout.members().size();
    }
  }

  Situation(List<Report> reports, int parity) {
    this.reports = reports;
    this.parity = parity;
  }

  /**
   * What an update of a group can build on.
   *
   * @param known parity of the version itself, made by some; null if there is none
   * @param base the newest older parity; null if there is none
   */
  record Footing(@Nullable Making known, @Nullable Making base) {
    /** Whether there is nothing left to do. */
    boolean isEnough() {
      return known != null && known.isHeldByAll();
    }
  }

  /** What an update to a version can build on. */
  Footing footing(VersionId version) {
    return new Footing(making(version), baseFor(version));
  }

  /** The making of a version that an update can build on; null if there is none. */
  private @Nullable Making making(VersionId version) {
    Map<ParityLayout, BitSet> holders = new HashMap<>();
    for (int member = 0; member < reports.size(); member++) {
      ParityLayout layout = reports.get(member).layouts().get(version);
      if (layout != null) {
        holders.computeIfAbsent(layout, _ -> new BitSet()).set(member);
      }
    }
    return holders.entrySet().stream()
        .map(entry -> new Making(version, entry.getKey(), entry.getValue()))
        .filter(this::isUsable)
        .max(
            Comparator.<Making>comparingInt(making -> making.holders.cardinality())
                .thenComparingLong(making -> making.layout.stamp().low()))
        .orElse(null);
  }

  private boolean isUsable(Making making) {
    ParityLayout layout = making.layout;
    if (layout.members().size() != reports.size()
        || layout.stripes().parity() != parity
        || layout.stripes().unit() != ParityLayout.UNIT) {
      return false;
    }
    return IntStream.range(0, reports.size())
        .allMatch(
            member ->
                layout
                        .members()
                        .get(member)
                        .root()
                        .equals(reports.get(member).local().get(making.version))
                    && making.teacherOf(member).isPresent());
  }

  /** The newest making before a version that an update can build on; null if there is none. */
  private @Nullable Making baseFor(VersionId version) {
    TreeSet<VersionId> versions = new TreeSet<>();
    reports.forEach(report -> versions.addAll(report.layouts().keySet()));
    return versions.headSet(version, false).descendingSet().stream()
        .map(this::making)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }
}
