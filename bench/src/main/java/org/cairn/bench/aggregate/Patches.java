// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Adaptive refinement: each rank has grids of several levels, and of each grid a handful of fields,
 * hundreds of small variables. Grids have a layer of ghost cells, which repeat those of neighbours.
 */
final class Patches implements Simulation {
  private static final String[] FIELDS = {"Density", "TotalEnergy", "x-velocity", "y-velocity"};
  private static final int SIDE = 6;
  private static final int CELLS = SIDE * SIDE * SIDE;
  private static final int GRID = FIELDS.length * CELLS * Double.BYTES + CELLS * Float.BYTES + CELLS;
  private static final int LEVELS = 3;
  private static final int WAVES = 6;

  private final double[][] waves = new double[FIELDS.length * WAVES][5];
  private final int[][][] corners;
  private double time;

  Patches(Size size) {
    Random random = new Random(size.seed());
    for (double[] wave : waves) {
      for (int i = 0; i < wave.length; i++) {
        wave[i] = random.nextGaussian();
      }
    }
    corners = new int[size.ranks()][][];
    for (int rank = 0; rank < size.ranks(); rank++) {
      int average = Math.max(2, size.bytes() / GRID);
      int count = Math.max(1, average - average / 8 + random.nextInt(average / 4 + 1));
      corners[rank] = refine(rank, count, random);
    }
  }

  /** Runs of neighbours, now of a coarse, now of a fine level. */
  private static int[][] refine(int rank, int count, Random random) {
    int[][] grids = new int[count][];
    int[] last = {0, 16 * rank, 0, 0};
    for (int i = 0; i < count; i++) {
      if (random.nextInt(6) == 0) {
        int level = random.nextInt(LEVELS);
        last = new int[] {level, (16 * rank << level) + random.nextInt(16 << level), 0, 0};
        last[2] = random.nextInt(16 << level);
        last[3] = random.nextInt(16 << level);
      }
      grids[i] = last.clone();
      last[3] += SIDE - 2;
    }
    return grids;
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
    for (int grid = 0; grid < corners[rank].length; grid++) {
      addGrid(String.format("/Grid%05d/", grid), corners[rank][grid], arrays);
    }
    return arrays;
  }

  private void addGrid(String name, int[] corner, List<StateArray> arrays) {
    double[] density = new double[0];
    for (int field = 0; field < FIELDS.length; field++) {
      double[] values = new double[CELLS];
      for (int at = 0; at < CELLS; at++) {
        values[at] =
            value(
                field,
                corner[0],
                corner[1] + at / SIDE / SIDE,
                corner[2] + at / SIDE % SIDE,
                corner[3] + at % SIDE);
      }
      density = field == 0 ? values : density;
      arrays.add(StateArray.doubles(name + FIELDS[field], values, SIDE, SIDE, SIDE));
    }
    byte[] flags = new byte[CELLS];
    double[] metals = new double[CELLS];
    for (int at = 0; at < CELLS; at++) {
      flags[at] = (byte) (density[at] > 2 ? 1 : 0);
      metals[at] = density[at] > 2 ? density[at] * 1e-3 : 0;
    }
    arrays.add(StateArray.floats(name + "Metal", metals, SIDE, SIDE, SIDE));
    arrays.add(StateArray.bytes(name + "FlaggedCells", flags));
  }
}
