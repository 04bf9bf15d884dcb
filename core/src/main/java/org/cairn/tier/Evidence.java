// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.util.List;
import org.cairn.TierKind;
import org.cairn.version.VersionId;

/** What all ranks found of a job, less what turned out to be damaged; the same on every rank. */
public interface Evidence {
  /** How many ranks there are. */
  int ranks();

  /** Fragments of a kind that hold the version of a rank. */
  List<Found> holding(TierKind kind, int owner, VersionId version);

  /** Fragments of a kind that help a group of ranks, this one among them. */
  List<Found> helping(TierKind kind, int member, VersionId version);

  /** Whether a tier before has a container with the state of a rank. */
  boolean hasState(int owner, VersionId version);
}
