// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.local;

import java.util.Optional;
import org.cairn.TierKind;
import org.cairn.tier.Evidence;
import org.cairn.tier.Found;
import org.cairn.tier.Opening;
import org.cairn.tier.Rebuild;
import org.cairn.tier.Source;
import org.cairn.tier.Tier;
import org.cairn.tier.TierType;
import org.cairn.tier.transfer.CopyTransfer;
import org.cairn.version.VersionId;

/**
 * The containers of the ranks themselves: best a rank's own, in its directory; else one that it
 * left elsewhere.
 */
public final class LocalType implements TierType {
  @Override
  public TierKind kind() {
    return TierKind.LOCAL;
  }

  @Override
  public Optional<String> role() {
    return Optional.of("");
  }

  @Override
  public String nothing() {
    return "no container";
  }

  @Override
  public Optional<Source> offer(Evidence evidence, int owner, VersionId version) {
    Source first = null;
    for (Found one : evidence.holding(TierKind.LOCAL, owner, version)) {
      Source source = Source.of(one);
      if (source.isOwn(owner)) {
        return Optional.of(source);
      }
      first = first == null ? source : first;
    }
    return Optional.ofNullable(first);
  }

  @Override
  public void rebuild(Rebuild rebuild) {
    CopyTransfer.rebuild(rebuild, TierKind.LOCAL);
  }

  /** Every job has it, and writes to it before any other. */
  @Override
  public Optional<Tier> open(Opening opening) {
    return Optional.empty();
  }
}
