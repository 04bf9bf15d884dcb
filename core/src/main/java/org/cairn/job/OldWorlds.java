// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.cairn.TierKind;
import org.cairn.container.ContainerReader;
import org.cairn.store.Directories;
import org.cairn.store.Store;
import org.cairn.store.StoreLock;
import org.cairn.tier.FileNames;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.tier.Home;
import org.cairn.tier.Stability;
import org.cairn.version.Lineage;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is left of worlds that this one has gone on from: other numbers of ranks, whose files nobody
 * writes to any more. They stay until this world has as many versions as are to be retained at
 * every tier where they had one, and bears no fewer losses there; then they go, file by file.
 *
 * <p>What there is, and where, is seen anew at every start, and never remembered: so whoever is
 * killed in between, and whatever number of ranks comes next, finds either the old world or enough
 * of the new one.
 */
final class OldWorlds {
  private static final Logger LOG = LoggerFactory.getLogger(Job.class);

  private final Home home;
  private final Directories directories;
  private final Lineage lineage;
  private final Stability stability;

  /** Files that this rank looks after. */
  private final List<Found> files;

  /** Where versions of them are, and how many losses those bear there. */
  private final Map<TierKind, Integer> needed;

  private boolean gone;

  private OldWorlds(
      ThisRank me,
      Lineage lineage,
      Stability stability,
      List<Found> files,
      Map<TierKind, Integer> needed) {
    this.home = me.home();
    this.directories = me.place().directories();
    this.lineage = lineage;
    this.stability = stability;
    this.files = files;
    this.needed = needed;
  }

  /** Looks what there is, and lets it go as soon as it may. */
  static void watch(ThisRank me, FragmentTable table, Lineage lineage, JobTiers tiers) {
    Predicate<VersionId> world = lineage.world();
    Predicate<VersionId> old = version -> lineage.includes(version) && !world.test(version);
    Map<TierKind, Integer> needed = needed(table, old);
    if (needed.isEmpty()) {
      tiers.stability().listen(() -> {});
      return;
    }
    Optional<String> lacking = lacking(needed, tiers, me);
    if (lacking.isPresent()) {
      warn(me, table, old, lacking.get());
      tiers.stability().listen(() -> {});
      return;
    }
    List<Found> mine =
        table.foundBy(me.number()).stream().filter(one -> isOnly(one.fragment(), old)).toList();
    OldWorlds worlds = new OldWorlds(me, lineage, tiers.stability(), mine, needed);
    tiers.stability().listen(worlds::letGoIfPossible);
  }

  private static boolean isOnly(Fragment fragment, Predicate<VersionId> old) {
    return !fragment.file().isEmpty()
        && !fragment.directory().isEmpty()
        && !fragment.versions().isEmpty()
        && fragment.ids().stream().allMatch(old);
  }

  /** Where any old version is, and how many losses of a group it bears there. */
  private static Map<TierKind, Integer> needed(FragmentTable table, Predicate<VersionId> old) {
    Map<TierKind, Integer> needed = new TreeMap<>();
    for (Found one : table.survey().found()) {
      if (one.fragment().ids().stream().anyMatch(old)) {
        Fragment.Group group = one.fragment().group();
        needed.merge(one.fragment().kind(), group == null ? 1 : group.lost(), Math::max);
      }
    }
    return needed;
  }

  /** What this job does not have of it, in words. */
  private static Optional<String> lacking(
      Map<TierKind, Integer> needed, JobTiers tiers, ThisRank me) {
    if (me.setup().inMemory()) {
      return Optional.of("keeps its state in memory");
    }
    for (Map.Entry<TierKind, Integer> one : needed.entrySet()) {
      Optional<Integer> losses =
          one.getKey().equals(TierKind.LOCAL) ? Optional.of(1) : tiers.losses(one.getKey());
      if (losses.isEmpty()) {
        return Optional.of("has no %s tier".formatted(one.getKey().label()));
      }
      if (losses.get() < one.getValue()) {
        return Optional.of(
            "bears the loss of %d and not of %d ranks at the %s tier"
                .formatted(losses.get(), one.getValue(), one.getKey().label()));
      }
    }
    return Optional.empty();
  }

  private static void warn(
      ThisRank me, FragmentTable table, Predicate<VersionId> old, String lacking) {
    if (me.number() == 0) {
      List<String> where =
          table.survey().found().stream()
              .map(Found::fragment)
              .filter(fragment -> isOnly(fragment, old))
              .map(fragment -> fragment.directory() + "/" + fragment.file())
              .sorted()
              .toList();
      LOG.warn(
          "what another number of ranks saved stays, since this job {}: {}; cairn prune removes it",
          lacking,
          where.isEmpty() ? "in the shared directory" : String.join(", ", where));
    }
  }

  // ---------------------------------------------------------------- letting it go

  /** Called whenever all ranks have agreed that a version is somewhere. */
  private void letGoIfPossible() {
    synchronized (this) {
      if (gone || !isReplaced()) {
        return;
      }
      gone = true;
    }
    home.releaseOldWorlds();
    files.forEach(this::delete);
  }

  private boolean isReplaced() {
    return needed.keySet().stream().allMatch(kind -> stability.count(kind) >= stability.retain());
  }

  private void delete(Found one) {
    String file = one.fragment().file();
    try {
      Store store = directory(one.fragment().directory());
      try (StoreLock _ = store.lock(FileNames.lockOf(file))) {
        if (mayGo(store, file)) {
          store.delete(file);
          store.forceDirectory();
          LOG.info("{} is gone: this number of ranks has as many versions", store.location(file));
        }
      }
      store.delete(FileNames.lockOf(file));
    } catch (IOException e) {
      LOG.warn(
          "{}/{} of another number of ranks stays: {}",
          one.fragment().directory(),
          file,
          e.toString());
    }
  }

  private Store directory(String name) throws IOException {
    return name.equals(FileNames.directory(home.rank())) ? home.store() : directories.open(name);
  }

  /** Somebody may have written to it meanwhile, or wants something of it to be kept. */
  private boolean mayGo(Store store, String file) throws IOException {
    Predicate<VersionId> world = lineage.world();
    try (ContainerReader reader = ContainerReader.open(store, file)) {
      List<VersionInfo> versions = new ArrayList<>(reader.versions());
      return reader.ownership().lineage().job().equals(lineage.job())
          && versions.stream().noneMatch(version -> version.label().kept())
          && versions.stream()
              .map(VersionInfo::id)
              .allMatch(version -> lineage.includes(version) && !world.test(version));
    }
  }
}
