// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.util.List;

/**
 * Heat2D as Cairn's own program has it: a cold plate whose first row is hot in the middle, Jacobi's
 * iteration, a band of rows for each rank. In the first version heat has come half-way.
 */
final class Heat2d implements Simulation {
  private static final double HOT = 100;
  private static final int VERSIONS = 8;

  private final int rows;
  private final int columns;
  private final Domain domain;
  private double[] heat;
  private double[] next;
  private int iteration;

  Heat2d(Size size) {
    columns = Domain.side(size.bytes() / (double) Double.BYTES, 2);
    rows = Math.max(4, size.bytes() / Double.BYTES / columns);
    domain = new Domain(new int[] {rows, columns}, new int[] {size.ranks(), 1});
    heat = new double[domain.cells()];
    for (int column = columns / 10; column < columns - columns / 10; column++) {
      heat[column] = HOT;
    }
    next = heat.clone();
    iterate(rows * size.ranks() / 2);
  }

  @Override
  public void advance() {
    iterate(heat.length / columns / VERSIONS);
  }

  private void iterate(int steps) {
    int height = heat.length / columns;
    for (int step = 0; step < steps; step++) {
      for (int row = 1; row < height - 1; row++) {
        for (int at = row * columns + 1; at < (row + 1) * columns - 1; at++) {
          next[at] = 0.25 * (heat[at - 1] + heat[at + 1] + heat[at - columns] + heat[at + columns]);
        }
      }
      double[] old = heat;
      heat = next;
      next = old;
    }
    iteration += steps;
  }

  @Override
  public List<StateArray> state(int rank) {
    return List.of(
        StateArray.ints("/iteration", new int[] {iteration}),
        StateArray.doubles("/heat", domain.part(heat, rank), rows, columns));
  }
}
