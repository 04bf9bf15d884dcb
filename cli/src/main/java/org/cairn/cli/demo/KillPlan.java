// SPDX-License-Identifier: Apache-2.0
package org.cairn.cli.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Random moments, spread over the middle of a run; the same for the same seed. */
final class KillPlan {
  private static final double FIRST = .15;
  private static final double LAST = .85;
  private static final int LATEST_MILLIS = 60;

  private KillPlan() {}

  static List<HeatProcess.Kill> of(int kills, long iterations, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<HeatProcess.Kill> plan = new ArrayList<>();
    for (int i = 0; i < kills; i++) {
      double share = FIRST + (LAST - FIRST) * (i + random.nextDouble()) / kills;
      Duration later = Duration.ofNanos(random.nextLong(LATEST_MILLIS * 1_000_000L));
      plan.add(new HeatProcess.Kill((long) (share * iterations), later));
    }
    return plan;
  }
}
