// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench;

/**
 * What Heat2D gives on so many ranks, in every bit. On one and two ranks these are the values that
 * heatdis, compiled from C, prints; on other numbers of ranks those of a plate computed in one
 * piece, in the plainest way.
 */
record HeatReference(int columns, int iterations, double sum, double top, double centre) {

  @SuppressWarnings("FloatingPointLiteralPrecision") // digits as the reference prints them
  static HeatReference of(int ranks) {
    return switch (ranks) {
      case 1 ->
          new HeatReference(32, 100, 13388.919067440938, 88.632287221259816, 1.568806513925709);
      case 2 ->
          new HeatReference(64, 5000, 203300.20703055168, 97.826384439672211, 66.746398575812464);
      default -> inOnePiece(ranks, 64, 500);
    };
  }

  static HeatReference inOnePiece(int ranks, int columns, int iterations) {
    int slab = columns / ranks + 1;
    int inner = ranks * slab;
    double[] now = new double[(inner + 2) * columns];
    for (int j = (int) (columns * .1); j < columns * .9; j++) {
      now[j] = 100;
    }
    for (int i = 0; i < iterations; i++) {
      double[] old = now.clone();
      for (int k = columns; k < (inner + 1) * columns; k++) {
        now[k] = .25 * (old[k - columns] + old[k + columns] + old[k - 1] + old[k + 1]);
      }
      System.arraycopy(now, inner * columns, now, (inner + 1) * columns, columns);
    }
    return new HeatReference(
        columns,
        iterations,
        sum(now, ranks, slab * columns, columns),
        now[columns + columns / 2],
        now[(slab + 2) / 2 * columns + columns / 2]);
  }

  /**
   * Slab by slab, and then along a binary tree, from its leaves: first the left one below a node,
   * then the right one.
   */
  private static double sum(double[] plate, int ranks, int points, int first) {
    double[] sums = new double[ranks];
    for (int rank = 0; rank < ranks; rank++) {
      for (int k = 0; k < points; k++) {
        sums[rank] += plate[first + rank * points + k];
      }
    }
    for (int node = ranks - 1; node >= 0; node--) {
      for (int child = 2 * node + 1; child <= 2 * node + 2 && child < ranks; child++) {
        sums[node] += sums[child];
      }
    }
    return sums[0];
  }

  /** Whether a run ended with the same bits. */
  boolean isEqualTo(double otherSum, double otherTop, double otherCentre) {
    return sum == otherSum && top == otherTop && centre == otherCentre;
  }
}
