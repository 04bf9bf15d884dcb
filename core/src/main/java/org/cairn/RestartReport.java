// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.cairn.version.VersionId;

/**
 * How a restart went.
 *
 * @param version the version that was restored; empty on a first run
 * @param takenAt when its checkpoint was taken
 * @param restored the datasets that have their saved content now
 * @param changed what was renamed, converted, or has a {@linkplain RestartRequest#orElse default},
 *     in words
 * @param absent datasets that are protected, but not part of the version, and have no default; they
 *     are unchanged
 * @param ignored datasets of the version that nothing protected and nobody {@linkplain
 *     RestartRequest#dropping gives up}: {@code protect} restores them, and a checkpoint refuses to
 *     drop them
 * @param contents all that the version has, of all ranks
 * @param problems newer versions that could not be used, and what was found damaged
 * @param bytes how many bytes were restored
 * @param duration how long it took
 * @param origins for each rank the tier its state came from; empty if there is one rank only
 */
public record RestartReport(
    Optional<VersionId> version,
    Optional<Instant> takenAt,
    List<String> restored,
    List<String> changed,
    List<String> absent,
    List<String> ignored,
    List<Content> contents,
    List<String> problems,
    long bytes,
    Duration duration,
    List<String> origins) {

  /**
   * What ranks saved under a name: an array that they had parts of, or a dataset.
   *
   * @param name of the array or dataset, as the program calls it now
   * @param shape of an array as a whole; of a bag how many items all ranks had, and elements of an
   *     item; of a dataset that is the same everywhere, or that one rank had alone, its own; empty
   *     if several ranks had one each
   */
  public record Content(String name, Kind kind, ElementType type, List<Long> shape) {
    /** What it was of what all ranks had. */
    public enum Kind {
      /** Ranks had parts of it. */
      ARRAY,
      /** Ranks had items of it. */
      BAG,
      /** It was the same on all ranks. */
      EVERYWHERE,
      /** It was one rank's alone, on each that had it. */
      ALONE
    }

    /** Copies the shape. */
    public Content {
      shape = List.copyOf(shape);
    }
  }

  /** Whether there was a version to restore. */
  public boolean isRestored() {
    return version.isPresent();
  }

  /** The same, with more problems and the tier that each rank's state came from. */
  public RestartReport of(List<String> moreProblems, List<String> tiers, Duration time) {
    List<String> all = new ArrayList<>(moreProblems);
    problems.stream().filter(problem -> !all.contains(problem)).forEach(all::add);
    return new RestartReport(
        version,
        takenAt,
        restored,
        changed,
        absent,
        ignored,
        contents,
        List.copyOf(all),
        bytes,
        time,
        tiers);
  }

  /** The same, with all that the version has. */
  public RestartReport containing(List<Content> all) {
    return new RestartReport(
        version,
        takenAt,
        restored,
        changed,
        absent,
        ignored,
        List.copyOf(all),
        problems,
        bytes,
        duration,
        origins);
  }

  /** What the version has under a name. */
  public Optional<Content> content(String name) {
    return contents.stream().filter(one -> one.name.equals(name)).findFirst();
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
        List.of(),
        List.of(),
        problems,
        0,
        Duration.ZERO,
        List.of());
  }

  /** What happened, in a line, and a line for each problem. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    version.ifPresentOrElse(
        restoredVersion -> describe(restoredVersion, text),
        () -> text.append("nothing was restored"));
    problems.forEach(problem -> text.append("\n  ").append(problem));
    return text.toString();
  }

  private void describe(VersionId restoredVersion, StringBuilder text) {
    text.append("version ").append(restoredVersion);
    takenAt.ifPresent(time -> text.append(", taken ").append(time));
    text.append(": restored ").append(restored);
    text.append(
        String.format(Locale.ROOT, " (%,d bytes in %.3f s)", bytes, duration.toNanos() * 1e-9));
    if (!origins.isEmpty()) {
      text.append(", from ").append(origins);
    }
    changed.forEach(change -> text.append("; ").append(change));
    if (!absent.isEmpty()) {
      text.append("; not in it, unchanged ").append(absent);
    }
    if (!ignored.isEmpty()) {
      text.append("; in it, protected by nothing ").append(ignored);
    }
  }
}
