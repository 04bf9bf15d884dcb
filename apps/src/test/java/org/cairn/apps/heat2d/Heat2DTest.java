// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.heat2d;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.cairn.comm.Ranks;
import org.cairn.comm.SoloCommunicator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reference values are those of heatdis compiled from C; equal means equal in every bit. */
@SuppressWarnings("FloatingPointLiteralPrecision") // digits as the reference prints them
@Tag("slow")
class Heat2DTest {

  @Test
  void oneRankIsBitEqualToTheReference() {
    Heat2D heat = new Heat2D(32, new SoloCommunicator());

    double change = iterate(heat, 100);

    assertThat(heat.rows()).isEqualTo(35);
    assertThat(change).isEqualTo(0.23863970480974928);
    assertThat(heat.innerSum()).isEqualTo(13388.919067440938);
    assertThat(heat.at(1, 16)).isEqualTo(88.632287221259816);
    assertThat(heat.at(heat.rows() / 2, 16)).isEqualTo(1.568806513925709);
  }

  @Test
  void twoRanksAreBitEqualToTheReference() {
    Ranks.run(
        2,
        ranks -> {
          Heat2D heat = new Heat2D(64, ranks);

          double change = iterate(heat, 5000);

          assertThat(heat.rows()).isEqualTo(35);
          assertThat(change).isEqualTo(0.0071054835901733782);
          assertThat(heat.innerSum()).isEqualTo(203300.20703055168);
          if (ranks.rank() == 0) {
            assertThat(heat.at(1, 32)).isEqualTo(97.826384439672211);
            assertThat(heat.at(heat.rows() / 2, 32)).isEqualTo(66.746398575812464);
          }
        });
  }

  /**
   * The sum that a program in C prints which computes the same and adds the slabs' sums with {@code
   * MPI_Reduce} of Open MPI 4.1.4: one unit in the last place less than slab by slab or in pairs.
   */
  @Test
  void fourRanksAddAsOpenMpiDoes() {
    Ranks.run(
        4,
        ranks -> {
          Heat2D heat = new Heat2D(64, ranks);
          double change = iterate(heat, 5000);
          assertThat(change).isEqualTo(0.0069396511580173126);
          assertThat(heat.innerSum()).isEqualTo(203587.96702884501);
        });
  }

  /** The reference has no values for these; a plate computed in one piece has. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 7})
  void slabsAreBitEqualToThePlateInOnePiece(int slabs) {
    int columns = 40;
    int iterations = 150;
    Ranks.run(
        slabs,
        ranks -> {
          Heat2D heat = new Heat2D(columns, ranks);
          int inner = heat.rows() - 2;
          double[][] whole = plateInOnePiece(columns, slabs * inner, iterations);
          iterate(heat, iterations);
          for (int row = 1; row <= inner; row++) {
            double[] expected = whole[ranks.rank() * inner + row];
            for (int column = 0; column < columns; column++) {
              assertThat(heat.at(row, column)).isEqualTo(expected[column]);
            }
          }
        });
  }

  /** The plainest way to compute all inner rows, with the habits of heatdis. */
  private static double[][] plateInOnePiece(int columns, int inner, int iterations) {
    double[] now = new double[(inner + 2) * columns];
    for (int j = columns / 10; j < columns * .9; j++) {
      now[j] = 100;
    }
    for (int i = 0; i < iterations; i++) {
      double[] old = now.clone();
      for (int k = columns; k < (inner + 1) * columns; k++) {
        now[k] = .25 * (old[k - columns] + old[k + columns] + old[k - 1] + old[k + 1]);
      }
      System.arraycopy(now, inner * columns, now, (inner + 1) * columns, columns);
    }
    double[][] rows = new double[inner + 2][];
    for (int row = 0; row < rows.length; row++) {
      rows[row] = Arrays.copyOfRange(now, row * columns, (row + 1) * columns);
    }
    return rows;
  }

  @Test
  void onlyTheFirstRowIsHotAtTheStart() {
    Heat2D heat = new Heat2D(25, new SoloCommunicator());

    assertThat(heat.plate()).hasSize(25 * 28);
    for (int k = 0; k < heat.plate().length; k++) {
      boolean hot = k >= 2 && k < 23; // from (int) 2.5 to below 22.5
      assertThat(heat.plate()[k]).as("point %d", k).isEqualTo(hot ? 100 : 0);
    }
  }

  @Test
  void aStepLeavesThePlateOfBeforeAlone() {
    Heat2D heat = new Heat2D(8, new SoloCommunicator());
    heat.step();
    double[] before = heat.plate();
    double[] copy = before.clone();

    heat.step();

    assertThat(heat.plate()).isNotSameAs(before);
    assertThat(before).isEqualTo(copy);
  }

  @Test
  void impossibleSizesAreRefused() {
    assertThatThrownBy(() -> new Heat2D(0, new SoloCommunicator()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 0");
    assertThatThrownBy(() -> new Heat2D(50_000, new SoloCommunicator()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("50000 columns");
  }

  @Test
  void aPlateOfAnotherSizeIsNotRestored() {
    Heat2D heat = new Heat2D(10, new SoloCommunicator());

    assertThat(heat.plateToRestore(130)).isSameAs(heat.plate());
    assertThatThrownBy(() -> heat.plateToRestore(131))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("131 points")
        .hasMessageContaining("10 columns");
  }

  private static double iterate(Heat2D heat, int iterations) {
    double change = 1;
    for (int i = 0; i < iterations && change >= .005; i++) {
      heat.step();
      if (i % 5 == 0) {
        change = heat.change();
      }
    }
    return change;
  }
}
