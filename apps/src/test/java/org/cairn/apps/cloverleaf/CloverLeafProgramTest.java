// SPDX-License-Identifier: Apache-2.0
package org.cairn.apps.cloverleaf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.cairn.comm.Ranks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("FloatingPointLiteralPrecision") // digits as the reference prints them
class CloverLeafProgramTest {
  @TempDir Path temp;

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void theSmallProblemEndsWithTheReferenceValues(int threads) throws IOException {
    CloverTotals totals =
        run("small", "--size 10x2 --steps 75 --in-order --threads " + threads).totals();

    assertThat(totals.kinetic()).isEqualTo(1.82280367310257940);
    assertThat(totals.internal()).isEqualTo(25.0619711191073939);
    assertThat(totals.mass()).isEqualTo(12.0000000000000178);
  }

  @Test
  void aSquareOf64CellsHasTheReferenceValuesAfterTenSteps() throws IOException {
    CloverTotals totals = run("square", "--size 64 --steps 10 --in-order").totals();

    assertThat(totals.kinetic()).isEqualTo(0.864395811823211790);
    assertThat(totals.internal()).isEqualTo(42.4353693454072243);
    assertThat(totals.mass()).isEqualTo(28.1250000000000142);
  }

  @Test
  void ranksAndThreadsEndWithTheSameBits() throws IOException {
    CloverLeafResult alone = run("alone", "--size 40x33 --steps 12 --threads 1");

    assertThat(run("threads", "--size 40x33 --steps 12 --threads 2")).isEqualTo(alone);
    assertThat(ranks(2, "two", "--size 40x33 --steps 12 --threads 1")).containsOnly(alone);
    assertThat(ranks(4, "four", "--size 40x33 --steps 12 --threads 2")).containsOnly(alone);
  }

  @Test
  void whatWasSavedGoesOnWithOtherNumbersOfRanksToTheSameBits() throws IOException {
    CloverLeafResult whole = run("whole", "--size 40x33 --steps 40 --summary 0");
    String options = "--size 40x33 --every 3 --summary 0 --threads 1 --steps ";

    ranks(2, "pieces", options + 11);
    ranks(1, "pieces", options + 17);
    ranks(4, "pieces", options + 29);

    assertThat(ranks(3, "pieces", options + 40)).containsOnly(whole);
  }

  private List<CloverLeafResult> ranks(int count, String name, String options) {
    ConcurrentLinkedQueue<CloverLeafResult> results = new ConcurrentLinkedQueue<>();
    CloverLeafOptions parsed = options(name, options);
    Ranks.run(count, comm -> results.add(CloverLeafProgram.run(parsed, comm)));
    return new ArrayList<>(results);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--size",
        "--size 1x5",
        "--size 4x",
        "--size wide",
        "--steps -1",
        "--summary -1",
        "--every -2",
        "--interval 0",
        "--threads -1",
        "--bogus"
      })
  void whatMakesNoSenseIsRefusedByItsName(String words) {
    assertThatThrownBy(() -> CloverLeafOptions.parse(words.split(" ", -1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words.split(" ", -1)[0]);
  }

  private CloverLeafResult run(String name, String options) throws IOException {
    return CloverLeafProgram.run(options(name, options));
  }

  private CloverLeafOptions options(String name, String options) {
    return CloverLeafOptions.parse(
        (options + " --checkpoints " + temp.resolve(name)).split(" ", -1));
  }
}
