// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.util.List;
import java.util.Random;

/** Particles that drift with a smooth flow and a motion of their own; ranks have more or fewer. */
final class Particles implements Simulation {
  private static final int PARTICLE = 3 * Double.BYTES + 3 * Float.BYTES + Long.BYTES;
  private static final double THERMAL = 0.02;
  private static final double STEP = 0.01;

  private final double[][][] positions;
  private final double[][][] velocities;
  private final long[][] ids;

  Particles(Size size) {
    Random random = new Random(size.seed());
    positions = new double[size.ranks()][3][];
    velocities = new double[size.ranks()][3][];
    ids = new long[size.ranks()][];
    long first = 0;
    for (int rank = 0; rank < size.ranks(); rank++) {
      int average = size.bytes() / PARTICLE;
      int count = average - average / 10 + random.nextInt(average / 5 + 1);
      place(rank, count, first, random);
      first += count;
    }
  }

  /** Cell by cell on a lattice, as a program begins that sorts them. */
  private void place(int rank, int count, long first, Random random) {
    int side = (int) Math.ceil(Math.cbrt(count));
    ids[rank] = new long[count];
    for (int axis = 0; axis < 3; axis++) {
      positions[rank][axis] = new double[count];
      velocities[rank][axis] = new double[count];
    }
    for (int i = 0; i < count; i++) {
      ids[rank][i] = first + i;
      int[] cell = {i / side / side, i / side % side, i % side};
      for (int axis = 0; axis < 3; axis++) {
        double at = (cell[axis] + random.nextDouble()) / side + (axis == 0 ? rank : 0);
        positions[rank][axis][i] = at;
        velocities[rank][axis][i] = Math.sin(2 * Math.PI * at) + THERMAL * random.nextGaussian();
      }
    }
  }

  @Override
  public void advance() {
    for (int rank = 0; rank < ids.length; rank++) {
      for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < ids[rank].length; i++) {
          positions[rank][axis][i] += STEP * velocities[rank][axis][i];
        }
      }
    }
  }

  @Override
  public List<StateArray> state(int rank) {
    return List.of(
        StateArray.doubles("/particles/x", positions[rank][0]),
        StateArray.doubles("/particles/y", positions[rank][1]),
        StateArray.doubles("/particles/z", positions[rank][2]),
        StateArray.floats("/particles/vx", velocities[rank][0]),
        StateArray.floats("/particles/vy", velocities[rank][1]),
        StateArray.floats("/particles/vz", velocities[rank][2]),
        StateArray.longs("/particles/id", ids[rank]));
  }
}
