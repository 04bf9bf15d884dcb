// SPDX-License-Identifier: Apache-2.0
package org.cairn.restart;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.cairn.version.VersionId;

/**
 * How a restart went.
 *
 * @param version the version that was restored; empty on a first run
 * @param takenAt when its checkpoint was taken
 * @param restored the datasets that have their saved content now
 * @param absent datasets that are protected, but not part of the version; they are unchanged
 * @param ignored datasets of the version that nothing protected and nobody {@linkplain
 *     RestartRequest#dropping gives up}: {@code protect} restores them, and a checkpoint refuses to
 *     drop them
 * @param problems newer versions that could not be used, and what was found damaged
 * @param bytes how many bytes were restored
 * @param duration how long it took
 * @param origins for each rank the tier its state came from; empty if there is one rank only
 */
public record RestartReport(
    Optional<VersionId> version,
    Optional<Instant> takenAt,
    List<String> restored,
    List<String> absent,
    List<String> ignored,
    List<String> problems,
    long bytes,
    Duration duration,
    List<String> origins) {

  /** Whether there was a version to restore. */
  public boolean isRestored() {
    return version.isPresent();
  }

  /** The same, with more problems and the tier that each rank's state came from. */
  public RestartReport of(List<String> moreProblems, List<String> tiers, Duration time) {
    List<String> all = new ArrayList<>(moreProblems);
    problems.stream().filter(problem -> !all.contains(problem)).forEach(all::add);
    return new RestartReport(
        version, takenAt, restored, absent, ignored, List.copyOf(all), bytes, time, tiers);
  }

  /** The same, with what else was seen and left alone. */
  public RestartReport beside(List<String> others) {
    return of(others, origins, duration);
  }

  /** There was nothing to restore. */
  public static RestartReport nothingSaved(List<String> problems) {
    return new RestartReport(
        Optional.empty(),
        Optional.empty(),
        List.of(),
        List.of(),
        List.of(),
        problems,
        0,
        Duration.ZERO,
        List.of());
  }
}
