// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.tier.Evidence;
import org.cairn.tier.Found;
import org.cairn.tier.FoundContainer;
import org.cairn.tier.Fragment;
import org.cairn.tier.Opening;
import org.cairn.tier.Rebuild;
import org.cairn.tier.Roles;
import org.cairn.tier.Source;
import org.cairn.tier.Tier;
import org.cairn.tier.TierType;
import org.cairn.version.VersionId;
import org.cairn.version.VersionInfo;
import org.jspecify.annotations.Nullable;

/** Parity over groups of ranks. */
public final class ErasureType implements TierType {
  @Override
  public TierKind kind() {
    return TierKind.ERASURE;
  }

  @Override
  public Optional<String> role() {
    return Optional.of(".parity");
  }

  @Override
  public String nothing() {
    return "no parity of its group";
  }

  /** One for each version: groups may have changed in between. */
  @Override
  public List<Fragment> fragments(FoundContainer found) {
    List<Fragment> fragments = new ArrayList<>();
    if (!found.unfinished()) {
      found.reader().versions().forEach(info -> fragments.add(fragment(found, info)));
    }
    if (fragments.isEmpty()) {
      fragments.add(found.asFragment());
    }
    return fragments;
  }

  private static Fragment fragment(FoundContainer found, VersionInfo info) {
    try {
      ParityInfo parity = ParityInfo.read(found.reader(), info.id());
      String stamp = "%016x%016x".formatted(parity.stampHigh(), parity.stampLow());
      Fragment.Group group = new Fragment.Group(parity.members(), parity.parity(), stamp);
      List<Fragment.Held> held = List.of(FoundContainer.held(info));
      return fragment(found, held, group, Fragment.State.USED, "");
    } catch (IOException e) {
      String problem = String.valueOf(e.getMessage());
      return fragment(found, List.of(), null, Fragment.State.UNREADABLE, problem);
    }
  }

  private static Fragment fragment(
      FoundContainer found,
      List<Fragment.Held> held,
      Fragment.@Nullable Group group,
      Fragment.State state,
      String problem) {
    return new Fragment(
        TierKind.ERASURE,
        found.reader().ownership().rank(),
        found.directory(),
        found.file(),
        held,
        group,
        found.reader().epoch(),
        found.reader().ownership().lineage(),
        state,
        problem);
  }

  @Override
  public Optional<Source> offer(Evidence evidence, int owner, VersionId version) {
    for (Found one : evidence.helping(TierKind.ERASURE, owner, version)) {
      Fragment.Group group = one.fragment().group();
      if (group != null && isOf(group, version) && canDecode(evidence, group, version)) {
        return Optional.of(new Source(TierKind.ERASURE, one.holder(), "", "", group));
      }
    }
    return Optional.empty();
  }

  private static boolean isOf(Fragment.Group group, VersionId version) {
    return group.members().stream().allMatch(member -> member < version.ranks());
  }

  private static boolean canDecode(Evidence evidence, Fragment.Group group, VersionId version) {
    BitSet states = new BitSet();
    BitSet parities = new BitSet();
    for (int i = 0; i < group.members().size(); i++) {
      int member = group.members().get(i);
      states.set(i, evidence.hasState(member, version));
      parities.set(i, hasParity(evidence, member, group, version));
    }
    return ParityInfo.canRebuild(group.members().size(), group.lost(), states, parities);
  }

  /** Whether parity of a member is left that was made together with its group's. */
  private static boolean hasParity(
      Evidence evidence, int member, Fragment.Group group, VersionId version) {
    return evidence.share(TierKind.ERASURE, group, member, version).isPresent();
  }

  @Override
  public Optional<String> answer(Evidence evidence, int owner, VersionId version) {
    return evidence.helping(TierKind.ERASURE, owner, version).stream()
        .flatMap(one -> Optional.ofNullable(one.fragment().group()).stream())
        .reduce((_, last) -> last)
        .map(group -> answer(evidence, group, version));
  }

  private static String answer(Evidence evidence, Fragment.Group group, VersionId version) {
    long states =
        group.members().stream().filter(member -> evidence.hasState(member, version)).count();
    long held =
        group.members().stream()
            .filter(member -> hasParity(evidence, member, group, version))
            .count();
    return "state of %d and parity of %d of the %d ranks %s, which bear the loss of %d"
        .formatted(states, held, group.members().size(), group.members(), group.lost());
  }

  // ---------------------------------------------------------------- bringing a state back

  /**
   * Decodes lost states: groups that have no process in common at once, others one after the other.
   */
  @Override
  public void rebuild(Rebuild rebuild) throws IOException {
    for (List<Fragment.Group> round : rounds(rebuild.roles())) {
      decode(round, rebuild);
    }
  }

  /** On the same number of ranks every process is in one group, and there is one round. */
  static List<List<Fragment.Group>> rounds(Roles roles) {
    List<List<Fragment.Group>> rounds = new ArrayList<>();
    List<Set<Integer>> busy = new ArrayList<>();
    for (Fragment.Group group : roles.groups(TierKind.ERASURE)) {
      Set<Integer> processes = roles.processes(group);
      int round = 0;
      while (round < rounds.size() && !Collections.disjoint(busy.get(round), processes)) {
        round++;
      }
      if (round == rounds.size()) {
        rounds.add(new ArrayList<>());
        busy.add(new HashSet<>());
      }
      rounds.get(round).add(group);
      busy.get(round).addAll(processes);
    }
    return rounds;
  }

  private static void decode(List<Fragment.Group> round, Rebuild rebuild) throws IOException {
    Communicator comm = rebuild.comm();
    int mine = 0;
    while (mine < round.size()
        && !rebuild.roles().processes(round.get(mine)).contains(comm.rank())) {
      mine++;
    }
    try (Communicator group = comm.split(mine, comm.rank())) {
      if (mine < round.size()) {
        new GroupRebuild(round.get(mine), rebuild).run(group);
      }
    }
  }

  // ---------------------------------------------------------------- bringing a state there

  @Override
  public Optional<Tier> open(Opening opening) throws IOException {
    Tiers tiers = opening.tiers();
    if (tiers.every(TierKind.ERASURE) == 0) {
      return Optional.empty();
    }
    if (opening.ranks() < 2) {
      opening.leaveOut();
      return Optional.empty();
    }
    int size = Math.min(tiers.groupSize(), opening.ranks());
    ErasureGroups groups =
        tiers.parity() == 0
            ? ErasureGroups.adapted(opening.domains(), size, size >= 4 ? 2 : 1)
            : ErasureGroups.adapted(opening.domains(), size, parity(opening, size));
    for (String warning : groups.warnings()) {
      opening.warnOfDomains(warning);
    }
    return Optional.of(new ErasureTier(opening.comm(), opening.home(), groups));
  }

  /** As many losses as were asked for, or as the smallest group of so many ranks can bear. */
  private static int parity(Opening opening, int size) {
    int most = ErasureGroups.smallest(opening.ranks(), size) - 1;
    int wanted = opening.tiers().parity();
    if (wanted > most) {
      opening.warn(
          "%d ranks make groups of %d, which bear the loss of %d and not of %d"
              .formatted(opening.ranks(), most + 1, most, wanted));
    }
    return Math.min(wanted, most);
  }
}
