// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.cairn.TierKind;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.version.JobId;
import org.cairn.version.Lineage;
import org.cairn.version.Lives;
import org.cairn.version.RunId;
import org.cairn.version.RunInfo;
import org.cairn.version.Sighting;
import org.cairn.version.VersionId;

/**
 * What truly happened, told in a test: runs, what they saw when they began, what they took. Runs
 * make their lineages as jobs do, of what they could see and nothing else.
 */
final class Annals {
  static final int RANKS = 2;

  private final Random random;
  final List<Run> runs = new ArrayList<>();
  private long clock = 1_000_000;

  Annals(long seed) {
    this.random = new Random(seed);
  }

  /** A run, and the truth about it. */
  final class Run {
    final Lineage lineage;
    final List<VersionId> versions = new ArrayList<>();
    final Map<VersionId, Instant> taken = new LinkedHashMap<>();

    /** All that the state of this run was computed from, up to where it began. */
    final Set<VersionId> origins = new LinkedHashSet<>();

    private final long epoch;
    private long sequence;

    private Run(Lineage lineage, long epoch, long sequence) {
      this.lineage = lineage;
      this.epoch = epoch;
      this.sequence = sequence;
    }

    RunInfo info() {
      return lineage.run();
    }

    Run take(int count) {
      for (int i = 0; i < count; i++) {
        VersionId id = new VersionId(lineage.job(), info().id(), epoch, ++sequence, RANKS);
        versions.add(id);
        taken.put(id, Instant.ofEpochMilli(clock++));
      }
      return this;
    }

    VersionId last() {
      return versions.getLast();
    }

    VersionId version(int number) {
      return versions.get(number - 1);
    }

    boolean descendsFrom(VersionId version) {
      return versions.contains(version) || origins.contains(version);
    }
  }

  /** What somebody can see: some versions, and the lineages in the files that hold them. */
  static final class View {
    final List<Sighting> seen = new ArrayList<>();
    final Set<Lineage> lineages = new LinkedHashSet<>();

    View all(Run... runs) {
      for (Run run : runs) {
        lineages.add(run.lineage);
        run.taken.forEach((id, at) -> seen.add(new Sighting(id, at)));
      }
      return this;
    }

    View only(Run run, VersionId... versions) {
      lineages.add(run.lineage);
      for (VersionId id : versions) {
        seen.add(new Sighting(id, run.taken.get(id)));
      }
      return this;
    }

    Lives lives() {
      return new Lives(seen, lineages);
    }
  }

  static View view(Run... runs) {
    return new View().all(runs);
  }

  View everything() {
    return view(runs.toArray(new Run[0]));
  }

  /** A job begins, of a person's will or because there is nothing. */
  Run begin(View seen, boolean chosen) {
    return begin(seen.lives(), Optional.empty(), chosen);
  }

  Run begin() {
    return begin(new View(), false);
  }

  /** A job that never completed a checkpoint begins again. */
  Run again(View seen, Run before) {
    return begin(seen.lives(), Optional.of(before.lineage), false);
  }

  private Run begin(Lives lives, Optional<Lineage> again, boolean chosen) {
    RunInfo info =
        RunInfo.of(
            new RunId(random.nextLong()),
            Instant.ofEpochMilli(clock++),
            RANKS,
            Optional.empty(),
            chosen,
            lives.leftBehindBy(Optional.empty()),
            again.map(lineage -> lineage.run().id()));
    Lineage lineage =
        again
            .map(before -> before.continuedBy(info, lives.family(before.job())))
            .orElseGet(
                () -> Lineage.beginning(new JobId(random.nextLong(), random.nextLong()), "", info));
    return add(new Run(lineage, epoch(lives.versions()), sequence(lives.versions())));
  }

  /** A run that goes on with a version of the life of {@code head}. */
  Run goOn(View seen, Run head, VersionId version, boolean chosen) {
    Lives lives = seen.lives();
    RunInfo info =
        RunInfo.of(
            new RunId(random.nextLong()),
            Instant.ofEpochMilli(clock++),
            RANKS,
            Optional.of(version),
            chosen,
            lives.leftBehindBy(Optional.of(version)),
            Optional.of(head.info().id()));
    Lineage lineage = head.lineage.continuedBy(info, lives.family(head.lineage.job()));
    Run run = add(new Run(lineage, epoch(lives.versions()), sequence(lives.versions())));
    Run taker = taker(version);
    run.origins.addAll(taker.origins);
    taker.versions.stream().filter(id -> id.compareTo(version) <= 0).forEach(run.origins::add);
    return run;
  }

  Run goOn(Run head) {
    return goOn(everything(), head, head.last(), false);
  }

  private Run add(Run run) {
    runs.add(run);
    return run;
  }

  Run taker(VersionId version) {
    return runs.stream()
        .filter(run -> run.info().id().equals(version.run()))
        .findFirst()
        .orElseThrow();
  }

  private static long epoch(Collection<VersionId> seen) {
    return 1 + seen.stream().mapToLong(VersionId::epoch).max().orElse(0);
  }

  private static long sequence(Collection<VersionId> seen) {
    return seen.stream().mapToLong(VersionId::sequence).max().orElse(0);
  }

  // ---------------------------------------------------------------- as ranks find it

  /** A table of the files of ranks. */
  static final class Files {
    private final List<Found> found = new ArrayList<>();

    /** The container of a rank in its own directory, last written by a run. */
    Files state(int rank, Run writer, Annals annals, VersionId... versions) {
      return add(rank, TierKind.LOCAL, rank, writer, annals, versions);
    }

    Files copy(int holder, int rank, Run writer, Annals annals, VersionId... versions) {
      return add(holder, TierKind.PARTNER, rank, writer, annals, versions);
    }

    /** On both ranks. */
    Files everywhere(Run writer, Annals annals, VersionId... versions) {
      return state(0, writer, annals, versions).state(1, writer, annals, versions);
    }

    private Files add(
        int holder, TierKind kind, int owner, Run writer, Annals annals, VersionId... versions) {
      List<Fragment.Held> held = new ArrayList<>();
      for (VersionId id : versions) {
        Instant taken = annals.taker(id).taken.get(id);
        held.addFirst(new Fragment.Held(id, taken, id.sequence(), owner + 1));
      }
      return add(
          holder,
          new Fragment(
              kind,
              owner,
              "rank" + holder,
              "file" + found.size() + ".cairn",
              held,
              null,
              1,
              writer.lineage,
              versions.length == 0 ? Fragment.State.NEVER_USED : Fragment.State.USED,
              ""));
    }

    Files add(int holder, Fragment fragment) {
      found.add(new Found(holder, fragment));
      return this;
    }

    FragmentTable table() {
      return new FragmentTable(RANKS, new Survey(List.copyOf(found)), "");
    }
  }

  static VersionId[] ids(Collection<VersionId> versions) {
    return versions.toArray(new VersionId[0]);
  }
}
