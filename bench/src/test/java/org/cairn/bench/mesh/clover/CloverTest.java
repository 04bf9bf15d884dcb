// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh.clover;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The values are those that the published program prints. */
@SuppressWarnings("FloatingPointLiteralPrecision") // digits as the reference prints them
class CloverTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void theSmallProblemEndsWithTheReferenceValues(int threads) {
    assertTotals(10, 2, 75, threads, 1.82280367310257940, 25.0619711191073939, 12.0000000000000178);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void aSquareOf64CellsHasTheReferenceValuesAfterTenSteps(int threads) {
    assertTotals(
        64, 64, 10, threads, 0.864395811823211790, 42.4353693454072243, 28.1250000000000142);
  }

  private static void assertTotals(
      int nx, int ny, int steps, int threads, double kinetic, double internal, double mass) {
    try (Clover clover = new Clover(nx, ny, threads)) {
      for (int step = 0; step < steps; step++) {
        clover.step();
      }
      CloverTotals totals = clover.totals();
      assertThat(totals.kinetic()).isEqualTo(kinetic);
      assertThat(totals.internal()).isEqualTo(internal);
      assertThat(totals.mass()).isEqualTo(mass);
    }
  }
}
