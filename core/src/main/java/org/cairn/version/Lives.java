// SPDX-License-Identifier: Apache-2.0
package org.cairn.version;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.cairn.record.Digest;

/**
 * Which versions belong together, and which are past: a pure function of what was found, so that
 * all ranks, and people who look at the files, come to the same answer.
 *
 * <p>A <em>life</em> is a run with all it descends from. A run says in its {@link RunInfo} what it
 * left behind: of each other run that it saw, the newest version. Those up to it are <em>past</em>,
 * unless the run descends from them itself; what such a run wrote after it was seen is not. What
 * was left behind by a run of which no version is known does not count, unless a person wanted it
 * so: a start that came to nothing must not cost anybody anything.
 *
 * <p>The number of files decides nothing, and versions are compared within a life only; between
 * lives only the time at which they were taken counts, and then a person is asked.
 */
public final class Lives {
  /** Runs by identity, as told by all lineages that were found. */
  private final Map<RunId, Lineage> lineages = new LinkedHashMap<>();

  private final Map<RunId, RunInfo> runs = new LinkedHashMap<>();
  private final Map<RunId, TreeSet<VersionId>> versions = new TreeMap<>();
  private final Map<VersionId, Instant> taken = new TreeMap<>();
  private final Set<RunId> named = new HashSet<>();
  private final List<Life> current;
  private final List<Life> all;

  /**
   * The lives of what was found.
   *
   * @param seen versions of jobs of one name; of a version found several times the latest time
   *     counts
   * @param found the lineages of all files, also of those that hold no version
   */
  public Lives(Collection<Sighting> seen, Collection<Lineage> found) {
    for (Lineage lineage : found) {
      for (RunInfo run : lineage.runs()) {
        runs.putIfAbsent(run.id(), run);
        run.continues().ifPresent(version -> named.add(version.run()));
        run.leftBehind().forEach(version -> named.add(version.run()));
      }
    }
    for (Lineage lineage : found) {
      lineage.runs().forEach(run -> lineages.computeIfAbsent(run.id(), _ -> of(lineage, run)));
    }
    for (Sighting one : seen) {
      versions.computeIfAbsent(one.id().run(), _ -> new TreeSet<>()).add(one.id());
      taken.merge(one.id(), one.takenAt(), (a, b) -> a.isAfter(b) ? a : b);
      lineages.computeIfAbsent(one.id().run(), _ -> ofStranger(one.id()));
    }
    current = lives(heads(), this::newestPresent);
    all = lives(versions.keySet(), run -> of(run).last());
  }

  /** The lineage of a run, told by that of a later one. */
  private Lineage of(Lineage later, RunInfo run) {
    List<RunInfo> chain = new ArrayList<>();
    Optional<RunInfo> next = Optional.of(run);
    while (next.isPresent() && !chain.contains(next.get())) {
      chain.add(next.get());
      next = next.get().continues().map(version -> runs.get(version.run()));
    }
    return new Lineage(later.job(), later.name(), chain.reversed(), List.of());
  }

  /** A run that no file tells of: it is nobody's ancestor, and nothing is known of its own. */
  private static Lineage ofStranger(VersionId id) {
    RunInfo run =
        RunInfo.of(
            id.run(),
            Instant.EPOCH,
            id.ranks(),
            Optional.empty(),
            false,
            List.of(),
            Optional.empty());
    return Lineage.beginning(id.job(), "", run);
  }

  // ---------------------------------------------------------------- past

  /** Whether a version was left behind by a run that counts and does not descend from it. */
  public boolean isPast(VersionId version) {
    return runs.values().stream()
        .filter(this::counts)
        .anyMatch(run -> leftBehind(run, version) && !includes(run.id(), version));
  }

  private static boolean leftBehind(RunInfo run, VersionId version) {
    return run.leftBehind().stream()
        .anyMatch(
            newest ->
                newest.run().equals(version.run())
                    && newest.job().equals(version.job())
                    && version.compareTo(newest) <= 0);
  }

  private boolean counts(RunInfo run) {
    return run.chosen() || tookVersion(run.id());
  }

  /** Whether a run took a version, be it one that is gone by now. */
  private boolean tookVersion(RunId run) {
    return versions.containsKey(run) || named.contains(run);
  }

  private boolean includes(RunId run, VersionId version) {
    Lineage lineage = lineages.get(run);
    return lineage != null && lineage.includes(version);
  }

  // ---------------------------------------------------------------- lives

  /** Runs with a version that is not past; and those that a person chose to begin with one. */
  private Set<RunId> heads() {
    Set<RunId> heads = new TreeSet<>();
    versions.forEach(
        (run, taken) -> {
          if (taken.stream().anyMatch(version -> !isPast(version))) {
            heads.add(run);
          }
        });
    for (RunInfo run : runs.values()) {
      if (isPendingChoice(run.id())
          && !isFollowed(run.id())
          && run.continues().filter(version -> !isGivenUp(run, version)).isPresent()) {
        heads.add(run.id());
      }
    }
    return heads;
  }

  /** Whether a later run left behind what a person chose before anything came of it. */
  private boolean isGivenUp(RunInfo choice, VersionId version) {
    return runs.values().stream()
        .filter(run -> counts(run) && run.began().isAfter(choice.began()))
        .anyMatch(run -> leftBehind(run, version) && !includes(run.id(), version));
  }

  /** Whether another run that counts has gone on with its life. */
  private boolean isFollowed(RunId run) {
    return runs.values().stream()
        .filter(this::counts)
        .anyMatch(other -> other.follows().filter(run::equals).isPresent());
  }

  /**
   * The lives of runs, without those that have nothing of their own.
   *
   * @param newest of a run that has versions, the one that another must descend from to include it
   */
  private List<Life> lives(Collection<RunId> heads, Function<RunId, VersionId> newest) {
    List<Lineage> tips = new ArrayList<>();
    for (RunId head : heads) {
      if (heads.stream().noneMatch(other -> !other.equals(head) && subsumes(other, head, newest))) {
        tips.add(lineage(head));
      }
    }
    List<Life> lives = new ArrayList<>();
    for (Lineage tip : tips) {
      List<VersionId> mine =
          taken.keySet().stream().filter(tip::includes).sorted(Comparator.reverseOrder()).toList();
      List<VersionId> own =
          mine.stream()
              .filter(
                  version ->
                      tips.stream().noneMatch(other -> other != tip && other.includes(version)))
              .toList();
      if (!mine.isEmpty()) {
        lives.add(new Life(tip, mine, own, newest(own)));
      }
    }
    lives.sort(Comparator.comparing(Life::newest).reversed().thenComparing(Life::id));
    return List.copyOf(lives);
  }

  private Lineage lineage(RunId run) {
    Lineage lineage = lineages.get(run);
    if (lineage == null) {
      throw new IllegalArgumentException("nothing is known of run " + run);
    }
    return lineage;
  }

  private Instant newest(List<VersionId> own) {
    return own.stream()
        .map(version -> taken.getOrDefault(version, Instant.MIN))
        .max(Comparator.naturalOrder())
        .orElse(Instant.MIN);
  }

  /** Whether all that {@code run} has is what {@code other} descends from. */
  private boolean subsumes(RunId other, RunId run, Function<RunId, VersionId> newest) {
    if (versions.containsKey(run)) {
      return includes(other, newest.apply(run));
    }
    // A person's choice that took no version yet: until somebody goes on from there.
    RunInfo choice = runs.get(run);
    if (choice == null || choice.continues().isEmpty()) {
      return true;
    }
    boolean ancestor = lineage(run).descent().stream().anyMatch(one -> one.id().equals(other));
    if (ancestor || !includes(other, choice.continues().get())) {
      return false;
    }
    RunInfo rival = runs.get(other);
    return versions.containsKey(other) || rival != null && rival.began().isAfter(choice.began());
  }

  private TreeSet<VersionId> of(RunId run) {
    return versions.getOrDefault(run, new TreeSet<>());
  }

  /** The newest version of a run that is not past. */
  private VersionId newestPresent(RunId run) {
    return of(run).descendingSet().stream()
        .filter(version -> !isPast(version))
        .findFirst()
        .orElseThrow();
  }

  /** The lives that are not past, the one with the latest version first. */
  public List<Life> current() {
    return current;
  }

  /** All lives, also those that were left behind. */
  public List<Life> all() {
    return all;
  }

  /** All versions of which something was found. */
  public Set<VersionId> versions() {
    return taken.keySet();
  }

  /** When a version was taken. */
  public Instant takenAt(VersionId version) {
    return taken.getOrDefault(version, Instant.MIN);
  }

  // ---------------------------------------------------------------- the next run

  /**
   * What a run leaves behind that continues a version, or begins anew: of every run the newest
   * version found, and what runs before it had left behind; but not what it descends from.
   */
  public List<VersionId> leftBehindBy(Optional<VersionId> continued) {
    Map<RunId, VersionId> newest = new TreeMap<>();
    for (VersionId version : taken.keySet()) {
      newest.merge(version.run(), version, Lives::later);
    }
    runs.values().stream()
        .filter(this::counts)
        .flatMap(run -> run.leftBehind().stream())
        .forEach(version -> newest.merge(version.run(), version, Lives::later));
    return newest.values().stream()
        .filter(version -> continued.isEmpty() || !isAncestor(version, continued.get()))
        .sorted(Comparator.reverseOrder())
        .limit(RunInfo.MAX_LEFT_BEHIND)
        .toList();
  }

  private boolean isAncestor(VersionId version, VersionId continued) {
    return version.run().equals(continued.run())
        ? version.compareTo(continued) <= 0
        : includes(continued.run(), version);
  }

  /** Whether a run that counts left a file of another release behind, as it is. */
  public boolean isLeft(Digest file) {
    return !file.equals(Digest.NONE) && leftFiles().anyMatch(file::equals);
  }

  private Stream<Digest> leftFiles() {
    return runs.values().stream().filter(this::counts).flatMap(run -> run.leftFiles().stream());
  }

  /**
   * Files of other releases that a run leaves behind: those it saw, and what runs before it left.
   */
  public List<Digest> leftFilesBy(Collection<Digest> seen) {
    Set<Digest> files = new LinkedHashSet<>(seen);
    leftFiles().forEach(files::add);
    return files.stream().limit(Math.max(seen.size(), RunInfo.MAX_LEFT_FILES)).toList();
  }

  private static VersionId later(VersionId one, VersionId other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  /**
   * Whether a run is a person's choice that no version tells of yet: whoever goes on with its life
   * must not forget it.
   */
  public boolean isPendingChoice(RunId id) {
    RunInfo run = runs.get(id);
    return run != null && run.chosen() && !tookVersion(id);
  }

  /** All runs of a job that are known. */
  public List<RunInfo> family(JobId job) {
    Set<RunId> mine = new HashSet<>();
    lineages.forEach(
        (run, lineage) -> {
          if (lineage.job().equals(job)) {
            mine.add(run);
          }
        });
    return runs.values().stream().filter(run -> mine.contains(run.id())).toList();
  }
}
