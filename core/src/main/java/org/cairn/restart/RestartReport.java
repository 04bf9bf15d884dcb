// SPDX-License-Identifier: Apache-2.0
package org.cairn.restart;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.cairn.container.VersionId;

/**
 * How a restart went.
 *
 * @param version the version that was restored; empty on a first run
 * @param takenAt when its checkpoint was taken
 * @param restored the datasets that have their saved content now
 * @param absent datasets that are protected, but not part of the version; they are unchanged
 * @param ignored datasets of the version that are not protected; the next checkpoint drops them
 * @param problems newer versions that could not be used, and what was found damaged
 * @param bytes how many bytes were restored
 * @param duration how long it took
 */
public record RestartReport(
    Optional<VersionId> version,
    Optional<Instant> takenAt,
    List<String> restored,
    List<String> absent,
    List<String> ignored,
    List<String> problems,
    long bytes,
    Duration duration) {

  /** Whether there was a version to restore. */
  public boolean isRestored() {
    return version.isPresent();
  }

  static RestartReport nothingSaved(List<String> problems) {
    return new RestartReport(
        Optional.empty(),
        Optional.empty(),
        List.of(),
        List.of(),
        List.of(),
        problems,
        0,
        Duration.ZERO);
  }
}
