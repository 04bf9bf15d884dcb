// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What befalls a job: some time after an iteration these ranks are lost, process and directory. The
 * same for the same seed.
 *
 * @param iteration not before this one
 * @param later and then so much later
 * @param ranks the ranks that are lost
 */
record Disaster(long iteration, Duration later, SortedSet<Integer> ranks) {
  private static final double FIRST = .3;
  private static final double LAST = .6;
  private static final int LATEST_MILLIS = 40;

  /** The same, for a job that was faster than what was to befall it. */
  Disaster earlier() {
    return new Disaster(iteration / 2, Duration.ZERO, ranks);
  }

  /**
   * Plans one.
   *
   * @param apart whether no two neighbours may be lost, because one has the copy of the other
   */
  static Disaster of(int ranks, int lost, boolean apart, long iterations, long seed) {
    Random random = new Random(seed);
    double share = FIRST + (LAST - FIRST) * random.nextDouble();
    Duration later = Duration.ofNanos(random.nextLong(LATEST_MILLIS * 1_000_000L));
    List<Integer> order = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      order.add(rank);
    }
    SortedSet<Integer> chosen = new TreeSet<>();
    while (chosen.size() < lost) {
      chosen.clear();
      Collections.shuffle(order, random);
      for (int rank : order) {
        boolean alone =
            !chosen.contains((rank + 1) % ranks) && !chosen.contains((rank + ranks - 1) % ranks);
        if (chosen.size() < lost && (alone || !apart)) {
          chosen.add(rank);
        }
      }
    }
    return new Disaster((long) (share * iterations), later, chosen);
  }
}
