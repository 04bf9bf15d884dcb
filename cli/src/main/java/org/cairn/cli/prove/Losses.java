// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.prove;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many directories of ranks may be lost, by what the job says of its tiers: with partners one,
 * with parity as many as a group bears, with a shared directory all. Nobody asks how ranks are
 * grouped, so no more than one group bears are taken of all.
 *
 * @param byTier the most that each tier makes up for
 */
record Losses(int ranks, Map<String, Integer> byTier) {
  private static final Pattern TIERS =
      Pattern.compile(
          "partner every (\\d+) .*erasure every (\\d+) in groups of (\\d+) bearing (\\d+), shared"
              + " every (\\d+) .*");

  /**
   * Reads what a job says when it is opened.
   *
   * @param tiers as {@code Tiers.toString()}
   */
  static Losses of(int ranks, String tiers) {
    Map<String, Integer> most = new HashMap<>();
    Matcher said = TIERS.matcher(tiers);
    if (ranks > 1 && said.matches()) {
      if (number(said, 1) > 0) {
        most.put("partner", 1);
      }
      if (number(said, 2) > 0) {
        int group = Math.min(number(said, 3), ranks);
        int bears = number(said, 4) == 0 ? (group < 4 ? 1 : 2) : number(said, 4);
        most.put("erasure", Math.min(bears, group - 1));
      }
      if (number(said, 5) > 0) {
        most.put("shared", ranks);
      }
    }
    return new Losses(ranks, Map.copyOf(most));
  }

  private static int number(Matcher said, int group) {
    return Integer.parseInt(said.group(group));
  }

  /**
   * Draws which ranks lose their directory with their process.
   *
   * @param tier the one that has to make up for it; empty if no directory is lost
   */
  record Loss(String tier, SortedSet<Integer> ranks) {
    static final Loss NONE = new Loss("", Collections.emptySortedSet());

    /** Whether the tier has a version of all ranks, so that they can be lost. */
    boolean isBearable(int all, List<Seen> events) {
      Map<String, Set<Integer>> reached = new HashMap<>();
      for (Seen event : events) {
        if (event.is("tier") && event.event().path("tier").asString("").equals(tier)) {
          reached.computeIfAbsent(event.version(), _ -> new HashSet<>()).add(event.rank());
        }
      }
      return reached.values().stream().anyMatch(having -> having.size() == all);
    }
  }

  Loss draw(Random random) {
    if (byTier.isEmpty()) {
      return Loss.NONE;
    }
    List<String> tiers = byTier.keySet().stream().sorted().toList();
    String tier = tiers.get(random.nextInt(tiers.size()));
    int lost = 1 + random.nextInt(byTier.getOrDefault(tier, 1));
    List<Integer> order = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      order.add(rank);
    }
    Collections.shuffle(order, random);
    return new Loss(tier, new TreeSet<>(order.subList(0, lost)));
  }
}
