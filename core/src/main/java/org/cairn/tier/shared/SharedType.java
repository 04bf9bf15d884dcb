// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.store.Store;
import org.cairn.supply.Closing;
import org.cairn.tier.Evidence;
import org.cairn.tier.Fragment;
import org.cairn.tier.Opening;
import org.cairn.tier.Rebuild;
import org.cairn.tier.Roles;
import org.cairn.tier.Source;
import org.cairn.tier.Tier;
import org.cairn.tier.TierType;
import org.cairn.version.JobId;
import org.cairn.version.VersionId;

/** Segments in a directory that all ranks see. */
public final class SharedType implements TierType {
  @Override
  public TierKind kind() {
    return TierKind.SHARED;
  }

  @Override
  public Optional<String> role() {
    return Optional.empty();
  }

  @Override
  public String nothing() {
    return "nothing";
  }

  @Override
  public Optional<JobId> jobOf(String file) {
    return SharedNames.job(file);
  }

  /**
   * One rank looks for all: what another cannot read after all, it finds out when it tries, and all
   * do without.
   */
  @Override
  public List<Fragment> elsewhere(Tiers tiers, int ranks, String job) throws IOException {
    Store directory = tiers.shared();
    return directory == null ? List.of() : SharedFragments.in(directory, ranks, job);
  }

  @Override
  public Optional<Source> offer(Evidence evidence, int owner, VersionId version) {
    return evidence.holding(TierKind.SHARED, owner, version).isEmpty()
        ? Optional.empty()
        : Optional.of(new Source(TierKind.SHARED, owner, "", "", null));
  }

  /**
   * Whoever wants a state reads it; but frames in which several processes have blocks are read by
   * one of them, for those whose states were written together, as far as can be told.
   */
  @Override
  public void rebuild(Rebuild rebuild) throws IOException {
    Map<Integer, SegmentSource> sources = new TreeMap<>();
    try {
      int me = rebuild.comm().rank();
      SortedMap<Integer, List<Integer>> groups = new TreeMap<>();
      List<Roles.Role> members = rebuild.roles().members();
      for (int member = 0; member < members.size(); member++) {
        Roles.Role role = members.get(member);
        if (role.isBroughtBy(TierKind.SHARED)) {
          groups
              .computeIfAbsent(member / rebuild.tiers().sharedGroup(), _ -> new ArrayList<>())
              .add(role.want().process());
          if (role.want().process() == me) {
            open(rebuild, member, sources);
          }
        }
      }
      relay(rebuild, groups.values(), sources);
      bring(rebuild, sources);
    } finally {
      Closing closing = new Closing();
      sources.values().forEach(left -> closing.then(left::close));
      closing.end();
    }
  }

  private static void open(Rebuild rebuild, int member, Map<Integer, SegmentSource> sources) {
    try {
      Store directory = rebuild.tiers().shared();
      if (directory == null) {
        throw new IOException("no shared directory is configured");
      }
      sources.put(member, SegmentSource.open(directory, rebuild.version(), member));
    } catch (IOException e) {
      rebuild.bad(rebuild.roles().members().get(member).source(), e);
    } catch (RuntimeException | Error e) {
      // Others wait for what this process says of frames: they are told in the end.
      rebuild.fail(e);
    }
  }

  private static void relay(
      Rebuild rebuild, Collection<List<Integer>> groups, Map<Integer, SegmentSource> sources)
      throws IOException {
    for (List<Integer> wanting : groups) {
      List<Integer> processes = wanting.stream().distinct().toList();
      if (processes.size() > 1 && processes.contains(rebuild.comm().rank())) {
        new FrameRelay(rebuild.comm(), processes).run(List.copyOf(sources.values()));
      }
    }
  }

  /** What was brought is no longer ours to close. */
  private static void bring(Rebuild rebuild, Map<Integer, SegmentSource> sources) {
    for (int member : List.copyOf(sources.keySet())) {
      Roles.Role role = rebuild.roles().members().get(member);
      SegmentSource source = sources.get(member);
      if (source == null) {
        continue;
      }
      try {
        if (role.want().form() == Roles.Form.READABLE) {
          sources.remove(member);
          rebuild.bring(member, source, source);
        } else {
          MemberCopy.write(source, rebuild.target(member));
        }
      } catch (IOException e) {
        rebuild.bad(role.source(), e);
      } catch (RuntimeException | Error e) {
        rebuild.fail(e);
      }
    }
  }

  /** A directory that cannot be written to is a source only, and no tier. */
  @Override
  public Optional<Tier> open(Opening opening) throws IOException {
    Tiers tiers = opening.tiers();
    if (tiers.shared() == null || tiers.every(TierKind.SHARED) == 0) {
      return Optional.empty();
    }
    SharedTier tier = SharedTier.open(opening.comm(), opening.home(), tiers, opening.clock());
    if (tier.isSourceOnly()) {
      tier.close();
      return Optional.empty();
    }
    return Optional.of(tier);
  }
}
