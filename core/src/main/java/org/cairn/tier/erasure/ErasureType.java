// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.erasure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.comm.Communicator;
import org.cairn.container.ContainerReader;
import org.cairn.store.Store;
import org.cairn.tier.Evidence;
import org.cairn.tier.FileNames;
import org.cairn.tier.Found;
import org.cairn.tier.FoundContainer;
import org.cairn.tier.Fragment;
import org.cairn.tier.Opening;
import org.cairn.tier.Rebuild;
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
      if (group != null && canDecode(evidence, group, version)) {
        return Optional.of(new Source(TierKind.ERASURE, one.holder(), "", "", group));
      }
    }
    return Optional.empty();
  }

  private static boolean canDecode(Evidence evidence, Fragment.Group group, VersionId version) {
    BitSet states = new BitSet();
    BitSet parities = new BitSet();
    for (int i = 0; i < group.members().size(); i++) {
      int member = group.members().get(i);
      states.set(i, member < evidence.ranks() && evidence.hasState(member, version));
      parities.set(i, parityFile(evidence, member, group, version).isPresent());
    }
    return ParityInfo.canRebuild(group.members().size(), group.lost(), states, parities);
  }

  /** The file in which a rank still has its parity of a version, made together with its group's. */
  private static Optional<String> parityFile(
      Evidence evidence, int rank, Fragment.Group group, VersionId version) {
    return evidence.holding(TierKind.ERASURE, rank, version).stream()
        .filter(
            one ->
                one.holder() == rank
                    && one.isInOwnDirectory()
                    && group.equals(one.fragment().group()))
        .map(one -> one.fragment().file())
        .findFirst();
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
        group.members().stream()
            .filter(member -> member < evidence.ranks() && evidence.hasState(member, version))
            .count();
    long held =
        group.members().stream()
            .filter(member -> parityFile(evidence, member, group, version).isPresent())
            .count();
    return "state of %d and parity of %d of the %d ranks %s, which bear the loss of %d"
        .formatted(states, held, group.members().size(), group.members(), group.lost());
  }

  // ---------------------------------------------------------------- bringing a state back

  /** Decodes lost states, in all groups at once. */
  @Override
  public void rebuild(Rebuild rebuild) throws IOException {
    List<Fragment.Group> groups = groups(rebuild.sources());
    Communicator comm = rebuild.comm();
    int mine = 0;
    while (mine < groups.size() && !groups.get(mine).members().contains(comm.rank())) {
      mine++;
    }
    boolean member = mine < groups.size();
    int key = member ? groups.get(mine).members().indexOf(comm.rank()) : comm.rank();
    try (Communicator group = comm.split(mine, key)) {
      if (member) {
        decode(group, groups.get(mine), rebuild);
      }
    }
  }

  private static List<Fragment.Group> groups(List<Source> sources) {
    List<Fragment.Group> groups = new ArrayList<>();
    for (Source source : sources) {
      Fragment.Group group = source.group();
      if (source.kind().equals(TierKind.ERASURE) && group != null && !groups.contains(group)) {
        groups.add(group);
      }
    }
    return groups;
  }

  private static void decode(Communicator group, Fragment.Group members, Rebuild rebuild)
      throws IOException {
    int rank = rebuild.comm().rank();
    Store own = rebuild.store(FileNames.directory(rank));
    Optional<String> state = rebuild.state();
    Optional<String> parity = parityFile(rebuild.evidence(), rank, members, rebuild.version());
    ErasureTier.Sources sources =
        new ErasureTier.Sources(
            state.isPresent() ? () -> ContainerReader.open(own, state.get()) : null,
            parity.isPresent() ? () -> ContainerReader.open(own, parity.get()) : null);
    try {
      ErasureTier.rebuild(group, rebuild.version(), sources, rebuild::target);
    } catch (IOException e) {
      // All members of the group are told alike: this parity does not help.
      parity.ifPresent(file -> rebuild.bad(file, e));
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
