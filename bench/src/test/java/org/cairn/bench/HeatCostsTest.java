// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.cairn.testkit.random.OnlyThorough;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class HeatCostsTest {
  @TempDir Path temp;

  /**
   * On 1 and 2 ranks the values of the program in C, on 4 those of a plate in one piece. On
   * ordinary days {@link TiersCommandTest} looks at those of 2.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  @OnlyThorough
  void checkpointsAtEveryTierDoNotChangeABit(int ranks) throws Exception {
    noBitChanges(ranks);
  }

  private void noBitChanges(int ranks) throws Exception {
    List<HeatCosts.Cost> costs =
        HeatCosts.measure(ranks, new HeatRanks.Heat(40, 2, 1, 1, temp), true);

    assertThat(costs).hasSize(2 * TierChoice.values().length);
    assertThat(costs).allMatch(HeatCosts.Cost::equal);
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void theReferenceInOnePieceIsThatOfTheProgramInC() {
    assertThat(HeatReference.inOnePiece(2, 64, 5000)).isEqualTo(HeatReference.of(2));
    assertThat(HeatReference.inOnePiece(1, 32, 100)).isEqualTo(HeatReference.of(1));
    assertThat(HeatReference.of(4).isEqualTo(1, 2, 3)).isFalse();
  }

  @Test
  void whatCheckpointsCostIsToldInIterations() {
    List<String> lines = new ArrayList<>(List.of("time none 4.0", "noise", "time none 6.0"));
    for (TierChoice choice : TierChoice.values()) {
      for (String mode : new String[] {"-sync", "-async"}) {
        lines.add("time " + choice + mode + " 5.0");
        lines.add("time " + choice + mode + " 7.0");
      }
    }

    // 2 checkpoints in 30 iterations take a second.
    List<HeatCosts.Cost> costs =
        HeatCosts.evaluate(2, "threads", new HeatRanks.Heat(9, 10, 2, 2, temp), lines);

    HeatCosts.Cost first = costs.getFirst();
    assertThat(first.milliseconds()).isEqualTo(500);
    assertThat(first.iterations())
        .isEqualTo((0.5 / (4.0 / 30) + 0.5 / (6.0 / 30)) / 2, within(1e-9));
    assertThat(first.equal()).as("there was no result").isFalse();
  }
}
