// SPDX-License-Identifier: Apache-2.0
package org.cairn.container;

import java.util.List;
import java.util.Set;
import org.cairn.version.VersionId;

/** Which versions a commit keeps beside its own. */
@FunctionalInterface
public interface Retention {
  /**
   * Chooses.
   *
   * @param versions all there are, oldest first; the last one is just being committed, and stays
   *     whatever the answer
   */
  Set<VersionId> keep(List<VersionId> versions);

  /** Keeps this many versions, the newest. */
  static Retention newest(int count) {
    if (count < 1) {
      throw new IllegalArgumentException("retain " + count + " versions; keep at least 1");
    }
    return versions ->
        Set.copyOf(versions.subList(Math.max(0, versions.size() - count), versions.size()));
  }
}
