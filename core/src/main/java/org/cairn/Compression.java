// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * How much effort is spent to make stored data small. Which transform suits which data is found by
 * trying, whatever the effort.
 *
 * @param goal what is to be had
 * @param levels the levels of Zstandard that are considered; 0 stores data as they are
 */
public record Compression(Goal goal, List<Integer> levels) {
  private static final int MOST_LEVEL = 19;

  /** What is to be had. */
  public enum Goal {
    /** Data as they are. */
    NONE,
    /** Little work, little saving. */
    FAST,
    /** Much work, much saving. */
    SMALL,
    /** The least time for compressing and storing together. */
    AUTO
  }

  /** Refuses levels that there are not. */
  public Compression {
    levels = List.copyOf(levels);
    if (levels.isEmpty() || !areAll(levels)) {
      throw new IllegalArgumentException(
          "levels are 1 to %d, or 0 for none, unlike %s".formatted(MOST_LEVEL, levels));
    }
  }

  private static boolean areAll(List<Integer> levels) {
    for (int level : levels) {
      if (level < 0 || level > MOST_LEVEL) {
        return false;
      }
    }
    return true;
  }

  /** Data are stored as they are. */
  public static Compression none() {
    return new Compression(Goal.NONE, List.of(0));
  }

  /** Several times faster than gzip, about as small. */
  public static Compression fast() {
    return new Compression(Goal.FAST, List.of(1));
  }

  /** Smaller than gzip, and faster. */
  public static Compression small() {
    return new Compression(Goal.SMALL, List.of(6));
  }

  /** As small as can be had with an effort of 1 to 19. */
  public static Compression small(int level) {
    if (level == 0) {
      throw new IllegalArgumentException("level 0 makes nothing small; use none()");
    }
    return new Compression(Goal.SMALL, List.of(level));
  }

  /**
   * What takes the least time for compressing and storing together: a fast store gets data as they
   * are, a slow one small data.
   */
  public static Compression auto() {
    return new Compression(Goal.AUTO, List.of(0, 1, 3, 6));
  }

  /** Whether data are ever compressed. */
  public boolean isOn() {
    return goal != Goal.NONE;
  }

  /**
   * The compression with this name, whatever its case.
   *
   * @throws IllegalArgumentException if there is none, naming those there are
   */
  public static Compression parse(String name) {
    return switch (name.strip().toLowerCase(Locale.ROOT)) {
      case "none" -> none();
      case "fast" -> fast();
      case "small" -> small();
      case "auto" -> auto();
      default ->
          throw new IllegalArgumentException(
              "Unknown compression \"%s\"; known are %s"
                  .formatted(
                      name,
                      Arrays.stream(Goal.values())
                          .map(goal -> goal.name().toLowerCase(Locale.ROOT))
                          .collect(Collectors.joining(", "))));
    };
  }

  /** As a person writes it: {@code small}, or {@code small (level 9)}. */
  @Override
  public String toString() {
    String name = goal.name().toLowerCase(Locale.ROOT);
    return goal == Goal.SMALL && !equals(small())
        ? "%s (level %d)".formatted(name, levels.getLast())
        : name;
  }
}
