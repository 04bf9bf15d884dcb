// SPDX-License-Identifier: Apache-2.0
package org.cairn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.cairn.store.MemoryStore;
import org.cairn.testkit.random.SeededTest;
import org.cairn.version.VersionInfo;
import org.junit.jupiter.api.Test;

/** Rows of one length are one dataset; what could not be brought back is refused. */
class RowsTest {
  private final MemoryStore store = new MemoryStore();

  private Checkpointer open() {
    return Checkpointer.open(store, SampleState.options());
  }

  private void save(double[][] rows) {
    try (Checkpointer cairn = open()) {
      cairn.protect("u", rows);
      cairn.checkpoint();
    }
  }

  private static double[][] numbered(int rows, int columns) {
    double[][] array = new double[rows][columns];
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column++) {
        array[row][column] = 1000 * row + column;
      }
    }
    return array;
  }

  @SeededTest(seeds = 6)
  void rowsOfAnySizeComeBack(Random random) {
    for (int trial = 0; trial < 5; trial++) {
      MemoryStore place = new MemoryStore();
      int rows = random.nextInt(40);
      int columns = random.nextInt(60);
      double[][] doubles = new double[rows][columns];
      float[][] floats = new float[rows][columns];
      for (int row = 0; row < rows; row++) {
        Arrays.setAll(doubles[row], i -> random.nextDouble());
        for (int column = 0; column < columns; column++) {
          floats[row][column] = random.nextFloat();
        }
      }
      try (Checkpointer cairn = Checkpointer.open(place, SampleState.options())) {
        cairn.protect("d", doubles);
        cairn.protect("f", floats);
        cairn.checkpoint();
      }
      double[][] doublesBack = new double[rows][columns];
      float[][] floatsBack = new float[rows][columns];
      try (Checkpointer cairn = Checkpointer.open(place, SampleState.options())) {
        cairn.protect("d", doublesBack);
        cairn.protect("f", floatsBack);
        cairn.restart();
        assertThat(cairn.dataset("d").shape())
            .containsExactly((long) rows, rows == 0 ? 0 : (long) columns);
      }
      assertThat(doublesBack).isDeepEqualTo(doubles);
      assertThat(floatsBack).isDeepEqualTo(floats);
    }
  }

  @Test
  void oneChangedRowIsADeltaAlsoAfterARestart() {
    double[][] rows = numbered(64, 16); // a row is a block
    save(rows);
    try (Checkpointer cairn = open()) {
      cairn.protect("u", rows);
      cairn.restart();
      rows[5] = rows[5].clone(); // another array, the same content
      rows[7][3] = -1;
      cairn.checkpoint();
      VersionInfo newest = cairn.versions().getFirst();
      assertThat(newest.dirtyBlocks()).isEqualTo(1);
      assertThat(newest.blocks()).isEqualTo(64);
    }
  }

  @Test
  void rowsThatDifferInLengthAreRefused() {
    double[][] ragged = {new double[3], new double[3], new double[5]};
    try (Checkpointer cairn = open()) {
      assertThatThrownBy(() -> cairn.protect("u", ragged))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "\"u\": row 2 has 5 elements and row 0 has 3; rows of one dataset are of one length:"
                  + " protect rows that differ one by one, each with a name of its own");
      assertThat(cairn.datasets()).isEmpty();
    }
  }

  @Test
  void aMissingRowIsRefused() {
    try (Checkpointer cairn = open()) {
      assertThatThrownBy(() -> cairn.protect("u", new float[][] {new float[2], null}))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("\"u\": row 1 is null");
    }
  }

  @Test
  void anArrayThatIsTwoRowsIsRefused() {
    double[] row = new double[4];
    try (Checkpointer cairn = open()) {
      assertThatThrownBy(() -> cairn.protect("u", new double[][] {row, new double[4], row}))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("rows 0 and 2 are the same array");
    }
  }

  @Test
  void rowsThatBecomeOneArrayLaterAreRefusedByARestart() {
    double[][] rows = numbered(3, 4);
    try (Checkpointer cairn = open()) {
      cairn.protect("u", rows);
      cairn.checkpoint();
      rows[2] = rows[0];
      assertThatThrownBy(cairn::restart)
          .isInstanceOf(DatasetMismatchException.class)
          .hasMessageContaining("rows 0 and 2 are the same array");
    }
  }

  @Test
  void rowsThatBecomeRaggedEndOnlyThatCheckpoint() {
    double[][] rows = numbered(3, 4);
    try (Checkpointer cairn = open()) {
      cairn.protect("u", rows);
      rows[1] = new double[7];
      assertThatThrownBy(cairn::checkpoint)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("dataset \"u\": row 1 has 7 elements and row 0 has 4");
      rows[1] = new double[4];
      cairn.checkpoint();
    }
  }

  @Test
  void anotherArrangementOfAsManyIsRefusedAndNothingChanged() {
    save(numbered(2, 6));
    double[][] other = new double[3][4];
    try (Checkpointer cairn = open()) {
      cairn.protect("u", other);
      assertThatThrownBy(cairn::restart)
          .isInstanceOf(DatasetMismatchException.class)
          .hasMessageContaining("double[2][6]")
          .hasMessageContaining("double[3][4]");
    }
    assertThat(other).isDeepEqualTo(new double[3][4]);
  }

  @Test
  void whatWasFlatBecomesRowsAndBack() {
    double[] flat = new double[12];
    Arrays.setAll(flat, i -> i);
    double[][] rows = new double[3][4];
    try (Checkpointer cairn = open()) {
      cairn.protect("u", flat);
      cairn.checkpoint();
    }
    try (Checkpointer cairn = open()) {
      cairn.protect("u", rows);
      cairn.restart();
      cairn.checkpoint();
    }
    assertThat(rows).isDeepEqualTo(new double[][] {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}});
    double[] back = new double[12];
    try (Checkpointer cairn = open()) {
      cairn.protect("u", back);
      cairn.restart();
    }
    assertThat(back).containsExactly(flat);
  }

  private double[][] grown = new double[1][1];

  @Test
  void rowsThatGrowComeBackAsLargeAsTheyWere() {
    try (Checkpointer cairn = open()) {
      protectGrown(cairn);
      cairn.checkpoint();
      grown = numbered(5, 9);
      cairn.checkpoint();
    }
    grown = new double[0][];
    try (Checkpointer cairn = open()) {
      protectGrown(cairn);
      cairn.restart();
      assertThat(grown).isDeepEqualTo(numbered(5, 9));
      grown = numbered(2, 3);
      cairn.checkpoint();
      assertThat(cairn.dataset("u").shape()).isEqualTo(List.of(2L, 3L));
    }
  }

  private void protectGrown(Checkpointer cairn) {
    cairn.protect(
        "u", double[][].class, () -> grown, (rows, columns) -> grown = new double[rows][columns]);
  }

  static class Plate {
    @Protect float[][] open = new float[0][];
    @Protect final double[][] fixed = new double[2][2];
  }

  @Test
  void fieldsOfRows() {
    Plate plate = new Plate();
    plate.open = new float[][] {{1, 2, 3}, {4, 5, 6}};
    plate.fixed[1][1] = 7;
    try (Checkpointer cairn = open()) {
      cairn.protectObject("plate", plate);
      cairn.checkpoint();
    }
    Plate back = new Plate();
    try (Checkpointer cairn = open()) {
      cairn.protectObject("plate", back);
      cairn.restart();
    }
    assertThat(back.open).isDeepEqualTo(plate.open);
    assertThat(back.fixed).isDeepEqualTo(plate.fixed);
  }

  @Test
  void rowsProtectedAfterTheRestart() {
    save(numbered(3, 4));
    double[][] late = new double[3][4];
    try (Checkpointer cairn = open()) {
      cairn.protect("other", 1L);
      cairn.restart();
      cairn.protect("u", late);
      cairn.checkpoint();
    }
    assertThat(late).isDeepEqualTo(numbered(3, 4));
  }
}
