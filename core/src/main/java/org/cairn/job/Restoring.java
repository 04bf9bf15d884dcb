// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.cairn.CorruptContainerException;
import org.cairn.RestartReport;
import org.cairn.RestartRequest;
import org.cairn.comm.Reduction;
import org.cairn.container.Container;
import org.cairn.redivision.Inventory;
import org.cairn.redivision.Redivision;
import org.cairn.redivision.SavedContents;
import org.cairn.restart.Attempt;
import org.cairn.restart.Redividing;
import org.cairn.restart.RestartTarget;
import org.cairn.tier.Agreement;
import org.cairn.tier.Source;
import org.cairn.version.Lineage;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.cairn.version.VersionSource;

/**
 * Brings the state of a version into memory, on all ranks or on none: first all look at what they
 * have, then all fill.
 */
final class Restoring {
  private final Site site;
  private final VersionId version;
  private final Source source;
  private final Lineage lineage;
  private final RestartRequest request;
  private final RestartTarget target;

  private final Traces traces;

  /**
   * One rank's part.
   *
   * @param source where its state came from; what is found damaged is done without
   * @param traces what was filled in vain before, by another number of ranks
   */
  Restoring(
      Site site,
      VersionId version,
      Source source,
      Lineage lineage,
      RestartRequest request,
      RestartTarget target,
      Traces traces) {
    this.traces = traces;
    this.site = site;
    this.version = version;
    this.source = source;
    this.lineage = lineage;
    this.request = request;
    this.target = target;
  }

  /**
   * A version that can be restored on all ranks, as far as is known.
   *
   * @param problems what this rank has found damaged beside it
   * @param traces whether filling would leave something behind if it failed
   */
  private record Looked(
      Attempt attempt, VersionSource state, List<String> problems, boolean traces) {}

  /**
   * Restores; collective.
   *
   * @param opening what opening the container met with
   * @return empty if something is damaged on a rank
   */
  Optional<RestartReport> restore(OwnState own, RecoveryStep opening) throws IOException {
    Optional<Looked> looked = look(own, opening);
    if (looked.isEmpty()) {
      return Optional.empty();
    }
    Optional<Redividing> divided = together(looked.get());
    Set<String> filled = new HashSet<>(looked.get().attempt.filled());
    divided.ifPresent(all -> filled.addAll(all.filled()));
    traces.refuseMixture(site.comm(), version, filled);
    return fill(looked.get(), divided);
  }

  /**
   * What ranks need of each other: ghosts, and parts that others saved. Empty if no rank needs
   * anything; collective.
   */
  private Optional<Redividing> together(Looked looked) throws IOException {
    long mine = looked.attempt.needsOthers() ? 1 : 0;
    if (site.comm().allReduce(mine, Reduction.MAX) == 0) {
      return Optional.empty();
    }
    Redivision redivision =
        new Redivision(
            site.comm(),
            Map.of(site.rank(), looked.state),
            member -> member,
            Redivision.Opener.NONE,
            target.crew());
    Redividing attempt = target.redividing(redivision, looked.attempt, request);
    attempt.claimed(OtherRanks.union(site, attempt.claims()));
    Inventory saved = attempt.inventory();
    OtherRanks.planned(site, attempt, saved);
    attempt.noteLeftOut(saved);
    return Optional.of(attempt);
  }

  /** Looks at the version without changing any memory; empty if something is damaged on a rank. */
  private Optional<Looked> look(OwnState own, RecoveryStep examine) throws IOException {
    Optional<Looked> looked =
        own instanceof OwnState.Unusable ? Optional.empty() : examine(own, examine);
    long verdict = examine.verdict(looked.filter(Looked::traces).isPresent());
    if (verdict == RecoveryStep.DAMAGED || looked.isEmpty()) {
      return Optional.empty();
    }
    // What one rank has filled would stay beside the state of an older version if another rank then
    // finds damage: in that case all verify before any of them fills.
    return verdict == RecoveryStep.GOOD || verify(looked.get().attempt) ? looked : Optional.empty();
  }

  private Optional<Looked> examine(OwnState own, RecoveryStep examine) {
    try {
      Container container = own.container();
      VersionInfo info = BroughtStates.find(container, version);
      VersionSource state = container.view(info);
      Attempt attempt = target.begin(state, request);
      List<String> problems = new ArrayList<>(container.problems());
      // Who begins anew in the end must find its memory untouched.
      boolean traces =
          request.otherwise() != RestartRequest.Otherwise.REFUSE
              || !knowsAllOlder(container)
              || mayLeaveTraces(attempt, container, info, problems);
      return Optional.of(new Looked(attempt, state, problems, traces));
    } catch (CorruptContainerException e) {
      examine.bad(source, e);
    } catch (IOException | RuntimeException | Error e) {
      examine.fail(e);
    }
    return Optional.empty();
  }

  private boolean fillTogether(Redividing divided) throws IOException {
    try (Redivision.Targets targets = OtherRanks.targets(site, divided)) {
      return OtherRanks.fill(
          site,
          version,
          divided,
          targets,
          (step, _, what) -> step.bad(source, new IOException(what)));
    }
  }

  private boolean verify(Attempt attempt) throws IOException {
    RecoveryStep verify = new RecoveryStep(site, version);
    try {
      verify.damage(source, attempt.verify());
    } catch (IOException | RuntimeException | Error e) {
      verify.fail(e);
    }
    return verify.succeedsEverywhere();
  }

  /** Whether an older version of this container lacks something that filling would change. */
  private static boolean mayLeaveTraces(
      Attempt attempt, Container container, VersionInfo info, List<String> problems)
      throws IOException {
    List<VersionInfo> all = container.versions();
    for (VersionInfo older : all.subList(all.indexOf(info) + 1, all.size())) {
      try {
        if (attempt.changesMoreThan(container.datasetNames(older))) {
          return true;
        }
      } catch (CorruptContainerException e) {
        problems.add("version " + older.id() + " is lost: " + e.getMessage());
      }
    }
    return false;
  }

  private boolean knowsAllOlder(Container container) {
    Set<VersionId> known =
        container.versions().stream().map(VersionInfo::id).collect(Collectors.toSet());
    return site.table().lives().versions().stream()
        .filter(other -> other.compareTo(version) < 0 && lineage.includes(other))
        .allMatch(known::contains);
  }

  private Optional<RestartReport> fill(Looked looked, Optional<Redividing> divided)
      throws IOException {
    RecoveryStep fill = new RecoveryStep(site, version);
    try {
      fill.damage(source, looked.attempt.fill());
    } catch (IOException | RuntimeException | Error e) {
      fill.fail(e);
    }
    if (!fill.succeedsEverywhere()) {
      return Optional.empty();
    }
    if (divided.isPresent() && !fillTogether(divided.get())) {
      return Optional.empty();
    }
    List<RestartReport.Content> contents =
        SavedContents.gather(site.comm(), looked.state, request.changes());
    RestartReport report = null;
    Throwable mine = null;
    try {
      report = looked.attempt.finish(looked.problems, divided).containing(contents);
    } catch (RuntimeException | Error e) {
      mine = e;
    }
    Agreement.reach(site.comm(), mine);
    return Optional.ofNullable(report);
  }
}
