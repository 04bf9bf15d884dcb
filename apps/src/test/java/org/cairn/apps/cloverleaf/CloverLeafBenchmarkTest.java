// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.cloverleaf;

import static org.assertj.core.api.Assertions.assertThat;

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
  @TempDir Path temp;

  @Test
  void theBenchmarkEndsWithTheReferenceValues() throws IOException {
    String words = "--size 960 --steps 87 --in-order --checkpoints " + temp.resolve("clover");

    CloverTotals totals =
        CloverLeafProgram.run(CloverLeafOptions.parse(words.split(" ", -1))).totals();

    assertThat(totals.internal()).isEqualTo(41.7853184561371549);
    assertThat(totals.kinetic()).isEqualTo(1.19316898756306888);
    assertThat(totals.mass()).isEqualTo(27.9999999997725872);
  }
}
