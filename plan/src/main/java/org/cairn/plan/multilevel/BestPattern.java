// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.multilevel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.cairn.plan.numeric.Minimum;

/**
 * The pattern that wastes least: how long to compute between checkpoints, how many cheap ones for
 * each expensive one, and which levels to use at all.
 *
 * <p>For given counts the interval is found by golden sections of the exact model; the counts by
 * descent from neighbour to neighbour (one more or less, an eighth, twice or half as many), from
 * several starts. The waste is flat around its optimum, so that a neighbour missed costs little;
 * the tests compare with all patterns of small counts.
 *
 * @param levels those that the pattern uses, with the failures of unused ones added to the next
 *     higher
 * @param pattern the best one
 * @param slowdown expected seconds for each second of work
 */
public record BestPattern(List<Level> levels, Pattern pattern, double slowdown) {
  private static final int LONGEST = 10_000_000;

  /** What part of the time is useful. */
  public double efficiency() {
    return 1 / slowdown;
  }

  /** The best pattern that uses all of these levels, the cheapest first. */
  public static BestPattern of(List<Level> levels) {
    PatternModel model = new PatternModel(levels);
    BestPattern best = null;
    for (int start : new int[] {1, 4, 16}) {
      int[] counts = new int[levels.size() - 1];
      Arrays.fill(counts, start);
      if (Pattern.product(counts) <= LONGEST) {
        BestPattern found = descend(levels, model, counts);
        best = best == null || found.slowdown < best.slowdown ? found : best;
      }
    }
    if (best == null) {
      throw new IllegalArgumentException(levels.size() + " levels are too many");
    }
    return best;
  }

  /**
   * The best pattern for each choice of levels that can recover from everything, the best first. A
   * level left out leaves its failures to the next higher one.
   */
  public static List<BestPattern> ofSubsets(List<Level> levels) {
    List<BestPattern> found = new ArrayList<>();
    for (int mask = 1; mask < 1 << levels.size(); mask++) {
      List<Level> chosen = choose(levels, mask);
      if (!chosen.isEmpty()) {
        found.add(of(chosen));
      }
    }
    found.sort(Comparator.comparingDouble(BestPattern::slowdown));
    return found;
  }

  /** The levels of a mask with the rates of the others; empty if some failure is left to none. */
  private static List<Level> choose(List<Level> levels, int mask) {
    List<Level> chosen = new ArrayList<>();
    double waiting = 0;
    for (int i = 0; i < levels.size(); i++) {
      waiting += levels.get(i).rate();
      if ((mask >> i & 1) != 0) {
        chosen.add(levels.get(i).withRate(waiting));
        waiting = 0;
      }
    }
    return waiting > 0 ? List.of() : chosen;
  }

  private static BestPattern descend(List<Level> levels, PatternModel model, int[] start) {
    BestPattern best = withCounts(levels, model, start);
    boolean improved = true;
    while (improved) {
      improved = false;
      for (int[] counts : neighbours(best.pattern.counts())) {
        BestPattern candidate = withCounts(levels, model, counts);
        if (candidate.slowdown < best.slowdown * (1 - 1e-12)) {
          best = candidate;
          improved = true;
        }
      }
    }
    return best;
  }

  /**
   * Small and large steps: where the higher level is hardly ever needed, the best count is in the
   * thousands, and to get there one by one would take minutes.
   */
  private static int[] steps(int here) {
    int large = here / 8;
    int small = here / 64;
    return new int[] {
      here - 1, here + 1, here * 2, here / 2, here - large, here + large, here - small, here + small
    };
  }

  private static List<int[]> neighbours(int[] counts) {
    List<int[]> neighbours = new ArrayList<>();
    for (int i = 0; i < counts.length; i++) {
      int here = counts[i];
      for (int count : steps(here)) {
        int[] neighbour = counts.clone();
        neighbour[i] = count;
        if (count >= 1 && count != here && Pattern.product(neighbour) <= LONGEST) {
          neighbours.add(neighbour);
        }
      }
    }
    return neighbours;
  }

  private static BestPattern withCounts(List<Level> levels, PatternModel model, int[] counts) {
    double cheapest = levels.stream().mapToDouble(Level::cost).min().orElseThrow();
    double rate = levels.stream().mapToDouble(Level::rate).sum();
    // Without failures any interval is good, the longer the better.
    double longest = rate == 0 ? cheapest * 1e9 : Math.max(20 / rate, cheapest * 10);
    double interval =
        Minimum.onLogScale(w -> model.slowdown(new Pattern(w, counts)), cheapest * 1e-3, longest);
    Pattern pattern = new Pattern(interval, counts);
    return new BestPattern(levels, pattern, model.slowdown(pattern));
  }
}
