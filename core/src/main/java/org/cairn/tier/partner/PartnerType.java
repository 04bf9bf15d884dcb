// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.partner;

import java.io.IOException;
import java.util.Optional;
import org.cairn.TierKind;
import org.cairn.Tiers;
import org.cairn.tier.Evidence;
import org.cairn.tier.Opening;
import org.cairn.tier.Rebuild;
import org.cairn.tier.Source;
import org.cairn.tier.Tier;
import org.cairn.tier.TierType;
import org.cairn.tier.transfer.CopyTransfer;
import org.cairn.version.VersionId;

/** Copies of ranks' containers, each with another rank. */
public final class PartnerType implements TierType {
  @Override
  public TierKind kind() {
    return TierKind.PARTNER;
  }

  @Override
  public Optional<String> role() {
    return Optional.of(".partner");
  }

  @Override
  public String nothing() {
    return "no copy";
  }

  @Override
  public Optional<Source> offer(Evidence evidence, int owner, VersionId version) {
    return evidence.holding(TierKind.PARTNER, owner, version).stream().map(Source::of).findFirst();
  }

  @Override
  public void rebuild(Rebuild rebuild) {
    CopyTransfer.rebuild(rebuild, TierKind.PARTNER);
  }

  @Override
  public Optional<Tier> open(Opening opening) throws IOException {
    Tiers tiers = opening.tiers();
    if (tiers.every(TierKind.PARTNER) == 0) {
      return Optional.empty();
    }
    if (opening.ranks() < 2) {
      opening.leaveOut();
      return Optional.empty();
    }
    int distance = distance(opening);
    Partners partners =
        distance == 0
            ? Partners.nearest(opening.domains())
            : Partners.at(distance, opening.domains());
    if (!partners.together().isEmpty()) {
      opening.warnOfDomains(
          "ranks %s share the failure domain \"%s\" with their partner"
              .formatted(
                  partners.together(), opening.domains().get(partners.together().getFirst())));
    }
    return Optional.of(new PartnerTier(opening.comm(), opening.home(), partners));
  }

  /** The distance of partners that so many ranks can have; 0 if domains decide. */
  private static int distance(Opening opening) {
    int distance = opening.tiers().partnerDistance();
    if (distance < opening.ranks()) {
      return distance;
    }
    opening.warn(
        "%d ranks have no partner at a distance of %d; it is chosen by failure domains"
            .formatted(opening.ranks(), distance));
    return 0;
  }
}
