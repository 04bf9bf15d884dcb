// SPDX-License-Identifier: Apache-2.0
package org.cairn.tier.shared;

import java.time.Instant;
import java.util.List;
import org.cairn.version.VersionId;

/**
 * What was verified beside a flush.
 *
 * @param version the version that was flushed
 * @param rank whose blocks were read
 * @param blocks how many of them, in older segments
 * @param damages what was found damaged there; all of it was written again into the new segment
 * @param oldest when those blocks were verified that were not for the longest time
 */
public record ScrubReport(
    VersionId version, int rank, long blocks, List<String> damages, Instant oldest) {
  /** Copies the list. */
  public ScrubReport {
    damages = List.copyOf(damages);
  }
}
