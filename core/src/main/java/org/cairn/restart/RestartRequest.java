// SPDX-License-Identifier: Apache-2.0
package org.cairn.restart;

import java.util.Optional;
import java.util.Set;
import org.cairn.container.VersionId;

/**
 * Which version, and which of its datasets, to bring back.
 *
 * @param version a version; the newest good one if empty
 * @param only the names of the datasets wanted; all if empty
 */
public record RestartRequest(Optional<VersionId> version, Set<String> only) {

  /** All datasets of the newest version that is whole. */
  public static RestartRequest newest() {
    return new RestartRequest(Optional.empty(), Set.of());
  }

  /** This version and no other. */
  public RestartRequest version(VersionId wanted) {
    return new RestartRequest(Optional.of(wanted), only);
  }

  /** These datasets and no others. */
  public RestartRequest only(String... names) {
    return new RestartRequest(version, Set.of(names));
  }
}
