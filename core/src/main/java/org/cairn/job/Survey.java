// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.cairn.comm.Communicator;
import org.cairn.record.Digest;
import org.cairn.record.RecordReader;
import org.cairn.record.RecordWriter;
import org.cairn.tier.FileNames;
import org.cairn.tier.Fragment;
import org.cairn.tier.SharedNames;
import org.cairn.tier.TierKind;
import org.cairn.version.JobId;
import org.cairn.version.Lineage;
import org.cairn.version.Lives;
import org.cairn.version.Sighting;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/** What all ranks found of jobs of one name, the same list on every rank. */
record Survey(List<Found> found) {
  private static final int MAX_PROBLEM = 1000;

  /** A fragment and the rank that can read it. */
  record Found(int holder, Fragment fragment) {
    /** Whether it is the state of the rank that found it, in that rank's own directory. */
    boolean isOwnState() {
      return fragment.kind() == TierKind.LOCAL
          && fragment.owner() == holder
          && fragment.directory().equals(FileNames.directory(holder));
    }
  }

  /** Exchanges what every rank found; collective. */
  static Survey gather(Communicator comm, List<Fragment> mine) {
    List<Found> all = new ArrayList<>();
    List<byte[]> messages = comm.allGather(encode(mine));
    for (int rank = 0; rank < messages.size(); rank++) {
      try {
        int holder = rank;
        RecordReader.parse(messages.get(rank), "rank " + rank, Survey::decode)
            .forEach(fragment -> all.add(new Found(holder, fragment)));
      } catch (IOException e) {
        throw new IllegalStateException("what rank " + rank + " says it found", e);
      }
    }
    return new Survey(List.copyOf(all));
  }

  /** Which of it belongs together. */
  Lives lives() {
    List<Sighting> seen = new ArrayList<>();
    List<Lineage> lineages = new ArrayList<>();
    for (Found one : found) {
      one.fragment.versions().forEach(held -> seen.add(new Sighting(held.id(), held.takenAt())));
      Lineage lineage = one.fragment.lineage();
      if (lineage != null && !lineages.contains(lineage)) {
        lineages.add(lineage);
      }
    }
    return new Lives(seen, lineages);
  }

  /** Whether there is anything at all that may be, or have been, a saved state. */
  boolean isEmpty() {
    return found.stream().allMatch(one -> one.fragment.state() == Fragment.State.UNFINISHED);
  }

  /** An epoch that nothing found so far bears. */
  long freshEpoch() {
    long fresh = 1;
    for (Found one : found) {
      fresh = Math.max(fresh, one.fragment.epoch() + 1);
      for (VersionId version : one.fragment.ids()) {
        fresh = Math.max(fresh, version.epoch() + 1);
      }
    }
    return fresh;
  }

  /** The largest sequence number that any version bears. */
  long newestSequence() {
    return versions().mapToLong(VersionId::sequence).max().orElse(0);
  }

  private Stream<VersionId> versions() {
    return found.stream().flatMap(one -> one.fragment.ids().stream());
  }

  /**
   * Files of other releases, or of machines of another kind, that must be left to them; those of
   * somebody else's jobs do not matter.
   */
  List<Fragment> foreignReleases() {
    Set<JobId> jobs = new HashSet<>();
    found.stream()
        .flatMap(one -> Optional.ofNullable(one.fragment().lineage()).stream())
        .forEach(lineage -> jobs.add(lineage.job()));
    return found.stream()
        .map(Found::fragment)
        .filter(fragment -> fragment.state() == Fragment.State.FOREIGN_RELEASE)
        .filter(fragment -> jobs.isEmpty() || mayBeOf(fragment, jobs))
        .toList();
  }

  /** Many jobs share a directory: what is not of a job that was found is somebody else's. */
  private static boolean mayBeOf(Fragment fragment, Set<JobId> jobs) {
    return SharedNames.job(fragment.file()).map(jobs::contains).orElse(true);
  }

  // ---------------------------------------------------------------- as messages

  static byte[] encode(List<Fragment> fragments) {
    Map<Lineage, Integer> lineages = new LinkedHashMap<>();
    for (Fragment fragment : fragments) {
      Lineage lineage = fragment.lineage();
      if (lineage != null) {
        lineages.putIfAbsent(lineage, lineages.size());
      }
    }
    RecordWriter out = RecordWriter.onHeap().putInt(lineages.size());
    lineages.keySet().forEach(lineage -> lineage.write(out));
    out.putInt(fragments.size());
    fragments.forEach(fragment -> write(fragment, lineages, out));
    return out.toArray();
  }

  private static void write(Fragment fragment, Map<Lineage, Integer> lineages, RecordWriter out) {
    out.putInt(fragment.kind().number()).putInt(fragment.owner());
    out.putText(fragment.directory()).putText(fragment.file());
    out.putInt(fragment.versions().size());
    for (Fragment.Held held : fragment.versions()) {
      held.id().write(out);
      out.putLong(held.takenAt().toEpochMilli());
      out.putLong(held.digestLow()).putLong(held.digestHigh());
    }
    Fragment.Group group = fragment.group();
    out.putInt(group == null ? 0 : group.members().size());
    if (group != null) {
      group.members().forEach(out::putInt);
      out.putInt(group.lost()).putText(group.stamp());
    }
    Lineage lineage = fragment.lineage();
    out.putLong(fragment.epoch());
    out.putInt(lineage == null ? -1 : Objects.requireNonNull(lineages.get(lineage)));
    out.putInt(fragment.state().number());
    // A message of any length must not make the exchange fail.
    String problem = fragment.problem();
    out.putText(problem.length() > MAX_PROBLEM ? problem.substring(0, MAX_PROBLEM) : problem);
    fragment.mark().write(out);
  }

  static List<Fragment> decode(RecordReader in) throws IOException {
    List<Lineage> lineages = new ArrayList<>();
    for (int left = in.getCount(1); left > 0; left--) {
      lineages.add(Lineage.read(in));
    }
    List<Fragment> fragments = new ArrayList<>();
    for (int left = in.getCount(1); left > 0; left--) {
      fragments.add(read(in, lineages));
    }
    return fragments;
  }

  private static Fragment read(RecordReader in, List<Lineage> lineages) throws IOException {
    TierKind kind = TierKind.ofNumber(in.getInt());
    int owner = in.getInt();
    String directory = in.getText();
    String file = in.getText();
    List<Fragment.Held> versions = new ArrayList<>();
    for (int left = in.getCount(VersionId.BYTES + 24); left > 0; left--) {
      versions.add(
          new Fragment.Held(
              VersionId.read(in), Instant.ofEpochMilli(in.getLong()), in.getLong(), in.getLong()));
    }
    Fragment.Group group = readGroup(in);
    long epoch = in.getLong();
    int lineage = in.getInt();
    if (lineage >= lineages.size()) {
      throw in.corrupt("lineage %d of %d".formatted(lineage, lineages.size()));
    }
    return new Fragment(
        kind,
        owner,
        directory,
        file,
        List.copyOf(versions),
        group,
        epoch,
        lineage < 0 ? null : lineages.get(lineage),
        Fragment.State.of(in.getInt()),
        in.getText(),
        Digest.read(in));
  }

  private static Fragment.@Nullable Group readGroup(RecordReader in) throws IOException {
    List<Integer> members = new ArrayList<>();
    for (int left = in.getCount(4); left > 0; left--) {
      members.add(in.getInt());
    }
    return members.isEmpty()
        ? null
        : new Fragment.Group(List.copyOf(members), in.getInt(), in.getText());
  }
}
