// SPDX-License-Identifier: Apache-2.0
package org.cairn.testkit.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.cairn.comm.Communicator.NOBODY;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.cairn.comm.CartesianGrid;
import org.cairn.comm.Communicator;
import org.cairn.comm.Message;
import org.cairn.comm.Reduction;

/** Scenarios of ranks on a grid, compared with a table of all points in their order. */
final class GridScenarios {
  private static final int TAG = 6;

  private GridScenarios() {}

  static List<Scenario> all() {
    return List.of(
        new Scenario("grid", 1, GridScenarios::grid),
        new Scenario("grid, shifts", 1, GridScenarios::shifts),
        new Scenario("grid, parts", 1, GridScenarios::parts),
        new Scenario("grid, misuse", 1, GridScenarios::misuse));
  }

  /** A grid of up to three dimensions, each open or periodic. */
  private static CartesianGrid random(Communicator ranks, Random random) {
    CartesianGrid grid = CartesianGrid.of(ranks, new int[1 + random.nextInt(3)]);
    for (int dimension = 0; dimension < grid.dimensions(); dimension++) {
      grid = random.nextBoolean() ? grid.periodic(dimension) : grid;
    }
    return grid;
  }

  /** All points, the last coordinate fastest. */
  private static List<int[]> points(CartesianGrid grid) {
    List<int[]> points = List.of(new int[0]);
    for (int dimension = 0; dimension < grid.dimensions(); dimension++) {
      List<int[]> longer = new ArrayList<>();
      for (int[] point : points) {
        for (int i = 0; i < grid.side(dimension); i++) {
          int[] more = Arrays.copyOf(point, point.length + 1);
          more[point.length] = i;
          longer.add(more);
        }
      }
      points = longer;
    }
    return points;
  }

  /** Looks for the point in the table; wraps around by steps of a side. */
  private static int search(CartesianGrid grid, List<int[]> points, int[] wanted) {
    int[] point = wanted.clone();
    for (int dimension = 0; dimension < point.length; dimension++) {
      while (grid.isPeriodic(dimension) && point[dimension] < 0) {
        point[dimension] += grid.side(dimension);
      }
      while (grid.isPeriodic(dimension) && point[dimension] >= grid.side(dimension)) {
        point[dimension] -= grid.side(dimension);
      }
    }
    return IntStream.range(0, points.size())
        .filter(rank -> Arrays.equals(points.get(rank), point))
        .findFirst()
        .orElse(NOBODY);
  }

  private static int[] moved(int[] point, int dimension, int steps) {
    int[] moved = point.clone();
    moved[dimension] += steps;
    return moved;
  }

  private static void grid(Communicator ranks, long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 10; round++) {
      CartesianGrid grid = random(ranks, random);
      List<int[]> points = points(grid);
      assertThat(points).hasSize(ranks.size());
      assertThat(grid.coordinates()).isEqualTo(points.get(ranks.rank()));
      for (int rank = 0; rank < ranks.size(); rank++) {
        assertThat(grid.coordinates(rank)).isEqualTo(points.get(rank));
        assertThat(grid.rankAt(points.get(rank))).isEqualTo(rank);
      }
      int[] neighbours = grid.neighbours();
      for (int dimension = 0; dimension < grid.dimensions(); dimension++) {
        int[] here = grid.coordinates();
        for (int steps = -3; steps <= 3; steps++) {
          int expected = search(grid, points, moved(here, dimension, steps));
          assertThat(grid.neighbour(dimension, steps)).isEqualTo(expected);
          assertThat(grid.rankAt(moved(here, dimension, steps))).isEqualTo(expected);
        }
        assertThat(neighbours[2 * dimension]).isEqualTo(grid.neighbour(dimension, -1));
        assertThat(neighbours[2 * dimension + 1]).isEqualTo(grid.neighbour(dimension, 1));
      }
    }
  }

  /** What moves along a dimension comes from the rank that the table says, or does not come. */
  private static void shifts(Communicator ranks, long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 6; round++) {
      CartesianGrid grid = random(ranks, random);
      int dimension = random.nextInt(grid.dimensions());
      int steps = random.nextInt(5) - 2;
      int from = search(grid, points(grid), moved(grid.coordinates(), dimension, -steps));
      long[] target = {-1};
      Message message =
          grid.shift(
              dimension,
              steps,
              MemorySegment.ofArray(new long[] {ranks.rank()}),
              MemorySegment.ofArray(target),
              TAG);
      assertThat(message).isEqualTo(new Message(from, TAG, from == NOBODY ? 0 : Long.BYTES));
      assertThat(target).containsExactly(from == NOBODY ? -1 : from);
    }
  }

  private static void parts(Communicator ranks, long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 3; round++) {
      CartesianGrid grid = random(ranks, random).periodic(0);
      int kept = random.nextInt(grid.dimensions());
      CartesianGrid line = grid.along(kept);
      try (Communicator members = line.ranks()) {
        assertThat(line.dimensions()).isEqualTo(1);
        assertThat(line.side(0)).isEqualTo(grid.side(kept)).isEqualTo(members.size());
        assertThat(line.isPeriodic(0)).isEqualTo(grid.isPeriodic(kept));
        assertThat(line.coordinates()).containsExactly(grid.coordinates()[kept]);
        long expected =
            IntStream.range(0, grid.side(kept))
                .map(i -> grid.rankAt(moved(grid.coordinates(), kept, i - line.coordinates()[0])))
                .sum();
        assertThat(members.allReduce(ranks.rank(), Reduction.SUM)).isEqualTo(expected);
      }
      int[] reversed =
          IntStream.range(0, grid.dimensions()).map(i -> grid.dimensions() - 1 - i).toArray();
      CartesianGrid turned = grid.along(reversed);
      try (Communicator members = turned.ranks()) {
        assertThat(members.size()).isEqualTo(ranks.size());
        for (int i = 0; i < reversed.length; i++) {
          assertThat(turned.coordinates()[i]).isEqualTo(grid.coordinates()[reversed[i]]);
        }
      }
    }
  }

  private static void misuse(Communicator ranks, long seed) {
    int n = ranks.size();
    assertThatThrownBy(() -> CartesianGrid.of(ranks, n, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("%d ranks do not make a grid of %d x 2 (0: to be chosen)", n, n);
    assertThatThrownBy(() -> CartesianGrid.of(ranks, n + 1, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> CartesianGrid.of(ranks, -1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> CartesianGrid.of(ranks)).isInstanceOf(IllegalArgumentException.class);
    CartesianGrid grid = CartesianGrid.of(ranks, 0, 1);
    assertThatThrownBy(() -> grid.neighbour(2, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("there is no dimension 2; the grid has 2, from 0 on");
    assertThatThrownBy(() -> grid.periodic(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> grid.along(0, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("dimension 0 is named twice");
    assertThatThrownBy(() -> grid.rankAt(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("1 coordinates do not name a point of a grid with 2 dimensions");
    assertThatThrownBy(() -> grid.coordinates(n)).isInstanceOf(IllegalArgumentException.class);
    assertThat(grid.neighbour(0, Integer.MAX_VALUE)).isEqualTo(NOBODY);
    assertThat(grid.periodic(0).neighbour(0, n)).isEqualTo(ranks.rank());
    assertThat(grid.periodic(1)).hasToString("grid of " + n + " x 1 (periodic)");
  }
}
