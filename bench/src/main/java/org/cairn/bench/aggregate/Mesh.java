// SPDX-License-Identifier: Apache-2.0
package org.cairn.bench.aggregate;

import java.util.List;
import java.util.Random;

/** Integers: the corners of cells, global numbers, materials, and counters that grow. */
final class Mesh implements Simulation {
  private static final int CORNERS = 8;
  private static final int CELL = CORNERS * Integer.BYTES + Long.BYTES + Integer.BYTES + 1;

  private final int side;
  private final int[] corners;
  private final long[][] numbers;
  private final int[][] counters;
  private final byte[][] materials;
  private final Random random;

  Mesh(Size size) {
    side = Domain.side(size.bytes() / (double) CELL, 3);
    int cells = side * side * side;
    random = new Random(size.seed());
    corners = corners(side);
    numbers = new long[size.ranks()][cells];
    counters = new int[size.ranks()][cells];
    materials = new byte[size.ranks()][cells];
    for (int rank = 0; rank < size.ranks(); rank++) {
      long number = (long) rank << 40;
      byte material = 0;
      for (int cell = 0; cell < cells; cell++) {
        number += random.nextInt(20) == 0 ? 1 + random.nextInt(1000) : 1;
        material = random.nextInt(50) == 0 ? (byte) random.nextInt(6) : material;
        numbers[rank][cell] = number;
        materials[rank][cell] = material;
      }
    }
    advance();
  }

  private static int[] corners(int side) {
    int[] corners = new int[side * side * side * CORNERS];
    int row = side + 1;
    for (int cell = 0; cell < side * side * side; cell++) {
      int first = (cell / side / side * row + cell / side % side) * row + cell % side;
      int[] all = {
        0, 1, row + 1, row, row * row, row * row + 1, row * row + row + 1, row * row + row
      };
      for (int corner = 0; corner < CORNERS; corner++) {
        corners[cell * CORNERS + corner] = first + all[corner];
      }
    }
    return corners;
  }

  @Override
  public void advance() {
    for (int[] own : counters) {
      for (int cell = 0; cell < own.length; cell++) {
        own[cell] += random.nextInt(100);
      }
    }
  }

  @Override
  public List<StateArray> state(int rank) {
    return List.of(
        StateArray.ints("/mesh/corners", corners, side * side * side, CORNERS),
        StateArray.longs("/mesh/number", numbers[rank]),
        StateArray.ints("/counters", counters[rank]),
        StateArray.bytes("/material", materials[rank]));
  }
}
