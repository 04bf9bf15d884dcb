// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.cloverleaf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import org.cairn.testkit.random.OnlyThorough;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The second test problem of the published program: 960² cells, 87 steps, each as long as the gas
 * allows.
 */
@OnlyThorough
@SuppressWarnings("FloatingPointLiteralPrecision") // digits as the reference prints them
class CloverLeafBenchmarkTest {
  /**
   * The mass is added cell after cell, and one row of the grid, 401 cells alike, lies within two
   * units of the last place of where each of these additions rounds up or down. So a last bit of
   * the state counts 401 times. One operation of one kernel rounded otherwise moves the sum by up
   * to 201 units in its last place (see docs/design/mesh.md); this is 256.
   */
  private static final double LAST_BITS_OF_MASS = 256 * Math.ulp(28.0);

  /** The same sums moved by three units at most. */
  private static final double LAST_BITS_OF_KINETIC = 4 * Math.ulp(1.0);

  @TempDir Path temp;

  @Test
  void theBenchmarkEndsWithTheReferenceValues() throws IOException {
    String words = "--size 960 --steps 87 --in-order --checkpoints " + temp.resolve("clover");

    CloverTotals totals =
        CloverLeafProgram.run(CloverLeafOptions.parse(words.split(" ", -1))).totals();

    assertThat(totals.internal()).isEqualTo(41.7853184561371549);
    assertThat(totals.kinetic()).isCloseTo(1.19316898756306888, within(LAST_BITS_OF_KINETIC));
    assertThat(totals.mass()).isCloseTo(27.9999999997725872, within(LAST_BITS_OF_MASS));
  }
}
