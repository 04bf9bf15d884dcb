// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.mesh.clover;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.cairn.apps.Fingerprint;
import org.cairn.apps.cloverleaf.CloverLeafOptions;
import org.cairn.apps.cloverleaf.CloverLeafProgram;
import org.cairn.apps.cloverleaf.CloverLeafResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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

  /** Steps become shorter here than the longest one, which those of the small problems never do. */
  @Test
  void theProgramOfTheMeshLanguageHasTheSameBits(@TempDir Path temp) throws IOException {
    int nx = 150;
    int ny = 90;
    String words =
        "--size %dx%d --steps 25 --in-order --summary 0 --checkpoints %s"
            .formatted(nx, ny, temp.resolve("checkpoints"));
    CloverLeafResult program = CloverLeafProgram.run(CloverLeafOptions.parse(words.split(" ", -1)));
    try (Clover clover = new Clover(nx, ny, 1)) {
      for (int step = 0; step < 25; step++) {
        clover.step();
      }
      double[] state = clover.state();
      int cells = nx * ny;
      int corners = (nx + 1) * (ny + 1);
      long bits = Fingerprint.NOTHING;
      bits = Fingerprint.and(bits, sum(bits, state, 0, nx, ny));
      bits = Fingerprint.and(bits, sum(bits, state, cells, nx, ny));
      bits = Fingerprint.and(bits, sum(bits, state, 2 * cells, nx + 1, ny + 1));
      bits = Fingerprint.and(bits, sum(bits, state, 2 * cells + corners, nx + 1, ny + 1));

      assertThat(clover.time()).isLessThan(25 * .04).isEqualTo(program.time());
      assertThat(program.totals().mass()).isEqualTo(clover.totals().mass());
      assertThat(program.fingerprint()).isEqualTo(bits);
    }
  }

  private static double sum(long before, double[] state, int from, int width, int height) {
    double sum = 0;
    for (int j = 0; j < height; j++) {
      for (int i = 0; i < width; i++) {
        sum += Fingerprint.term(before, i, j, state[from + j * width + i]);
      }
    }
    return sum;
  }
}
