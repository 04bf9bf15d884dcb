// SPDX-License-Identifier: Apache-2.0
package org.cairn.job;

import java.io.IOException;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import org.cairn.comm.Communicator;
import org.cairn.tier.Agreement;
import org.cairn.version.VersionId;

/**
 * What attempts to restore have left in memory that then turned out to be damaged. What was filled
 * in vain must be filled again, or it would stay beside another version.
 */
final class Traces {
  private final Set<String> names = new TreeSet<>();

  /** Whether any rank may have been filled in vain; alike on all. */
  private boolean any;

  /** Datasets of this rank are about to be filled; all ranks say so at the same point. */
  void leave(Collection<String> filled) {
    any = true;
    names.addAll(filled);
  }

  /**
   * Refuses a version that would not fill all of it again; collective.
   *
   * @param filled what the version fills on this rank
   */
  void refuseMixture(Communicator comm, VersionId version, Collection<String> filled)
      throws IOException {
    if (!any) {
      return;
    }
    Set<String> left = new TreeSet<>(names);
    left.removeAll(filled);
    Agreement.reach(
        comm,
        left.isEmpty()
            ? null
            : new IllegalStateException(
                "a newer version turned out to be damaged when %s had a part of it, and version %s has none of that; start again and ask for an older version, such as %s"
                    .formatted(left, version, version.exact())));
  }
}
