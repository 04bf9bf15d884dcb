// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.tier.erasure.Situation.Making;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * What is left of a version of a group, and what can be had from it. All processes come to the same
 * conclusions, since all see the same reports.
 *
 * <pre>Message → count:u32 Report{count}
 * Report → member:u32 parts:u32 root? layout?                  parts 1: root, 2: layout</pre>
 *
 * @param reports by member
 */
record Remains(VersionId version, Seats seats, List<Report> reports) {
  /**
   * What there is of a member.
   *
   * @param root the root digest of its state; null if it is lost
   * @param layout what its parity was made under; null if it is lost
   */
  record Report(int member, @Nullable Digest root, @Nullable ParityLayout layout) {
    private static final int LEAST_BYTES = 8;

    private void write(RecordWriter out) {
      out.putInt(member).putInt((root == null ? 0 : 1) + (layout == null ? 0 : 2));
      if (root != null) {
        root.write(out);
      }
      if (layout != null) {
        out.putCounted(layout.write());
      }
    }

    private static Report read(RecordReader in) throws IOException {
      int member = in.getNumber("a member");
      int parts = in.getInt();
      return new Report(
          member,
          (parts & 1) == 0 ? null : Digest.read(in),
          (parts & 2) == 0 ? null : ParityLayout.read(in.getCountedRecord()));
    }

    /** One process may have read the state, and another the parity. */
    private Report and(Report other) {
      return new Report(
          member, root == null ? other.root : root, layout == null ? other.layout : layout);
    }
  }

  /** Puts together what the processes say, all of them. */
  static Remains gather(Council council, VersionId version, Seats seats, Holdings mine)
      throws IOException {
    List<Report> reports = new ArrayList<>();
    for (int member = 0; member < seats.size(); member++) {
      reports.add(new Report(member, null, null));
    }
    for (byte[] said : council.together(() -> write(mine.reports()))) {
      for (Report one : read(said, seats.size())) {
        reports.set(one.member, reports.get(one.member).and(one));
      }
    }
    return new Remains(version, seats, List.copyOf(reports));
  }

  static byte[] write(List<Report> reports) {
    RecordWriter out = RecordWriter.onHeap().putInt(reports.size());
    reports.forEach(report -> report.write(out));
    return out.toArray();
  }

  static List<Report> read(byte[] message, int members) throws IOException {
    return RecordReader.parse(
        message,
        "a report",
        in -> {
          List<Report> reports = new ArrayList<>();
          for (int left = in.getCount(Report.LEAST_BYTES); left > 0; left--) {
            Report report = Report.read(in);
            if (report.member >= members) {
              throw in.corrupt("member %d of %d".formatted(report.member, members));
            }
            reports.add(report);
          }
          return reports;
        });
  }

  /** The parity to decode with; empty if nothing is lost. */
  Optional<Making> choose() throws IOException {
    Map<ParityLayout, BitSet> holders = new HashMap<>();
    for (Report report : reports) {
      ParityLayout layout = report.layout;
      if (layout != null && layout.members().size() == seats.size()) {
        holders.computeIfAbsent(layout, _ -> new BitSet()).set(report.member);
      }
    }
    List<Making> makings =
        holders.entrySet().stream()
            .map(entry -> new Making(version, entry.getKey(), entry.getValue()))
            .sorted(Comparator.comparingLong(making -> making.layout().stamp().low()))
            .toList();
    boolean allThere = reports.stream().map(Report::root).allMatch(Objects::nonNull);
    if (allThere
        && (makings.isEmpty() || makings.stream().anyMatch(making -> lost(making).isEmpty()))) {
      return Optional.empty();
    }
    return Optional.of(
        makings.stream()
            .filter(this::suffices)
            .findFirst()
            .orElseThrow(() -> new IOException(tooMuchIsLost())));
  }

  private boolean suffices(Making making) {
    int lossesBorne = making.layout().stripes().parity();
    return ParityLayout.canRebuild(seats.size(), lossesBorne, there(making), making.holders());
  }

  /** The members whose state is not there as it was when the parity was made. */
  BitSet lost(Making making) {
    BitSet lost = there(making);
    lost.flip(0, seats.size());
    return lost;
  }

  /** The members whose state is there. */
  BitSet there(Making making) {
    BitSet there = new BitSet();
    for (Report report : reports) {
      Digest root = making.layout().members().get(report.member).root();
      there.set(report.member, root.equals(report.root));
    }
    return there;
  }

  private String tooMuchIsLost() {
    return "version %s of ranks %s cannot be rebuilt: there are the states of %s and parity of %s"
        .formatted(
            version,
            seats.members(),
            named(report -> report.root != null),
            named(report -> report.layout != null));
  }

  private List<Integer> named(Predicate<Report> which) {
    return IntStream.range(0, reports.size())
        .filter(member -> which.test(reports.get(member)))
        .mapToObj(seats.members()::get)
        .toList();
  }
}
