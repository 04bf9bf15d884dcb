// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.multilevel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import org.cairn.plan.interval.Conditions;
import org.cairn.plan.interval.IntervalRule;
import org.cairn.plan.numeric.Minimum;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;

class BestPatternTest {

  @Test
  void oneLevelHasTheExactInterval() {
    BestPattern best = BestPattern.of(List.of(new Level("disk", 1.0 / 3600, 10, 20)));
    double exact = IntervalRule.EXACT.interval(new Conditions(10, 20, 3600));
    assertThat(best.pattern().interval()).isCloseTo(exact, within(exact * 1e-4));
  }

  @SeededTest(seeds = 1)
  void noPatternOfSmallCountsIsBetter(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 4; i++) {
      List<Level> levels =
          List.of(
              new Level("local", random.nextDouble(1e-5, 1e-3), random.nextDouble(0.5, 5), 2),
              new Level("partner", random.nextDouble(1e-6, 2e-4), random.nextDouble(5, 20), 10),
              new Level("shared", random.nextDouble(1e-7, 2e-5), random.nextDouble(20, 200), 60));
      BestPattern best = BestPattern.of(levels);
      PatternModel model = new PatternModel(levels);
      for (int a = 1; a <= 8; a++) {
        for (int b = 1; b <= 8; b++) {
          int[] counts = {a, b};
          double w = Minimum.onLogScale(t -> model.slowdown(new Pattern(t, counts)), 0.1, 1e5);
          assertThat(best.slowdown())
              .as("seed %s, %s against %s %s", seed, best, a, b)
              .isLessThanOrEqualTo(model.slowdown(new Pattern(w, counts)) * (1 + 1e-9));
        }
      }
    }
  }

  @Test
  void levelThatCostsMoreThanItSavesIsLeftOut() {
    Level local = new Level("local", 1e-4, 1, 1);
    Level useless = new Level("useless", 1e-9, 99, 99);
    Level shared = new Level("shared", 1e-5, 100, 100);
    List<BestPattern> found = BestPattern.ofSubsets(List.of(local, useless, shared));
    assertThat(found).hasSize(4); // the highest level is always there
    assertThat(found.getFirst().levels()).extracting(Level::name).contains("local", "shared");
    assertThat(found).allSatisfy(p -> assertThat(p.levels().getLast().name()).isEqualTo("shared"));
    BestPattern two =
        found.stream()
            .filter(
                p ->
                    p.levels().stream()
                        .map(Level::name)
                        .toList()
                        .equals(List.of("local", "shared")))
            .findFirst()
            .orElseThrow();
    assertThat(two.levels().getLast().rate()).isCloseTo(1e-5 + 1e-9, within(1e-20));
  }

  @Test
  void cheapCheckpointsPay() {
    List<BestPattern> found =
        BestPattern.ofSubsets(
            List.of(new Level("local", 1e-4, 1, 1), new Level("shared", 1e-5, 100, 100)));
    assertThat(found.getFirst().levels()).hasSize(2);
    assertThat(found.getFirst().pattern().counts()[0]).isGreaterThan(3);
    assertThat(found.getFirst().efficiency()).isGreaterThan(found.get(1).efficiency() + 0.01);
  }
}
