// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.cairn.HashAlgorithm;
import org.cairn.hash.WeakHash;
import org.junit.jupiter.api.Test;

class SweepTablesTest {
  private static Cell cell(HashAlgorithm algorithm, int blockSize, double fraction, double... s) {
    double[] full = new double[s.length];
    java.util.Arrays.fill(full, 2);
    return new Cell(
        false,
        algorithm,
        blockSize,
        true,
        fraction,
        Series.of(s),
        Series.of(full),
        0.5,
        0.25,
        0.7,
        1_500_000);
  }

  @Test
  void blockSizesAreInTheFormOfTableII() {
    String table =
        SweepTables.blockSizes(
            List.of(
                cell(HashAlgorithm.MD5, 16384, 0.62, 1, 1, 1),
                cell(HashAlgorithm.MD5, 128, 0.62, 3, 3, 3)));
    assertThat(table.lines())
        .containsExactly(
            "   b     τ   ±  dCP RATE  SHARE HASH  SHARE WRITE  HASH SIZE [MB]",
            "─────────────────────────────────────────────────────────────────",
            "128B   50%  0%    50.00%      25.00%       70.00%            1.50",
            "16KB  -50%  0%    50.00%      25.00%       70.00%            1.50");
  }

  @Test
  void fractionsAreInTheFormOfTableVI() {
    String table =
        SweepTables.fractions(
            List.of(
                cell(HashAlgorithm.MD5, 16384, 0.03, 1, 1.2, 0.8),
                cell(HashAlgorithm.MD5, 16384, 1, 2, 2, 2),
                cell(WeakHash.CRC32, 16384, 1, 3, 3, 3)));
    assertThat(table.lines())
        .containsExactly(
            "Data diff. (n_d)      md5   crc32  NO dCP",
            "─────────────────────────────────────────",
            "            100%    0 ± 0  50 ± 0   0 ± 0",
            "              3%  -50 ± 5       -       -");
  }

  @Test
  void csvHasAValueForEachColumn() {
    String line = cell(HashAlgorithm.XXH3_128, 16384, 0.03, 1, 1, 1).csv();
    assertThat(line.split(",")).hasSize(Cell.COLUMNS.size());
    assertThat(line).startsWith("sync,xxh3-128,16384,random,3.000000,1.000000,0.000000,2.000000,");
    assertThat(line).endsWith(",50.000000,25.000000,70.000000,1500000");
  }

  @Test
  void blockSizesAreNamedAsInThePaper() {
    assertThat(SweepTables.blockSize(128)).isEqualTo("128B");
    assertThat(SweepTables.blockSize(2048)).isEqualTo("2KB");
    assertThat(SweepTables.blockSize(1 << 20)).isEqualTo("1MB");
  }
}
