// SPDX-License-Identifier: Apache-2.0
package org.cairn.frame;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What was found best for a class of variables, and why.
 *
 * @param key the class
 * @param tried what came out of trials, at least one at each level that is considered
 * @param sampled of how many bytes
 * @param taken what the last frame with such variables was encoded by; empty if there was none
 */
public record Choice(String key, List<Estimate> tried, long sampled, Optional<Estimate> taken) {
  /** Takes a copy. */
  public Choice {
    tried = List.copyOf(tried);
  }

  /** A choice that nothing was encoded by yet. */
  Choice(String key, List<Estimate> tried, long sampled) {
    this(key, tried, sampled, Optional.empty());
  }

  /**
   * What a transform and a level make of a class.
   *
   * @param stored the part of the bytes that is stored
   * @param nanosPerByte how long one thread takes for a byte
   */
  public record Estimate(Recipe recipe, int level, double stored, double nanosPerByte) {
    /** How many times smaller it becomes. */
    public double ratio() {
      return 1 / Math.max(stored, 1e-9);
    }

    /** The same, taken for what another level does. */
    Estimate at(int other) {
      return new Estimate(recipe, other, stored, nanosPerByte);
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%s, level %d: ratio %.2f%s",
          recipe,
          level,
          ratio(),
          nanosPerByte > 0 ? String.format(Locale.ROOT, " at %.0f MB/s", 1e3 / nanosPerByte) : "");
    }
  }

  /** What is best at a level by some measure, of which less is better. */
  Estimate best(int level, Comparator<Estimate> measure) {
    return tried.stream()
        .filter(estimate -> estimate.level() == level)
        .min(measure)
        .orElseThrow(() -> new IllegalArgumentException("level %d was not tried".formatted(level)));
  }
}
