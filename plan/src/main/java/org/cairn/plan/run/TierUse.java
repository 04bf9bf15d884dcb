// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.run;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a tier cost.
 *
 * <p>A restart brings the version that it restored to the tiers again, in case that something of it
 * was lost. Mostly nothing was, and that is quick, so it must not count as what a checkpoint costs.
 *
 * @param tier its label, such as {@code partner}
 * @param reached versions that came there on some rank
 * @param failed versions that failed on some rank
 * @param skipped versions left out because the tier was busy
 * @param repeated how often a restart brought a version there again
 * @param seconds the time of the slowest rank for each version that came there, the first time
 * @param bytes what each rank sent or wrote for each of these
 */
public record TierUse(
    String tier,
    int reached,
    int failed,
    int skipped,
    int repeated,
    Optional<Spread> seconds,
    Optional<Spread> bytes) {

  /** What is known of a tier while ranks are gone through. */
  private static final class Tally {
    private final Map<String, Double> slowest = new LinkedHashMap<>();
    private final List<Long> bytes = new ArrayList<>();
    private final Set<String> failed = new HashSet<>();
    private final Set<String> skipped = new HashSet<>();
    private int repeated;

    void add(List<RunEvent.Tiered> ofOneRank) {
      Set<String> before = new HashSet<>();
      int again = 0;
      for (RunEvent.Tiered event : ofOneRank) {
        switch (event.outcome()) {
          case FAILED -> failed.add(event.version());
          case SKIPPED -> skipped.add(event.version());
          case REACHED -> {
            if (before.add(event.version())) {
              reach(event);
            } else {
              again++;
            }
          }
        }
      }
      repeated = Math.max(repeated, again);
    }

    private void reach(RunEvent.Tiered event) {
      // A time that is not known must not hide that of another rank.
      double seconds = Double.isNaN(event.seconds()) ? -1 : event.seconds();
      slowest.merge(event.version(), seconds, Math::max);
      bytes.add(event.bytes());
    }

    TierUse use(String tier) {
      return new TierUse(
          tier,
          slowest.size(),
          failed.size(),
          skipped.size(),
          repeated,
          Spread.of(slowest.values().stream().mapToDouble(d -> d).filter(d -> d >= 0)),
          Spread.of(bytes.stream().mapToDouble(b -> b)));
    }
  }

  /** Of each tier, in the order of their first use. */
  static List<TierUse> of(List<RankHistory> ranks) {
    Map<String, Tally> tallies = new LinkedHashMap<>();
    for (RankHistory rank : ranks) {
      Map<String, List<RunEvent.Tiered>> tiers = new LinkedHashMap<>();
      for (RunEvent.Tiered event : rank.events(RunEvent.Tiered.class)) {
        tiers.computeIfAbsent(event.tier(), ignored -> new ArrayList<>()).add(event);
      }
      tiers.forEach(
          (tier, events) -> tallies.computeIfAbsent(tier, ignored -> new Tally()).add(events));
    }
    return tallies.entrySet().stream().map(tier -> tier.getValue().use(tier.getKey())).toList();
  }
}
