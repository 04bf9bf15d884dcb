// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.util.Optional;
import org.cairn.record.Digest;
import org.cairn.version.Delta;
import org.cairn.version.VersionId;

/**
 * What leads to the version that a tier is to take: over all versions that the rank's own container
 * published since, whether other ranks have them or not.
 */
@FunctionalInterface
public interface Deltas {
  /** Nothing is known: maps have to be compared. */
  Deltas UNKNOWN = (base, root) -> Optional.empty();

  /**
   * What leads from a version there, if that is known.
   *
   * @param base a version that the tier has
   * @param root its root digest there
   */
  Optional<Delta> since(VersionId base, Digest root);
}
