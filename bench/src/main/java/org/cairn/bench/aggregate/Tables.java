// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.util.List;
import java.util.Random;

/**
 * Tables that all ranks have alike (an equation of state, opacities), and a little of their own.
 */
final class Tables implements Simulation {
  private static final int OWN = 8;

  private final int rows;
  private final double[] pressure;
  private final double[] opacity;
  private final double[][] own;
  private final Random random;

  Tables(Size size) {
    int shared = size.bytes() - size.bytes() / OWN;
    rows = Domain.side(shared / (double) (Double.BYTES + Float.BYTES), 2);
    random = new Random(size.seed());
    pressure = new double[rows * rows];
    opacity = new double[rows * rows];
    for (int at = 0; at < rows * rows; at++) {
      int row = at / rows;
      double density = Math.pow(10, 6.0 * row / rows - 3);
      double temperature = Math.pow(10, 4.0 * (at % rows) / rows);
      pressure[at] = density * temperature + 1e-4 * Math.pow(temperature, 4);
      opacity[at] = density * Math.pow(temperature, -3.5) * (1 + 0.01 * random.nextGaussian());
    }
    own = new double[size.ranks()][size.bytes() / OWN / Double.BYTES];
    advance();
  }

  @Override
  public void advance() {
    for (double[] one : own) {
      for (int i = 0; i < one.length; i++) {
        one[i] += 0.1 * random.nextGaussian();
      }
    }
  }

  @Override
  public List<StateArray> state(int rank) {
    return List.of(
        StateArray.doubles("/eos/pressure", pressure, rows, rows),
        StateArray.floats("/opacity", opacity, rows, rows),
        StateArray.doubles("/walkers", own[rank]));
  }
}
