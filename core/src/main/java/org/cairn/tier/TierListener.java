// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier;

import java.time.Duration;
import org.cairn.TierKind;
import org.cairn.version.VersionId;
import org.jspecify.annotations.Nullable;

/** Is told what tiers do. Called by their threads. */
public interface TierListener {
  /** A tier begins with a version. */
  void started(TierKind tier, VersionId version);

  /**
   * A tier is done with a version.
   *
   * @param failure why not all ranks have it there; null if they have
   */
  void ended(
      TierKind tier, VersionId version, long bytes, Duration time, @Nullable Throwable failure);

  /** A tier has something to tell of how it brought a version there, in words. */
  default void remarked(TierKind tier, VersionId version, String remark) {}

  /** A version was to go to a tier that was still busy with an older one. */
  void skipped(TierKind tier, VersionId version);
}
