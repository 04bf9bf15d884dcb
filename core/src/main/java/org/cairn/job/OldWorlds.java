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
import org.cairn.comm.Reduction;
import org.cairn.container.ContainerReader;
import org.cairn.store.Store;
import org.cairn.store.StoreLock;
import org.cairn.tier.FileNames;
import org.cairn.tier.Found;
import org.cairn.tier.Fragment;
import org.cairn.tier.Stability;
import org.cairn.tier.TierTypes;
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

  private final ThisRank me;
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
    this.me = me;
    this.lineage = lineage;
    this.stability = stability;
    this.files = files;
    this.needed = needed;
  }

  /**
   * Looks what there is, and lets it go as soon as it may; collective if there is anything.
   *
   * @param all whether all of it was restored: what was only read in part stays
   */
  static void watch(
      ThisRank me, FragmentTable table, Lineage lineage, JobTiers tiers, boolean all) {
    Predicate<VersionId> world = lineage.world();
    Predicate<VersionId> old = version -> lineage.includes(version) && !world.test(version);
    Map<TierKind, Integer> needed = needed(table, old);
    tiers.stability().listen(() -> {});
    if (needed.isEmpty() || !all) {
      return;
    }
    List<Found> mine = mine(me, table, old);
    addDecided(me, mine, needed);
    Optional<String> lacking = lacking(needed, tiers, me);
    if (lacking.isPresent()) {
      warn(me, table, old, lacking.get());
      return;
    }
    OldWorlds worlds = new OldWorlds(me, lineage, tiers.stability(), mine, needed);
    tiers.stability().listen(worlds::letGoIfPossible);
  }

  /** Files that this rank looks after, each once, though it may hold several fragments. */
  private static List<Found> mine(ThisRank me, FragmentTable table, Predicate<VersionId> old) {
    Map<String, Found> files = new TreeMap<>();
    table.foundBy(me.number()).stream()
        .filter(one -> isOnly(one.fragment(), old))
        .forEach(
            one ->
                files.putIfAbsent(one.fragment().directory() + "/" + one.fragment().file(), one));
    return List.copyOf(files.values());
  }

  /**
   * Where it was decided to keep them, though this job may not see it: a shared directory that it
   * was not told of; collective.
   */
  private static void addDecided(ThisRank me, List<Found> mine, Map<TierKind, Integer> needed) {
    long bits = 0;
    for (Found one : mine) {
      try {
        Store store = directory(me, one.fragment().directory());
        try (ContainerReader reader = ContainerReader.open(store, one.fragment().file())) {
          for (VersionInfo version : reader.versions()) {
            bits |= version.tiers();
          }
        }
      } catch (IOException e) {
        LOG.debug("{} cannot be looked at", one.fragment().file(), e);
      }
    }
    long all = me.comm().allReduce(bits, Reduction.BITWISE_OR);
    TierTypes.kindsOf((int) all).forEach(kind -> needed.putIfAbsent(kind, 1));
  }

  private static Store directory(ThisRank me, String name) throws IOException {
    return name.equals(FileNames.directory(me.number()))
        ? me.store()
        : me.place().directories().open(name);
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
              .distinct()
              .sorted()
              .toList();
      LOG.warn(
          "what another number of ranks saved stays, since this job {}: {}; cairn prune --versions --leftovers removes it",
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
    me.home().releaseOldWorlds();
    files.forEach(this::delete);
  }

  /** Tiers keep fewer versions than the containers do, and decide themselves when older ones go. */
  private boolean isReplaced() {
    return stability.countOfAll() >= stability.retain()
        && needed.keySet().stream()
            .allMatch(kind -> kind.equals(TierKind.LOCAL) || stability.count(kind) > 0);
  }

  private void delete(Found one) {
    String file = one.fragment().file();
    try {
      Store store = directory(me, one.fragment().directory());
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
