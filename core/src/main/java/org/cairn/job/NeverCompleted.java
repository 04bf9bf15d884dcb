// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.cairn.TierKind;
import org.cairn.store.Directories;
import org.cairn.tier.FileNames;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.version.JobId;
import org.cairn.version.Life;
import org.cairn.version.Lineage;
import org.cairn.version.RunId;
import org.cairn.version.RunInfo;
import org.cairn.version.VersionId;

/**
 * Tells a job that never completed a checkpoint, and so has lost nothing, from one that has: every
 * rank's own container is there and readable, and one of them never held a version.
 *
 * <p>Such a container speaks only for runs in which it was the container of its rank. A run takes
 * versions after all ranks have entered it; so a container that is still in an older run than one
 * with versions was not part of that one, and says nothing.
 */
final class NeverCompleted {
  private final FragmentTable table;
  private final int ranks;
  private final JobId job;

  private NeverCompleted(FragmentTable table, int ranks, JobId job) {
    this.table = table;
    this.ranks = ranks;
    this.job = job;
  }

  /**
   * The lineage to begin again with; empty if something may have been lost. It may have had another
   * number of ranks.
   */
  static Optional<Lineage> find(FragmentTable table) {
    Set<JobId> jobs = new LinkedHashSet<>();
    for (Life life : table.lives().current()) {
      jobs.add(life.lineage().job());
    }
    if (jobs.isEmpty()) {
      table.survey().found().stream()
          .filter(one -> isAtHome(one, one.fragment().owner()))
          .flatMap(one -> Optional.ofNullable(one.fragment().lineage()).stream())
          .filter(lineage -> isPending(table, lineage))
          .forEach(lineage -> jobs.add(lineage.job()));
    }
    if (jobs.size() != 1 || isAnythingUnreadable(table)) {
      return Optional.empty();
    }
    JobId job = jobs.iterator().next();
    Set<Integer> sizes = new TreeSet<>();
    table.survey().found().stream()
        .flatMap(one -> Optional.ofNullable(one.fragment().lineage()).stream())
        .filter(lineage -> lineage.job().equals(job))
        .forEach(lineage -> sizes.add(lineage.run().ranks()));
    // It may have begun with several numbers of ranks, and must have come to nothing with each.
    Optional<Lineage> last = Optional.empty();
    for (int ranks : sizes) {
      Optional<Lineage> never = new NeverCompleted(table, ranks, job).lineage();
      if (never.isEmpty()) {
        return Optional.empty();
      }
      if (last.isEmpty() || never.get().runs().size() > last.get().runs().size()) {
        last = never;
      }
    }
    return last;
  }

  /** Of no life that was left behind: none of its versions is known. */
  private static boolean isPending(FragmentTable table, Lineage lineage) {
    return table.lives().versions().stream()
        .noneMatch(version -> version.job().equals(lineage.job()));
  }

  private static boolean isAnythingUnreadable(FragmentTable table) {
    return table.survey().found().stream()
        .map(Found::fragment)
        .anyMatch(
            fragment ->
                fragment.state() == Fragment.State.UNREADABLE
                    && FileNames.meaning(fragment.file())
                        .filter(name -> name.condition() == FileNames.Condition.DAMAGED)
                        .isEmpty());
  }

  private Optional<Lineage> lineage() {
    List<Fragment> own = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      Optional<Fragment> container = own(rank);
      if (container.isEmpty()) {
        return Optional.empty();
      }
      own.add(container.get());
    }
    Lineage last =
        own.stream()
            .flatMap(fragment -> Optional.ofNullable(fragment.lineage()).stream())
            .max(Comparator.comparingInt(lineage -> lineage.runs().size()))
            .orElseThrow();
    List<RunId> order = last.runs().stream().map(RunInfo::id).toList();
    int newest = newestWithVersions(order);
    boolean unrelated = versions().stream().anyMatch(id -> !order.contains(id.run()));
    boolean continued = last.runs().stream().anyMatch(run -> run.continues().isPresent());
    boolean allTookPart =
        own.stream().allMatch(fragment -> order.indexOf(runOf(fragment)) >= newest);
    boolean oneIsEmpty = own.stream().anyMatch(fragment -> fragment.state() != Fragment.State.USED);
    return !unrelated && !continued && allTookPart && !isInAnyTier() && (oneIsEmpty || newest < 0)
        ? Optional.of(last)
        : Optional.empty();
  }

  /** Tiers get only what all ranks have: a version there was complete, whatever is left of it. */
  private boolean isInAnyTier() {
    return table.survey().found().stream()
        .map(Found::fragment)
        .filter(fragment -> !fragment.kind().equals(TierKind.LOCAL))
        .anyMatch(fragment -> fragment.ids().stream().anyMatch(id -> id.job().equals(job)));
  }

  private static RunId runOf(Fragment fragment) {
    Lineage lineage = fragment.lineage();
    if (lineage == null) {
      throw new IllegalArgumentException("unreadable: " + fragment.file());
    }
    return lineage.run().id();
  }

  /** The container of a rank: the one that knows of most runs, complete or still being made. */
  private Optional<Fragment> own(int rank) {
    return table.ownedBy(rank).stream()
        .filter(one -> isAtHome(one, rank))
        .map(Found::fragment)
        .filter(fragment -> isOfJob(fragment) && fragment.kind().equals(TierKind.LOCAL))
        .max(
            Comparator.<Fragment>comparingInt(fragment -> runs(fragment))
                .thenComparing(fragment -> fragment.state() != Fragment.State.UNFINISHED));
  }

  /** Where the rank keeps its state, or kept it if it is not there now. */
  private static boolean isAtHome(Found one, int rank) {
    String directory = one.fragment().directory();
    return one.isOwnState()
        || one.fragment().kind().equals(TierKind.LOCAL)
            && (directory.endsWith(FileNames.directory(rank))
                || directory.equals(Directories.ROOT));
  }

  private boolean isOfJob(Fragment fragment) {
    Lineage lineage = fragment.lineage();
    return lineage != null && lineage.job().equals(job) && lineage.run().ranks() == ranks;
  }

  private static int runs(Fragment fragment) {
    Lineage lineage = fragment.lineage();
    return lineage == null ? 0 : lineage.runs().size();
  }

  private int newestWithVersions(List<RunId> order) {
    return versions().stream().mapToInt(id -> order.indexOf(id.run())).max().orElse(-1);
  }

  private List<VersionId> versions() {
    return table.lives().versions().stream().filter(id -> id.job().equals(job)).toList();
  }
}
