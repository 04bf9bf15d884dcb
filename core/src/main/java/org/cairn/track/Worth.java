// SPDX-License-Identifier: Apache-2.0
package org.cairn.track;

import java.util.Locale;

/**
 * Decides whether it pays to watch a dataset, from what it costs: a first write to a page that is
 * watched costs the program about as much as it costs to hash that page, or twice as much. Where
 * most of the pages are written between two checkpoints it is dearer than hashing everything; then
 * nothing is watched for a while, and after that a sample of the pages, to see whether the program
 * does something else now.
 */
final class Worth {
  private static final int SHORTEST_REST = 8;
  private static final int LONGEST_REST = 512;
  private static final double WEIGHT = 0.5;

  /** A program that takes turns with two arrays is told by two moves in a row. */
  private static final int MOST_MOVES = 2;

  /** What to do until the next checkpoint. */
  enum Plan {
    WATCH,
    SAMPLE,
    REST
  }

  private Plan plan = Plan.WATCH;
  private int rest = SHORTEST_REST;
  private int left;
  private int moves;
  private double ratio = Double.NaN;
  private String words = "tracked";

  Plan plan() {
    return plan;
  }

  /** What was decided, for people. */
  String words() {
    return words;
  }

  /** A checkpoint was taken without watching. */
  void rested() {
    left--;
    if (left <= 0) {
      plan = Plan.SAMPLE;
      words = "not tracked: a sample of its pages is, to see whether it pays now";
    }
  }

  /** The program has put other memory in its place: what was watched is of no use. */
  void moved() {
    moves++;
    if (moves >= MOST_MOVES) {
      rest("it is other memory each time");
    }
  }

  /**
   * A checkpoint was taken.
   *
   * @param now what first writes to pages cost since the one before, the scan, and hashing, against
   *     hashing everything
   */
  void observe(double now) {
    boolean sampled = plan == Plan.SAMPLE;
    ratio = sampled || Double.isNaN(ratio) ? now : ratio + WEIGHT * (now - ratio);
    moves = 0;
    String cost =
        String.format(
            Locale.ROOT, "costs %.2f of hashing everything, first writes included", ratio);
    if (ratio <= 1) {
      plan = Plan.WATCH;
      rest = sampled ? rest : SHORTEST_REST;
      words = "tracked: " + cost;
    } else {
      rest(cost);
    }
  }

  private void rest(String why) {
    plan = Plan.REST;
    left = rest;
    rest = Math.min(2 * rest, LONGEST_REST);
    ratio = Double.NaN;
    moves = 0;
    words = "not tracked for %d checkpoints: %s".formatted(left, why);
  }
}
