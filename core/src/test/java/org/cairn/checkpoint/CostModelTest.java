// SPDX-License-Identifier: Apache-2.0
package org.cairn.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.cairn.Strategy;
import org.junit.jupiter.api.Test;

/** Equations 3 to 5 of the differential-checkpoint paper, and the decisions made with them. */
class CostModelTest {
  /** The rates of section VIII: 16 KiB blocks, MD5. */
  private static final double WRITE = 1.35e-3;

  private static final double HASH = 3.92e-5;

  @Test
  void reproducesThePapersThreshold() {
    double rho = HASH / WRITE;
    assertThat(rho).isCloseTo(0.029, within(1e-4));
    assertThat(CostModel.threshold(HASH, WRITE, CostModel.PASSES_IN_THE_PAPER))
        .isCloseTo((1 - rho) / (1 + rho), within(1e-12));
  }

  @Test
  void reproducesThePapersExpectedSpeedups() {
    double lulesh = CostModel.relativeCost(HASH, WRITE, 0.03, CostModel.PASSES_IN_THE_PAPER);
    assertThat(lulesh).as("LULESH, 3 %% dirty: about 94 %%").isCloseTo(-0.94, within(0.005));
    double xpic = CostModel.relativeCost(HASH, WRITE, 0.50, CostModel.PASSES_IN_THE_PAPER);
    assertThat(xpic).as("xPic, 50 %% dirty: about 46 %%").isCloseTo(-0.46, within(0.005));
  }

  @Test
  void atTheThresholdNothingIsGained() {
    for (int passes = 1; passes <= 2; passes++) {
      double threshold = CostModel.threshold(2e-6, 9e-6, passes);
      assertThat(CostModel.relativeCost(2e-6, 9e-6, threshold, passes)).isCloseTo(0, within(1e-12));
    }
  }

  @Test
  void hashingOnceRaisesTheThreshold() {
    assertThat(CostModel.threshold(1, 4, CostModel.PASSES_HERE)).isEqualTo(0.75);
    assertThat(CostModel.threshold(1, 4, CostModel.PASSES_IN_THE_PAPER)).isEqualTo(0.6);
  }

  private static CostModel measured(double hashRate, double writeRate, double dirty) {
    CostModel model = new CostModel();
    model.observeHashing(1_000_000, 1_000_000 / hashRate);
    model.observeWriting(1_000_000, 1_000_000 / writeRate);
    model.observeDirty(dirty);
    return model;
  }

  @Test
  void aFullOneIsChosenWhereComparingDoesNotPay() {
    CostModel.Decision decision = measured(4e9, 1e9, 0.8).decide(Strategy.AUTO, true);
    assertThat(decision.full()).isTrue();
    assertThat(decision.reason()).contains("80.0 % dirty", "below 75.0 %", "4.00 GB/s");
  }

  @Test
  void belowTheThresholdComparingIsChosen() {
    assertThat(measured(4e9, 1e9, 0.7).decide(Strategy.AUTO, true).full()).isFalse();
  }

  @Test
  void slowHashingNeverPays() {
    CostModel.Decision decision = measured(5e8, 1e9, 0.01).decide(Strategy.AUTO, true);
    assertThat(decision.full()).isTrue();
    assertThat(decision.reason()).contains("below 0.0 %");
  }

  @Test
  void whoMustWaitForDigestsAnywayCompares() {
    CostModel.Decision decision = measured(4e9, 1e9, 1).decide(Strategy.AUTO, false);
    assertThat(decision.full()).isFalse();
    assertThat(decision.reason()).contains("wait for its digests");
  }

  @Test
  void theUserHasTheLastWord() {
    CostModel model = measured(4e9, 1e9, 1);
    assertThat(model.decide(Strategy.DIFFERENTIAL, true).full()).isFalse();
    assertThat(model.decide(Strategy.FULL, false).full()).isTrue();
  }

  @Test
  void withoutMeasurementsItCompares() {
    assertThat(new CostModel().decide(Strategy.AUTO, true).full()).isFalse();
  }
}
