// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.util.List;
import java.util.Random;

/**
 * Heat in a plate with hot and cold edges and some hot places, by Jacobi's iteration; each rank has
 * a band of rows, as in the program of the same name.
 */
final class Heat2d implements Simulation {
  private static final int STEPS = 120;
  private static final int PLACES = 3;

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
    next = heat;
    heat(new Random(size.seed()), size.ranks());
    next = heat.clone();
    advance();
  }

  private void heat(Random random, int ranks) {
    for (int row = 0; row < rows * ranks; row++) {
      heat[row * columns] = 100;
    }
    for (int place = 0; place < PLACES * ranks; place++) {
      int top = random.nextInt(rows * ranks);
      int left = random.nextInt(columns);
      double hot = 20 + random.nextInt(80);
      int extent = Math.max(2, columns / 6);
      for (int row = top; row < Math.min(rows * ranks, top + extent); row++) {
        for (int column = left; column < Math.min(columns, left + extent); column++) {
          heat[row * columns + column] = hot;
        }
      }
    }
  }

  @Override
  public void advance() {
    int height = heat.length / columns;
    for (int step = 0; step < STEPS; step++) {
      for (int row = 1; row < height - 1; row++) {
        for (int at = row * columns + 1; at < (row + 1) * columns - 1; at++) {
          next[at] = 0.25 * (heat[at - 1] + heat[at + 1] + heat[at - columns] + heat[at + columns]);
        }
      }
      double[] old = heat;
      heat = next;
      next = old;
    }
    iteration += STEPS;
  }

  @Override
  public List<StateArray> state(int rank) {
    return List.of(
        StateArray.ints("/iteration", new int[] {iteration}),
        StateArray.doubles("/heat", domain.part(heat, rank), rows, columns));
  }
}
