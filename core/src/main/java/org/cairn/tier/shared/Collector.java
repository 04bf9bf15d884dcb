// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.cairn.CorruptContainerException;
import org.cairn.clock.Clock;
import org.cairn.store.Store;
import org.cairn.version.Lineage;
import org.cairn.version.RunId;
import org.cairn.version.RunInfo;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/**
 * Deletes versions of a life beyond the newest few, and segments that no version needs.
 *
 * <p>Assumes that
 *
 * <ol>
 *   <li>whoever collects holds the {@link Lease} of the job, and has no flush under way;
 *   <li>a version refers only to its own segments and to those that its base refers to, and whoever
 *       writes one {@linkplain Claim claims} its base.
 * </ol>
 *
 * <p>Guarantees that
 *
 * <ol>
 *   <li>nothing of another job is touched; no manifest of another life; no segment of a run that
 *       this one does not descend from;
 *   <li>the newest complete versions of the world, as many as are to be kept, stay whole, whenever
 *       a collection is interrupted, by a crash of the machine too; so do those that a person wants
 *       to be kept for ever, also where their manifest is lost and their segments tell;
 *   <li>what any manifest of the job, any segment of another run or any live claim may refer to
 *       stays; where one of them cannot be read, everything does;
 *   <li>nothing is deleted once the lease is lost.
 * </ol>
 */
public final class Collector {

  private final Store store;
  private final int keep;
  private final Permit permit;
  private final ClaimWatch claims;
  private final KnownSegments known;

  /** The references of segments, which never change. */
  private final Map<String, List<String>> references = new HashMap<>();

  /** Versions without a manifest of which it is known that nobody wants them kept. */
  private final Set<VersionId> ordinary = new HashSet<>();

  /** Whether files may still be deleted. */
  interface Permit {
    boolean isGiven() throws IOException;
  }

  /**
   * A collector that keeps so many versions.
   *
   * @param rest how long a claim has to stay unchanged to count as left over
   * @param known what need not be read to find out which versions are whole
   */
  Collector(Store store, Clock clock, int keep, Duration rest, Permit permit, KnownSegments known) {
    if (keep < 1) {
      throw new IllegalArgumentException("at least one version must be kept, not " + keep);
    }
    this.store = store;
    this.keep = keep;
    this.permit = permit;
    this.claims = new ClaimWatch(store, clock, rest);
    this.known = known;
  }

  /**
   * What was done.
   *
   * @param deleted the files that are gone
   * @param obstacle why nothing was collected; empty if nothing stood in the way
   */
  public record Report(List<String> deleted, Optional<String> obstacle) {}

  /** Something that must be understood before anything is deleted. */
  private static final class ObstacleException extends IOException {
    private static final long serialVersionUID = 1L;

    ObstacleException(String message) {
      super(message);
    }
  }

  /** Collects what the life of a run does not need any more, whatever ranks it had. */
  public Report collect(Lineage lineage) throws IOException {
    return collect(lineage, _ -> true, _ -> true);
  }

  /**
   * Collects what the life of a run does not need any more. Versions of its own number of ranks
   * count for themselves.
   *
   * @param oldWorlds whether versions of other numbers of ranks, which it has gone on from, may go
   */
  public Report collect(Lineage lineage, boolean oldWorlds) throws IOException {
    Predicate<VersionId> world = lineage.world();
    return collect(lineage, world, oldWorlds ? _ -> true : world);
  }

  private Report collect(
      Lineage lineage, Predicate<VersionId> counted, Predicate<VersionId> disposable)
      throws IOException {
    List<String> deleted = new ArrayList<>();
    try {
      if (!permit.isGiven()) {
        throw new ObstacleException("the lease of the job is lost");
      }
      List<String> names =
          store.list().stream()
              .filter(name -> SharedNames.job(name).filter(lineage.job()::equals).isPresent())
              .toList();
      Plan plan = plan(lineage, names, counted, disposable);
      if (plan != null) {
        needed(plan, names); // everything that must be read can be, before anything goes
        deleteManifests(plan, deleted);
        deleteSegments(plan, names, deleted);
      }
      return new Report(deleted, Optional.empty());
    } catch (ObstacleException e) {
      return new Report(deleted, Optional.of(String.valueOf(e.getMessage())));
    }
  }

  /**
   * What is known before anything is deleted.
   *
   * @param manifests all that can be read, of all lives
   * @param oldestKept of the versions of this life that stay
   * @param barrier what is not older stays; the oldest kept one, or an older one that is claimed
   * @param damaged versions whose manifest cannot be read, all older than those that are kept
   * @param pinned versions that somebody is comparing with, or wants to be kept for ever
   * @param chain the runs that this one descends from, and itself
   * @param disposable versions of worlds that may go
   */
  private record Plan(
      Lineage lineage,
      TreeMap<VersionId, Manifest> manifests,
      VersionId oldestKept,
      VersionId barrier,
      Set<VersionId> damaged,
      Set<VersionId> pinned,
      Set<RunId> chain,
      Predicate<VersionId> disposable) {
    boolean mayGo(VersionId version) {
      return version.compareTo(barrier) < 0
          && !pinned.contains(version)
          && disposable.test(version);
    }
  }

  /** Nothing if there is nothing to collect yet. */
  private @Nullable Plan plan(
      Lineage lineage,
      List<String> names,
      Predicate<VersionId> counted,
      Predicate<VersionId> disposable)
      throws IOException {
    TreeMap<VersionId, Manifest> manifests = new TreeMap<>();
    Map<VersionId, String> damaged = new TreeMap<>();
    readManifests(names, manifests, damaged);
    List<VersionId> complete = complete(lineage, manifests, counted);
    if (complete.size() < keep) {
      return null;
    }
    VersionId oldestKept = complete.get(keep - 1);
    for (Map.Entry<VersionId, String> one : damaged.entrySet()) {
      requireOlder(one.getKey(), oldestKept, one.getValue());
    }
    Set<RunId> chain = chain(lineage);
    Set<VersionId> pinned = kept(names, manifests, oldestKept, chain);
    VersionId barrier = oldestKept;
    for (ClaimWatch.Found claim : claims.look(lineage.job())) {
      if (!claim.live() || claim.name().run().equals(lineage.run().id())) {
        forget(claim, chain);
        continue;
      }
      if (claim.content().isEmpty()) {
        throw new ObstacleException(claim.name().name() + " cannot be read");
      }
      claim.content().get().base().ifPresent(pinned::add);
      VersionId written = claim.content().get().version();
      barrier = written.compareTo(barrier) < 0 ? written : barrier;
    }
    return new Plan(
        lineage, manifests, oldestKept, barrier, damaged.keySet(), pinned, chain, disposable);
  }

  /** Versions that a person wants to be kept; of those without a manifest their segments tell. */
  private Set<VersionId> kept(
      List<String> names,
      TreeMap<VersionId, Manifest> manifests,
      VersionId oldestKept,
      Set<RunId> chain)
      throws IOException {
    SharedDirectory directory = new SharedDirectory(store);
    Footers footers = new Footers(store);
    for (VersionId version : SharedDirectory.segmentVersions(names)) {
      boolean disposable = version.compareTo(oldestKept) < 0 && chain.contains(version.run());
      if (disposable && !manifests.containsKey(version) && !ordinary.contains(version)) {
        directory
            .reconstruct(version, names, footers)
            .filter(manifest -> manifest.label().kept())
            .ifPresentOrElse(
                manifest -> manifests.put(version, manifest), () -> ordinary.add(version));
      }
    }
    Set<VersionId> kept = new HashSet<>();
    manifests.values().stream()
        .filter(manifest -> manifest.label().kept())
        .forEach(manifest -> kept.add(manifest.version()));
    return kept;
  }

  /** One that cannot be read may refer to anything, unless it is older than all that is kept. */
  private static void requireOlder(VersionId version, VersionId oldestKept, String problem)
      throws ObstacleException {
    if (version.compareTo(oldestKept) >= 0) {
      throw new ObstacleException(problem);
    }
  }

  private void readManifests(
      List<String> names, Map<VersionId, Manifest> manifests, Map<VersionId, String> damaged)
      throws IOException {
    for (String name : names) {
      Optional<VersionId> version = SharedNames.manifestVersion(name);
      if (version.isEmpty()) {
        continue;
      }
      try {
        manifests.put(version.get(), Manifest.read(store, name));
      } catch (CorruptContainerException e) {
        damaged.put(version.get(), String.valueOf(e.getMessage()));
      } catch (NoSuchFileException e) {
        // Somebody pruned it.
      } catch (IOException e) {
        // Of a newer release, or not to be had just now: somebody can read it.
        throw new ObstacleException(e.toString());
      }
    }
  }

  /** The versions that count and can be used, newest first. */
  private List<VersionId> complete(
      Lineage lineage, TreeMap<VersionId, Manifest> manifests, Predicate<VersionId> counted) {
    Footers footers = new Footers(store, known);
    return manifests.descendingMap().values().stream()
        .filter(manifest -> lineage.includes(manifest.version()))
        .filter(manifest -> counted.test(manifest.version()))
        .filter(manifest -> footers.problem(manifest.references()).isEmpty())
        .map(Manifest::version)
        .toList();
  }

  /** The runs that a run descends from, itself included. */
  static Set<RunId> chain(Lineage lineage) {
    Set<RunId> chain = new HashSet<>();
    Optional<RunInfo> run = Optional.of(lineage.run());
    while (run.isPresent() && chain.add(run.get().id())) {
      run = run.get().continues().flatMap(parent -> lineage.find(parent.run()));
    }
    return chain;
  }

  /** A claim that was left over by a run that is no more. */
  private void forget(ClaimWatch.Found claim, Set<RunId> chain) throws IOException {
    if (chain.contains(claim.name().run()) && permit.isGiven()) {
      store.delete(claim.name().name());
    }
  }

  // ---------------------------------------------------------------- deleting

  /** Manifests of this life, damaged ones too, that are older than all that are kept. */
  private void deleteManifests(Plan plan, List<String> deleted) throws IOException {
    Set<VersionId> old = new TreeSet<>(plan.damaged);
    old.addAll(plan.manifests.headMap(plan.oldestKept).keySet());
    for (VersionId version : old) {
      if (plan.lineage.includes(version) && plan.mayGo(version)) {
        delete(SharedNames.manifest(version), deleted);
        plan.manifests.remove(version);
        ordinary.add(version);
      }
    }
    // Before any segment goes: after a crash no manifest may come back without its segments.
    store.forceDirectory();
  }

  private void deleteSegments(Plan plan, List<String> names, List<String> deleted)
      throws IOException {
    Set<String> needed = needed(plan, names);
    for (String name : names) {
      if (!needed.contains(name) && isDisposable(plan, name)) {
        delete(name, deleted);
        references.remove(name);
      }
    }
    store.forceDirectory();
  }

  /** Whether a file is a segment that may go if nobody needs it. */
  private static boolean isDisposable(Plan plan, String name) {
    Optional<SharedNames.Segment> segment = SharedNames.segment(name);
    return segment.isPresent()
        && plan.chain.contains(segment.get().version().run())
        && plan.mayGo(segment.get().version());
  }

  /** What manifests refer to, and segments that may become a version without one. */
  private Set<String> needed(Plan plan, List<String> names) throws IOException {
    Set<String> needed = new HashSet<>();
    for (Manifest manifest : plan.manifests.values()) {
      manifest.references().forEach(reference -> needed.add(reference.segment()));
      manifest.groups().forEach(group -> needed.add(group.segment()));
    }
    for (String name : names) {
      if (SharedNames.segment(name).isPresent() && !isDisposable(plan, name)) {
        needed.addAll(referencesOf(plan, name));
      }
    }
    return needed;
  }

  private List<String> referencesOf(Plan plan, String name) throws IOException {
    List<String> known = references.get(name);
    if (known != null) {
      return known;
    }
    try (SegmentReader segment = SegmentReader.open(store, name)) {
      List<String> read = segment.references().stream().map(Reference::segment).toList();
      references.put(name, read);
      return read;
    } catch (CorruptContainerException e) {
      requireOlder(segmentVersion(name), plan.oldestKept, String.valueOf(e.getMessage()));
      return List.of();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new ObstacleException(e.toString());
    }
  }

  private static VersionId segmentVersion(String name) {
    return SharedNames.segment(name).orElseThrow().version();
  }

  private void delete(String name, List<String> deleted) throws IOException {
    if (!permit.isGiven()) {
      throw new ObstacleException("the lease of the job is lost");
    }
    store.delete(name);
    deleted.add(name);
  }
}
