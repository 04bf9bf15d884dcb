// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.heat2d;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The reference values are those of heatdis compiled from C; equal means equal in every bit. */
@SuppressWarnings("FloatingPointLiteralPrecision") // digits as the reference prints them
class Heat2DTest {

  @Test
  void oneRankIsBitEqualToTheReference() {
    Heat2D heat = new Heat2D(32, Ranks.single());

    double change = iterate(heat, 100);

    assertThat(heat.rows()).isEqualTo(35);
    assertThat(change).isEqualTo(0.23863970480974928);
    assertThat(heat.innerSum()).isEqualTo(13388.919067440938);
    assertThat(heat.at(1, 16)).isEqualTo(88.632287221259816);
    assertThat(heat.at(heat.rows() / 2, 16)).isEqualTo(1.568806513925709);
  }

  /** Not offered to users yet; it shows that the seam for ranks is in the right place. */
  @Test
  void twoRanksAreBitEqualToTheReference() throws Exception {
    Exchanger<double[]> rows = new Exchanger<>();
    Exchanger<Double> changes = new Exchanger<>();
    Heat2D upper = new Heat2D(64, new TwoRanks(0, rows, changes));
    Heat2D lower = new Heat2D(64, new TwoRanks(1, rows, changes));

    double change = iterateTogether(upper, lower, 5000);

    assertThat(upper.rows()).isEqualTo(35);
    assertThat(change).isEqualTo(0.0071054835901733782);
    assertThat(upper.innerSum() + lower.innerSum()).isEqualTo(203300.20703055168);
    assertThat(upper.at(1, 32)).isEqualTo(97.826384439672211);
    assertThat(upper.at(upper.rows() / 2, 32)).isEqualTo(66.746398575812464);
  }

  @Test
  void onlyTheFirstRowIsHotAtTheStart() {
    Heat2D heat = new Heat2D(25, Ranks.single());

    assertThat(heat.plate()).hasSize(25 * 28);
    for (int k = 0; k < heat.plate().length; k++) {
      boolean hot = k >= 2 && k < 23; // from (int) 2.5 to below 22.5
      assertThat(heat.plate()[k]).as("point %d", k).isEqualTo(hot ? 100 : 0);
    }
  }

  @Test
  void aStepLeavesThePlateOfBeforeAlone() {
    Heat2D heat = new Heat2D(8, Ranks.single());
    heat.step();
    double[] before = heat.plate();
    double[] copy = before.clone();

    heat.step();

    assertThat(heat.plate()).isNotSameAs(before);
    assertThat(before).isEqualTo(copy);
  }

  @Test
  void impossibleSizesAreRefused() {
    assertThatThrownBy(() -> new Heat2D(0, Ranks.single()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not 0");
    assertThatThrownBy(() -> new Heat2D(50_000, Ranks.single()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("50000 columns");
  }

  @Test
  void aPlateOfAnotherSizeIsNotRestored() {
    Heat2D heat = new Heat2D(10, Ranks.single());

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

  private static double iterateTogether(Heat2D upper, Heat2D lower, int iterations)
      throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      List<Callable<Double>> work =
          List.of(() -> iterate(upper, iterations), () -> iterate(lower, iterations));
      List<Future<Double>> changes = threads.invokeAll(work);
      assertThat(changes.get(0).get()).isEqualTo(changes.get(1).get());
      return changes.get(0).get();
    }
  }

  /** Two ranks as two threads. */
  private record TwoRanks(int rank, Exchanger<double[]> rows, Exchanger<Double> changes)
      implements Ranks {

    @Override
    public int count() {
      return 2;
    }

    @Override
    public void exchangeGhostRows(double[] plate, int columns) {
      int last = plate.length / columns - 1;
      int send = rank == 0 ? last - 1 : 1;
      int receive = rank == 0 ? last : 0;
      double[] row = new double[columns];
      System.arraycopy(plate, send * columns, row, 0, columns);
      System.arraycopy(exchange(rows, row), 0, plate, receive * columns, columns);
    }

    @Override
    public double max(double value) {
      return Math.max(value, exchange(changes, value));
    }

    private static <T> T exchange(Exchanger<T> exchanger, T mine) {
      try {
        return exchanger.exchange(mine);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
