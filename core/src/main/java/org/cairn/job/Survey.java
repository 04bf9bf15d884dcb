// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.cairn.comm.Communicator;
import org.cairn.record.RecordReader;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.tier.TierTypes;
import org.cairn.version.JobId;
import org.cairn.version.Lineage;
import org.cairn.version.Lives;
import org.cairn.version.Sighting;
import org.cairn.version.VersionId;

/** What all ranks found of jobs of one name, the same list on every rank. */
record Survey(List<Found> found) {
  /**
   * Exchanges what every rank found; collective.
   *
   * @param mine what this rank found, a {@link SurveyMessage}
   */
  static Survey gather(Communicator comm, byte[] mine) {
    byte[] all =
        comm.allMerge(
            mine,
            (one, next) -> {
              List<Found> both = new ArrayList<>(read(one));
              both.addAll(read(next));
              return SurveyMessage.write(both);
            });
    return new Survey(List.copyOf(read(all)));
  }

  private static List<Found> read(byte[] message) {
    try {
      return RecordReader.parse(message, "what ranks say they found", SurveyMessage::read);
    } catch (IOException e) {
      throw new IllegalStateException("what ranks say they found", e);
    }
  }

  /** Which of it belongs together. */
  Lives lives() {
    Map<VersionId, Instant> taken = new LinkedHashMap<>();
    // Thousands of files share a few lineages, and a lineage is long to compare.
    Set<Lineage> told = Collections.newSetFromMap(new IdentityHashMap<>());
    Set<Lineage> lineages = new LinkedHashSet<>();
    for (Found one : found) {
      for (Fragment.Held held : one.fragment().versions()) {
        taken.merge(held.id(), held.takenAt(), Survey::later);
      }
      Lineage lineage = one.fragment().lineage();
      if (lineage != null && told.add(lineage)) {
        lineages.add(lineage);
      }
    }
    List<Sighting> seen = new ArrayList<>();
    taken.forEach((version, time) -> seen.add(new Sighting(version, time)));
    return new Lives(seen, lineages);
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  /** Whether there is anything at all that may be, or have been, a saved state. */
  boolean isEmpty() {
    return found.stream().allMatch(one -> one.fragment().state() == Fragment.State.UNFINISHED);
  }

  /** An epoch that nothing found so far bears. */
  long freshEpoch() {
    long fresh = 1;
    for (Found one : found) {
      fresh = Math.max(fresh, one.fragment().epoch() + 1);
      for (VersionId version : one.fragment().ids()) {
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
    return found.stream().flatMap(one -> one.fragment().ids().stream());
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
    return TierTypes.jobOf(fragment.kind(), fragment.file()).map(jobs::contains).orElse(true);
  }
}
