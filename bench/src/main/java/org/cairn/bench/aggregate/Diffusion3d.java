// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.util.List;
import java.util.Random;

/** Diffusion in three dimensions through a material that differs from place to place. */
final class Diffusion3d implements Simulation {
  private static final int STEPS = 20;
  private static final double STEP = 0.12;
  private static final int ARRAYS = 2;
  private static final int WAVES = 12;

  private final Domain domain;
  private final int[] shape;
  private final double[] conductivity;
  private double[] density;
  private double[] next;

  Diffusion3d(Size size) {
    int side = Domain.side(size.bytes() / (double) (ARRAYS * Double.BYTES), 3);
    domain = Domain.of(size.ranks(), side, side, side);
    shape = domain.shape();
    Random random = new Random(size.seed());
    conductivity = waves(random);
    density = waves(random);
    for (int i = 0; i < density.length; i++) {
      conductivity[i] = 1 / (1 + Math.exp(-conductivity[i]));
      density[i] = Math.exp(density[i]);
    }
    next = density.clone();
    advance();
  }

  /** Smooth, and nowhere twice the same. */
  private double[] waves(Random random) {
    double[] field = new double[domain.cells()];
    for (int wave = 0; wave < WAVES; wave++) {
      double z = 8 * random.nextGaussian() / shape[0];
      double y = 8 * random.nextGaussian() / shape[1];
      double x = 8 * random.nextGaussian() / shape[2];
      double phase = 2 * Math.PI * random.nextDouble();
      for (int at = 0; at < field.length; at++) {
        int column = at % shape[2];
        int row = at / shape[2] % shape[1];
        int plane = at / shape[2] / shape[1];
        field[at] += 0.5 * Math.sin(z * plane + y * row + x * column + phase);
      }
    }
    return field;
  }

  @Override
  public void advance() {
    int row = shape[2];
    int plane = shape[1] * row;
    for (int step = 0; step < STEPS; step++) {
      for (int z = 1; z < shape[0] - 1; z++) {
        for (int y = 1; y < shape[1] - 1; y++) {
          int from = z * plane + y * row;
          for (int at = from + 1; at < from + row - 1; at++) {
            double around =
                density[at - 1]
                    + density[at + 1]
                    + density[at - row]
                    + density[at + row]
                    + density[at - plane]
                    + density[at + plane];
            next[at] = density[at] + STEP * conductivity[at] * (around - 6 * density[at]);
          }
        }
      }
      double[] old = density;
      density = next;
      next = old;
    }
  }

  @Override
  public List<StateArray> state(int rank) {
    int[] own = domain.own();
    return List.of(
        StateArray.doubles("/density", domain.part(density, rank), own),
        StateArray.doubles("/conductivity", domain.part(conductivity, rank), own));
  }
}
