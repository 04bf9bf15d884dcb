// SPDX-License-Identifier: Apache-2.0
package org.cairn.plan.multilevel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.cairn.plan.interval.Conditions;
import org.cairn.plan.interval.WallTime;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;

class PatternModelTest {

  @Test
  void segmentHasTheProbabilitiesOfItsRates() {
    Segment segment = Segment.of(3600, 2e-7, 1.8e-6, 4e-7);
    assertThat(segment.success()).isCloseTo(0.991397218, within(5e-10));
    assertThat(segment.failure()[0]).isCloseTo(7.168985e-4, within(5e-11));
    assertThat(segment.failure()[1]).isCloseTo(6.452087e-3, within(5e-10));
    assertThat(segment.failure()[2]).isCloseTo(1.433797e-3, within(5e-10));
    assertThat(segment.timeToFailure()).isCloseTo(1797.408003, within(5e-7));
  }

  @Test
  void segmentWithoutFailuresSucceeds() {
    Segment segment = Segment.of(10, 0, 0);
    assertThat(segment.success()).isEqualTo(1);
    assertThat(segment.failure()).containsExactly(0, 0);
    assertThat(segment.time()).isEqualTo(10);
  }

  @Test
  void givesTheTimeOfATwoLevelPattern() {
    List<Level> levels = List.of(new Level("1", 1e-3, 5, 5), new Level("2", 2e-4, 30, 40));
    assertThat(new PatternModel(levels).expectedTime(new Pattern(100, 4)))
        .isCloseTo(500.249583, within(5e-7));
  }

  @SeededTest(seeds = 1)
  void oneLevelIsDalysModel(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 200; i++) {
      double cost = random.nextDouble(0.01, 2);
      double restart = random.nextDouble(0, 3);
      double w = random.nextDouble(0.1, 5);
      PatternModel model = new PatternModel(List.of(new Level("only", 0.5, cost, restart)));
      double daly = WallTime.expected(new Conditions(cost, restart, 2), w, w).total();
      assertThat(model.expectedTime(new Pattern(w))).isCloseTo(daly, within(daly * 1e-11));
    }
  }

  /** The same Markov chain, all of its states, solved as a matrix. */
  @SeededTest(seeds = 1)
  void agreesWithTheMarkovChainOfAllStates(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 100; i++) {
      int count = 1 + random.nextInt(4);
      List<Level> levels = new ArrayList<>();
      for (int l = 0; l < count; l++) {
        levels.add(
            new Level(
                "L" + l,
                random.nextInt(5) == 0 ? 0 : random.nextDouble(1e-5, 5e-3),
                random.nextDouble(0.1, 10),
                random.nextDouble(0, 10)));
      }
      int[] counts = new int[count - 1];
      for (int l = 0; l < counts.length; l++) {
        counts[l] = 1 + random.nextInt(4);
      }
      Pattern pattern = new Pattern(random.nextDouble(0.5, 20), counts);
      double chain = MarkovChain.expectedTime(levels, pattern);
      assertThat(new PatternModel(levels).expectedTime(pattern))
          .as("seed %s, %s, %s", seed, levels, pattern)
          .isCloseTo(chain, within(chain * 1e-9));
    }
  }

  @Test
  void levelsFollowTheCounts() {
    Pattern pattern = new Pattern(1, 2, 3);
    StringBuilder levels = new StringBuilder();
    for (int i = 0; i < pattern.length(); i++) {
      levels.append(pattern.level(i));
    }
    assertThat(levels).hasToString("010102");
    assertThat(new Pattern(1, 1, 2).level(0)).isEqualTo(1);
  }

  @Test
  void refusesPatternsThatDoNotFit() {
    PatternModel model = new PatternModel(List.of(new Level("only", 1, 1, 1)));
    assertThatThrownBy(() -> model.expectedTime(new Pattern(1, 4)))
        .hasMessageContaining("2 levels for 1");
    assertThatThrownBy(() -> new Pattern(1, 0)).hasMessageContaining("at least 1");
    assertThatThrownBy(() -> new PatternModel(List.of())).hasMessageContaining("no levels");
    assertThatThrownBy(() -> new Level("disk", -1, 1, 1)).hasMessageContaining("disk is -1");
  }
}
