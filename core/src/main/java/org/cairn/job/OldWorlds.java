// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.cairn.TierKind;
import org.cairn.comm.Reduction;
import org.cairn.container.ContainerReader;
import org.cairn.store.Store;
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
  private static final int NAMED = 6;

  private final ThisRank me;
  private final Stability stability;

  /** Files that this rank looks after. */
  private final OldFiles files;

  /** Of starts that came to nothing: they go as soon as something has come of this one. */
  private final OldFiles unused;

  /** Where versions of them are, and how many losses those bear there. */
  private final Map<TierKind, Integer> needed;

  /** What this job does not have of that, in words: then they stay, unless room is made. */
  private final Optional<String> lacking;

  /** Where there has to be a version before files go that make room; empty if they do not. */
  private final Optional<Set<TierKind>> inPlace;

  private boolean gone;
  private boolean released;
  private boolean cleared;

  private OldWorlds(
      ThisRank me,
      Stability stability,
      OldFiles files,
      OldFiles unused,
      Map<TierKind, Integer> needed,
      Optional<String> lacking,
      Optional<Set<TierKind>> inPlace) {
    this.me = me;
    this.stability = stability;
    this.files = files;
    this.unused = unused;
    this.needed = needed;
    this.lacking = lacking;
    this.inPlace = inPlace;
  }

  /**
   * Looks what there is, and lets it go as soon as it may; collective if there is anything.
   *
   * @param start how the run began: what was only read in part stays
   */
  static void watch(ThisRank me, Start start, JobTiers tiers) {
    FragmentTable table = start.table();
    Lineage lineage = start.lineage();
    Map<TierKind, Integer> needed = needed(table, OldFiles.versions(lineage));
    tiers.stability().listen(() -> {});
    if (!start.all() || needed.isEmpty() && !OldFiles.isAnyUnused(table, lineage)) {
      return;
    }
    OldFiles.Opener opener = directory -> directory(me, directory);
    OldFiles unused = OldFiles.unusedFoundBy(me.number(), table, lineage, opener);
    OldFiles mine = OldFiles.foundBy(me.number(), table, lineage, opener);
    addDecided(me, mine, needed);
    Optional<String> lacking = needed.isEmpty() ? Optional.empty() : lacking(needed, tiers, me);
    if (lacking.isPresent() && !start.makesRoom()) {
      warn(me, table, lineage, lacking.get());
    }
    Optional<Set<TierKind>> inPlace =
        start.makesRoom() ? Optional.of(had(needed, tiers)) : Optional.empty();
    OldWorlds worlds = new OldWorlds(me, tiers.stability(), mine, unused, needed, lacking, inPlace);
    tiers.stability().listen(worlds::letGoIfPossible);
  }

  /**
   * Where it was decided to keep them, though this job may not see it: a shared directory that it
   * was not told of; collective.
   */
  private static void addDecided(ThisRank me, OldFiles mine, Map<TierKind, Integer> needed) {
    long bits = 0;
    for (Found one : mine.all()) {
      try (ContainerReader reader =
          ContainerReader.open(mine.directory(one), one.fragment().file())) {
        for (VersionInfo version : reader.versions()) {
          bits |= version.tiers();
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

  /** Of the tiers where versions are those that this job has. */
  private static Set<TierKind> had(Map<TierKind, Integer> needed, JobTiers tiers) {
    return needed.keySet().stream()
        .filter(kind -> tiers.losses(kind).isPresent())
        .collect(Collectors.toSet());
  }

  private static void warn(ThisRank me, FragmentTable table, Lineage lineage, String lacking) {
    if (me.number() == 0) {
      List<String> where =
          table.survey().found().stream()
              .map(Found::fragment)
              .filter(fragment -> OldFiles.isOld(fragment, lineage))
              .map(OldFiles::name)
              .distinct()
              .sorted()
              .toList();
      LOG.warn(
          "what another number of ranks saved stays, since this job {}: {}; cairn prune --versions --leftovers removes it",
          lacking,
          where.isEmpty() ? "in the shared directory" : named(where));
    }
  }

  /** One line says it, however many ranks there were; {@code cairn show} counts them all. */
  private static String named(List<String> files) {
    String first = String.join(", ", files.subList(0, Math.min(NAMED, files.size())));
    return files.size() > NAMED ? "%s and %d more".formatted(first, files.size() - NAMED) : first;
  }

  // ---------------------------------------------------------------- letting it go

  /** Called whenever all ranks have agreed that a version is somewhere. */
  private void letGoIfPossible() {
    boolean replaced = lacking.isEmpty() && isReplaced(stability.retain(), needed.keySet());
    boolean release;
    boolean go;
    boolean clear;
    synchronized (this) {
      release = replaced && !released;
      go = !gone && (replaced || inPlace.filter(kinds -> isReplaced(1, kinds)).isPresent());
      released |= release;
      gone |= go;
      clear = !cleared && stability.countOfAll() > 0;
      cleared |= clear;
    }
    if (clear) {
      unused.deleteAll("the start that made it came to nothing");
    }
    if (release) {
      me.home().releaseOldWorlds();
    }
    if (go) {
      files.deleteAll(
          replaced
              ? "this number of ranks has as many versions"
              : "room was to be made, and this number of ranks has a version");
    }
  }

  /** Tiers keep fewer versions than the containers do, and decide themselves when older ones go. */
  private boolean isReplaced(int versions, Set<TierKind> kinds) {
    return stability.countOfAll() >= versions
        && kinds.stream()
            .allMatch(kind -> kind.equals(TierKind.LOCAL) || stability.count(kind) > 0);
  }
}
