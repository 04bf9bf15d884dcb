// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.run;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.cairn.plan.Checks;

/**
 * How severe the interruptions of a run were: which tiers its restarts needed besides what each
 * rank had itself.
 *
 * @param restarts after interruptions, of which a version was restored
 * @param severe those of them that needed another tier than the local one
 * @param byTier how many restarts needed each of these tiers
 */
public record Severities(int restarts, int severe, Map<String, Integer> byTier) {
  /** Copies the map. */
  public Severities {
    byTier = Map.copyOf(byTier);
  }

  static Severities of(List<Life> lives) {
    int restarts = 0;
    int severe = 0;
    Map<String, Integer> byTier = new LinkedHashMap<>();
    for (int i = 1; i < lives.size(); i++) {
      Optional<RunEvent.Restarted> restart = lives.get(i).firstRestart();
      if (restart.isPresent() && isInterruption(lives.get(i - 1), restart.get())) {
        Set<String> tiers = restart.get().tiers();
        restarts++;
        severe += tiers.isEmpty() ? 0 : 1;
        tiers.forEach(tier -> byTier.merge(tier, 1, Integer::sum));
      }
    }
    return new Severities(restarts, severe, byTier);
  }

  /** A signal ends all ranks when one is lost; then something of that one had to be fetched. */
  private static boolean isInterruption(Life before, RunEvent.Restarted restart) {
    return !before.closed() && (!before.terminated() || !restart.tiers().isEmpty());
  }

  /**
   * What part of the interruptions is severe. A few restarts say little, so what one would expect
   * without any counts as one of them.
   *
   * @param expected the part without any restart, 0 to 1
   */
  public double share(double expected) {
    Checks.share(expected, "the expected part of severe failures");
    return (severe + expected) / (restarts + 1);
  }
}
