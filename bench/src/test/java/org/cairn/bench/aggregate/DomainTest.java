// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;

/** Ranks have all cells among them, each once. */
class DomainTest {
  @SeededTest(seeds = 20)
  void partsAreAllCellsOnce(Random random) {
    int[] own = random.ints(1 + random.nextInt(3), 1, 6).toArray();
    int ranks = 1 + random.nextInt(40);
    Domain domain = Domain.of(ranks, own);
    double[] field = new double[domain.cells()];
    Arrays.setAll(field, i -> i);

    double[] found = new double[0];
    for (int rank = 0; rank < ranks; rank++) {
      double[] part = domain.part(field, rank);
      int at = found.length;
      found = Arrays.copyOf(found, at + part.length);
      System.arraycopy(part, 0, found, at, part.length);
    }

    Arrays.sort(found);
    assertThat(found).isEqualTo(field);
  }

  @Test
  void aRankHasNeighboursInItsPart() {
    Domain domain = new Domain(new int[] {2, 3}, new int[] {2, 2});
    double[] field = new double[24];
    Arrays.setAll(field, i -> i);

    assertThat(domain.part(field, 3)).containsExactly(15, 16, 17, 21, 22, 23);
  }
}
