// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.util.List;
import java.util.Optional;
import org.cairn.TierKind;
import org.cairn.version.VersionId;

/** What all ranks found of a job, less what turned out to be damaged; the same on every rank. */
public interface Evidence {
  /** Fragments of a kind that hold the version of a rank. */
  List<Found> holding(TierKind kind, int owner, VersionId version);

  /** Fragments of a kind that help a group of ranks, this one among them. */
  List<Found> helping(TierKind kind, int member, VersionId version);

  /** Whether a tier before has a container with the state of a rank. */
  boolean hasState(int owner, VersionId version);

  /**
   * What a member kept for its group, and who reads it: best in its own directory, else where it
   * was left. Empty if that is lost.
   */
  default Optional<Source> share(
      TierKind kind, Fragment.Group group, int member, VersionId version) {
    List<Found> kept =
        holding(kind, member, version).stream()
            .filter(one -> group.equals(one.fragment().group()))
            .toList();
    return kept.stream()
        .filter(one -> one.holder() == member && one.isInOwnDirectory())
        .findFirst()
        .or(() -> kept.stream().findFirst())
        .map(one -> Source.of(one).in(group));
  }
}
