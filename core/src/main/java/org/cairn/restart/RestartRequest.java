// SPDX-License-Identifier: Apache-2.0
package org.cairn.restart;

import java.util.Optional;
import java.util.Set;
import org.cairn.version.VersionId;
import org.cairn.version.VersionName;

/**
 * Which version, and which of its datasets, to bring back.
 *
 * @param version a version; the newest good one if empty
 * @param only the names of the datasets wanted; all if empty
 */
public record RestartRequest(Optional<VersionName> version, Set<String> only) {

  /** All datasets of the newest version that is whole. */
  public static RestartRequest newest() {
    return new RestartRequest(Optional.empty(), Set.of());
  }

  /** This version and no other. */
  public RestartRequest version(VersionName wanted) {
    return new RestartRequest(Optional.of(wanted), only);
  }

  /** This version and no other. */
  public RestartRequest version(VersionId wanted) {
    return version(VersionName.of(wanted));
  }

  /** This version and no other, as a person writes it: {@code 1.3} or {@code 1.3@5f0c91aa}. */
  public RestartRequest version(String wanted) {
    return version(VersionName.parse(wanted));
  }

  /** These datasets and no others. */
  public RestartRequest only(String... names) {
    return new RestartRequest(version, Set.of(names));
  }
}
