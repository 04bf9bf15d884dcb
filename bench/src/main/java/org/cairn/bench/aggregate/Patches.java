// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Adaptive refinement: each rank has grids of several levels and shapes, and of each grid a handful
 * of fields, hundreds of small variables. Types are those of Enzo's Cosmology in the paper: two
 * thirds of all bytes are floats, a quarter doubles.
 */
final class Patches implements Simulation {
  private static final String[] FIELDS = {
    "Density", "TotalEnergy", "x-velocity", "y-velocity", "z-velocity"
  };
  private static final String POTENTIAL = "PotentialField";

  /** Who saves no more than this has small grids. */
  private static final int LITTLE = 256 << 10;

  private static final int CELL = FIELDS.length * Float.BYTES + Double.BYTES + 1;
  private static final int LEVELS = 3;
  private static final int WAVES = 6;

  /** How many cells a side of a grid has. */
  private record Sides(int least, int most) {
    static Sides of(Size size) {
      return size.bytes() > LITTLE ? new Sides(8, 16) : new Sides(4, 8);
    }

    int draw(Random random) {
      return least + random.nextInt(most - least + 1);
    }

    int averageCells() {
      int average = (least + most) / 2;
      return average * average * average;
    }
  }

  private final double[][] waves = new double[(FIELDS.length + 1) * WAVES][5];
  private final Grid[][] grids;
  private double time;

  /** Cells of a level, from a corner on. */
  private record Grid(int level, int z, int y, int x, int depth, int height, int width) {
    int cells() {
      return depth * height * width;
    }
  }

  Patches(Size size) {
    Random random = new Random(size.seed());
    for (double[] wave : waves) {
      for (int i = 0; i < wave.length; i++) {
        wave[i] = random.nextGaussian();
      }
    }
    Sides sides = Sides.of(size);
    grids = new Grid[size.ranks()][];
    for (int rank = 0; rank < size.ranks(); rank++) {
      int average = Math.max(2, size.bytes() / (sides.averageCells() * CELL));
      grids[rank] = new Grid[Math.max(1, average - average / 8 + random.nextInt(average / 4 + 1))];
      for (int i = 0; i < grids[rank].length; i++) {
        grids[rank][i] = grid(rank, sides, random);
      }
    }
  }

  private static Grid grid(int rank, Sides sides, Random random) {
    int level = random.nextInt(LEVELS);
    return new Grid(
        level,
        (16 * rank << level) + random.nextInt(16 << level),
        random.nextInt(16 << level),
        random.nextInt(16 << level),
        sides.draw(random),
        sides.draw(random),
        sides.draw(random));
  }

  @Override
  public void advance() {
    time += 0.05;
  }

  private double value(int field, int level, int z, int y, int x) {
    double scale = 1.0 / (8 << level);
    double sum = 0;
    for (int wave = field * WAVES; wave < (field + 1) * WAVES; wave++) {
      double[] w = waves[wave];
      double phase = scale * (w[0] * z + w[1] * y + w[2] * x) + w[3] + w[4] * time;
      sum += Math.sin(phase);
    }
    return field < 2 ? Math.exp(sum) : sum;
  }

  @Override
  public List<StateArray> state(int rank) {
    List<StateArray> arrays = new ArrayList<>();
    for (int i = 0; i < grids[rank].length; i++) {
      addGrid(String.format(Locale.ROOT, "/Grid%05d/", i), grids[rank][i], arrays);
    }
    return arrays;
  }

  private void addGrid(String name, Grid grid, List<StateArray> arrays) {
    int[] shape = {grid.depth, grid.height, grid.width};
    double[] density = values(0, grid);
    arrays.add(StateArray.floats(name + FIELDS[0], density, shape));
    for (int field = 1; field < FIELDS.length; field++) {
      arrays.add(StateArray.floats(name + FIELDS[field], values(field, grid), shape));
    }
    arrays.add(StateArray.doubles(name + POTENTIAL, values(FIELDS.length, grid), shape));
    byte[] flags = new byte[grid.cells()];
    for (int at = 0; at < flags.length; at++) {
      flags[at] = (byte) (density[at] > 2 ? 1 : 0);
    }
    arrays.add(StateArray.bytes(name + "FlaggedCells", flags));
  }

  private double[] values(int field, Grid grid) {
    double[] values = new double[grid.cells()];
    for (int at = 0; at < values.length; at++) {
      values[at] =
          value(
              field,
              grid.level,
              grid.z + at / grid.width / grid.height,
              grid.y + at / grid.width % grid.height,
              grid.x + at % grid.width);
    }
    return values;
  }
}
