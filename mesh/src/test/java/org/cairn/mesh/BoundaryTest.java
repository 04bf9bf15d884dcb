// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.writes;

import java.time.Duration;
import java.util.Random;
import org.cairn.Options;
import org.cairn.comm.Ranks;
import org.cairn.mesh.Boundary.Kind;
import org.cairn.testkit.random.SeededTest;
import org.cairn.testkit.store.MemoryDirectories;
import org.jspecify.annotations.Nullable;

/**
 * Boundaries of all kinds around grids of one to three axes, on one to three ranks: each point
 * around the grid has the value of the point that a plain function says.
 */
class BoundaryTest {
  @SeededTest(seeds = 12)
  void whatLiesAroundIsWhatThePlainFunctionSays(Kind kind, Random random) {
    int axes = 1 + random.nextInt(3);
    int depth = 1 + random.nextInt(2);
    int[] cells = new int[axes];
    for (int axis = 0; axis < axes; axis++) {
      cells[axis] = axis == axes - 1 ? 9 + random.nextInt(4) : 4 + random.nextInt(4);
    }
    At at = At.values()[random.nextInt(axes == 3 ? 5 : axes + 2)];
    Axis negated = Axis.values()[random.nextInt(axes)];
    boolean negates = kind != Kind.PERIODIC && random.nextBoolean();
    Boundary plain =
        switch (kind) {
          case REFLECT -> Boundary.reflect(depth);
          case PERIODIC -> Boundary.periodic(depth);
          case COPY -> Boundary.copy(depth);
        };
    Boundary boundary = negates ? plain.negating(negated) : plain;
    int ranks = axes == 1 ? 1 : 1 + random.nextInt(3); // rows of one axis are not cut so short
    Ranks.run(
        ranks,
        comm -> {
          Options never = Options.defaults().every(Duration.ofDays(1)).threads(1);
          MeshOptions options = MeshOptions.of(never).threads(1 + comm.rank() % 2);
          try (Mesh mesh = Mesh.open(new MemoryDirectories(), comm, options)) {
            Grid grid = mesh.grid("box", cells).halo(depth);
            Field u = grid.field("u", at);
            fill(mesh, grid, u);
            boundary.apply(mesh, u);
            Expected expected = new Expected(kind, cells, at, negates ? negated : null);
            assertThat(worst(mesh, grid, u, depth, expected))
                .as("%s of %s, %d deep, %d axes", kind, at, depth, axes)
                .isZero();
          }
        });
  }

  private static double mark(int i, int j, int l) {
    return 1 + i + 100 * j + 10_000 * l;
  }

  /** All points inside, nodes and faces at the ends too; what is around is wrong. */
  private static void fill(Mesh mesh, Grid grid, Field u) {
    mesh.each("wrong", grid.all(), writes(u), k -> u.set(k, Double.NaN));
    switch (grid.axes()) {
      case 1 -> mesh.each("fill", inside(grid, u), writes(u), (k, i) -> u.set(k, mark(i, 0, 0)));
      case 2 -> mesh.each("fill", inside(grid, u), writes(u), (k, i, j) -> u.set(k, mark(i, j, 0)));
      default ->
          mesh.each("fill", inside(grid, u), writes(u), (k, i, j, l) -> u.set(k, mark(i, j, l)));
    }
  }

  private static Range inside(Grid grid, Field u) {
    return around(grid, u, 0);
  }

  private static Range around(Grid grid, Field u, int depth) {
    int[] ends = new int[3];
    for (Axis axis : Axis.values()) {
      boolean there = axis.number() < grid.axes();
      ends[axis.number()] = there ? grid.cells(axis) + (u.at().isAtEnds(axis) ? 1 : 0) : 0;
    }
    return switch (grid.axes()) {
      case 1 -> grid.range(-depth, ends[0] + depth);
      case 2 -> grid.range(-depth, ends[0] + depth, -depth, ends[1] + depth);
      default ->
          grid.range(-depth, ends[0] + depth, -depth, ends[1] + depth, -depth, ends[2] + depth);
    };
  }

  /** Which value belongs at a point: axis by axis, whatever the others do. */
  private record Expected(Kind kind, int[] cells, At at, @Nullable Axis negated) {
    double at(int... point) {
      int[] from = new int[3];
      double sign = 1;
      for (int axis = 0; axis < cells.length; axis++) {
        from[axis] = source(point[axis], axis);
        if (from[axis] != point[axis] && negated != null && negated.number() == axis) {
          sign = -sign;
        }
      }
      return sign * mark(from[0], from[1], from[2]);
    }

    private int source(int index, int axis) {
      int n = cells[axis];
      boolean atEnds = at.isAtEnds(Axis.values()[axis]);
      int last = atEnds ? n : n - 1;
      if (index >= 0 && index <= last) {
        return index;
      }
      return switch (kind) {
        case COPY -> index < 0 ? 0 : last;
        case PERIODIC -> Math.floorMod(index, n);
        case REFLECT -> {
          int mirrored = atEnds ? 0 : 1;
          yield index < 0 ? -index - mirrored : 2 * last - index + mirrored;
        }
      };
    }
  }

  /** How far any point, inside or around, is from what it should be. */
  private static double worst(Mesh mesh, Grid grid, Field u, int depth, Expected expected) {
    Range all = around(grid, u, depth);
    return switch (grid.axes()) {
      case 1 -> mesh.max("worst", all, reads(u), (k, i) -> off(u.at(k), expected.at(i, 0, 0)));
      case 2 -> mesh.max("worst", all, reads(u), (k, i, j) -> off(u.at(k), expected.at(i, j, 0)));
      default ->
          mesh.max("worst", all, reads(u), (k, i, j, l) -> off(u.at(k), expected.at(i, j, l)));
    };
  }

  private static double off(double found, double wanted) {
    return found == wanted ? 0 : 1; // also if it is not a number
  }
}
