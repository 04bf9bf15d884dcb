// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.store.Store;
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

  /** Whoever wants a state reads it, without a word to others. */
  @Override
  public void rebuild(Rebuild rebuild) {
    List<Roles.Role> members = rebuild.roles().members();
    for (int member = 0; member < members.size(); member++) {
      Roles.Role role = members.get(member);
      if (role.isBroughtBy(TierKind.SHARED) && role.want().process() == rebuild.comm().rank()) {
        try {
          bring(rebuild, member, role.want().form());
        } catch (IOException e) {
          rebuild.bad(role.source(), e);
        }
      }
    }
  }

  private static void bring(Rebuild rebuild, int member, Roles.Form form) throws IOException {
    Store directory = rebuild.tiers().shared();
    if (directory == null) {
      throw new IOException("no shared directory is configured");
    }
    if (form == Roles.Form.READABLE) {
      SegmentSource source = SegmentSource.open(directory, rebuild.version(), member);
      rebuild.bring(member, source, source);
    } else {
      SharedTier.rebuild(directory, rebuild.version(), member, rebuild.target(member));
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
