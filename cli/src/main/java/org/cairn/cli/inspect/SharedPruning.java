// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.inspect;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.cairn.clock.Clock;
import org.cairn.tier.shared.SharedPrune;
import org.cairn.version.JobId;
import org.cairn.version.VersionId;

/** Finds what can be done without in a shared directory. */
final class SharedPruning {
  /** As long as jobs wait before they take the lease of another over. */
  private static final Duration REST = Duration.ofSeconds(60);

  /** A mark is there for a moment, while a job opens. */
  private static final Duration MARK = Duration.ofDays(1);

  private final Inventory all;
  private final SharedPlace shared;
  private final PruneRules rules;
  private final SharedPrune prune;
  private final List<Prunable> found = new ArrayList<>();

  SharedPruning(Inventory all, SharedPlace shared, PruneRules rules) {
    this.all = all;
    this.shared = shared;
    this.rules = rules;
    this.prune =
        new SharedPrune(shared.store(), Clock.system(), REST, new SecureRandom().nextLong());
  }

  List<Prunable> find() throws IOException {
    Set<JobId> jobs = new HashSet<>();
    for (LifeEntry life : all.lives()) {
      if (rules.concerns(life)) {
        Set<VersionId> others = rules.versionsOfOthers(all, life);
        if (rules.isOld(life)) {
          add(Prunable.Category.LIVES, life, unkept(without(life.life().versions(), others)));
          addKept(life, life.life().versions(), others);
        } else {
          addVersions(life, others);
        }
        if (jobs.add(life.life().lineage().job())) {
          addClaims(life);
        }
      }
    }
    if (rules.isForAll()) {
      addMarks();
    }
    return found;
  }

  private static Set<VersionId> without(List<VersionId> versions, Set<VersionId> others) {
    Set<VersionId> rest = new TreeSet<>(versions);
    rest.removeAll(others);
    return rest;
  }

  private Set<VersionId> unkept(Set<VersionId> versions) {
    versions.removeAll(all.kept(versions));
    return versions;
  }

  /** Each by itself: a person may release one and not the other. */
  private void addKept(LifeEntry life, List<VersionId> versions, Set<VersionId> others)
      throws IOException {
    Set<VersionId> kept = all.kept(without(versions, others));
    kept.removeIf(id -> !rules.isReleased(id));
    for (VersionId id : kept) {
      add(Prunable.Category.KEPT, life, Set.of(id));
    }
  }

  private void addVersions(LifeEntry life, Set<VersionId> others) throws IOException {
    Set<VersionId> whole = shared.whole();
    List<VersionId> restorable = life.life().versions().stream().filter(whole::contains).toList();
    List<VersionId> beyond = rules.beyond(life, restorable);
    add(Prunable.Category.VERSIONS, life, unkept(without(beyond, others)));
    addKept(life, beyond, others);
    if (restorable.isEmpty()) {
      return;
    }
    // What is not whole and older than something that is has no use any more.
    List<VersionId> broken =
        life.life().versions().stream()
            .filter(id -> !whole.contains(id) && id.compareTo(restorable.getFirst()) < 0)
            .toList();
    add(Prunable.Category.DAMAGED, life, without(broken, others));
  }

  private void add(Prunable.Category category, LifeEntry life, Set<VersionId> versions)
      throws IOException {
    if (versions.isEmpty()) {
      return;
    }
    JobId job = life.life().lineage().job();
    SharedPrune.Report plan = prune.plan(job, versions);
    if (plan.files().isEmpty() && plan.obstacle().isEmpty()) {
      return;
    }
    String what =
        "%s: %s %s"
            .formatted(
                shared.path(),
                versions.size() == 1 ? "version" : "versions",
                String.join(", ", versions.stream().map(VersionId::exact).toList()));
    found.add(
        new Prunable(
            category, what, life.id(), plan.bytes(), () -> done(prune.delete(job, versions))));
  }

  private static long done(SharedPrune.Report report) throws IOException {
    if (report.obstacle().isPresent()) {
      throw new Prunable.KeptException(report.obstacle().get());
    }
    return report.bytes();
  }

  private void addClaims(LifeEntry life) throws IOException {
    JobId job = life.life().lineage().job();
    for (SharedPrune.Doomed claim : prune.claims(job)) {
      found.add(
          new Prunable(
              Prunable.Category.LEFTOVERS,
              shared.path().resolve(claim.file()).toString(),
              life.id(),
              claim.bytes(),
              () -> done(prune.deleteClaims(job))));
    }
  }

  private void addMarks() throws IOException {
    Instant limit = Instant.now().minus(MARK);
    try (DirectoryStream<Path> marks = Files.newDirectoryStream(shared.path(), "mark-*")) {
      for (Path mark : marks) {
        if (Files.getLastModifiedTime(mark).toInstant().isBefore(limit)) {
          long bytes = Files.size(mark);
          found.add(
              new Prunable(
                  Prunable.Category.LEFTOVERS,
                  mark.toString(),
                  "",
                  bytes,
                  () -> {
                    Files.deleteIfExists(mark);
                    return bytes;
                  }));
        }
      }
    }
  }
}
