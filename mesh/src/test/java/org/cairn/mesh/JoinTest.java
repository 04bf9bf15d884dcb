// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.writes;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import org.cairn.comm.Ranks;
import org.cairn.comm.SoloCommunicator;
import org.cairn.testkit.random.SeededTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values across seams and around grids, the same on any number of ranks. */
class JoinTest {
  @TempDir Path folder;

  private void onAnyRanks(double expected, ToDoubleFunction<Mesh> program) {
    for (int ranks : List.of(1, 2, 3)) {
      Ranks.run(
          ranks,
          comm -> {
            MeshOptions options = MeshOptions.defaults().threads(1);
            try (Mesh mesh = Mesh.open(folder.resolve("on" + ranks), comm, options)) {
              assertThat(program.applyAsDouble(mesh)).isEqualTo(expected);
            }
          });
    }
  }

  private static double at(Mesh mesh, Field field, int i, int j) {
    return mesh.fetch(field, i, j);
  }

  @Test
  void bringsValuesOfOneGridToAnother() {
    onAnyRanks(
        3 + 100 * 5,
        mesh -> {
          Grid left = mesh.grid("left", 4, 9);
          Grid right = mesh.grid("right", 6, 9);
          Field u = left.field("u");
          Field v = right.field("v");
          mesh.each("fill", left.cells(), writes(u), (k, i, j) -> u.set(k, i + 100 * j));
          mesh.join(left.range(3, 4, 0, 9), right.range(-1, 0, 0, 9)).copy(u, v);
          return at(mesh, v, -1, 5);
        });
  }

  @Test
  void turnsAsItIsTold() {
    // The top row of one is the left column of the other, backward.
    onAnyRanks(
        2 + 100 * 8,
        mesh -> {
          Grid top = mesh.grid("top", 9, 9);
          Grid side = mesh.grid("side", 9, 9);
          Field u = top.field("u");
          Field v = side.field("v");
          mesh.each("fill", top.cells(), writes(u), (k, i, j) -> u.set(k, i + 100 * j));
          mesh.join(top.range(0, 9, 8, 9), side.range(-1, 0, 0, 9), 2, -1).copy(u, v);
          return at(mesh, v, -1, 6);
        });
  }

  /** Boxes of two grids of three axes, turned in any way, against a plain function of indices. */
  @SeededTest(seeds = 12)
  void turnsInAnyWay(Random random) {
    int[] extent = {2 + random.nextInt(3), 3 + random.nextInt(4), 3 + random.nextInt(4)};
    List<Integer> order = new ArrayList<>(List.of(0, 1, 2));
    Collections.shuffle(order, random);
    int[] axes = new int[3];
    int[] there = new int[3];
    for (int axis = 0; axis < 3; axis++) {
      axes[axis] = (order.get(axis) + 1) * (random.nextBoolean() ? 1 : -1);
      there[axis] = extent[order.get(axis)];
    }
    int[] begin = {random.nextInt(3), random.nextInt(3), random.nextInt(3)};
    int[] target = {-1, random.nextInt(2), random.nextInt(2)};
    onAnyRanks(
        0,
        mesh -> {
          Grid a = mesh.grid("a", 7, 9, 10);
          Grid b = mesh.grid("b", 9, 9, 9);
          FloatField u = a.floats("u");
          FloatField v = b.floats("v");
          LongField m = a.longs("m");
          LongField n = b.longs("n");
          mesh.each(
              "fill",
              a.all(),
              writes(u, m),
              (k, i, j, l) -> {
                u.set(k, i + 20 * j + 400 * l);
                m.set(k, -i - 20 * j - 400 * l);
              });
          mesh.join(box(a, begin, extent), box(b, target, there), axes).copy(u, v, m, n);
          return mesh.max(
              "differs",
              box(b, target, there),
              reads(v, n),
              (k, i, j, l) -> {
                int[] at = {i - target[0], j - target[1], l - target[2]};
                int[] from = new int[3];
                for (int axis = 0; axis < 3; axis++) {
                  int of = Math.abs(axes[axis]) - 1;
                  from[of] = begin[of] + (axes[axis] > 0 ? at[axis] : extent[of] - 1 - at[axis]);
                }
                int expected = from[0] + 20 * from[1] + 400 * from[2];
                return Math.abs(v.at(k) - expected) + Math.abs(n.at(k) + expected);
              });
        });
  }

  private static Range box(Grid grid, int[] begin, int[] extent) {
    return grid.range(
        begin[0],
        begin[0] + extent[0],
        begin[1],
        begin[1] + extent[1],
        begin[2],
        begin[2] + extent[2]);
  }

  @Test
  void wrapsAround() {
    onAnyRanks(
        (7 + 100 * 11) + (0 + 100 * 10) / 2.,
        mesh -> {
          Grid grid = mesh.grid("torus", 8, 12).halo(2);
          Field u = grid.field("u");
          mesh.each("fill", grid.cells(), writes(u), (k, i, j) -> u.set(k, i + 100 * j));
          Boundary.periodic(2).apply(mesh, u);
          return at(mesh, u, -1, -1) + at(mesh, u, 8, -2) / 2;
        });
  }

  @Test
  void reflectsCellsBetweenAndNodesAtTheWall() {
    onAnyRanks(
        (1 + 100 * 0) - (2 + 100 * 1),
        mesh -> {
          Grid grid = mesh.grid("box", 8, 12).halo(2);
          Field cells = grid.field("cells");
          Field nodes = grid.field("nodes", At.NODES);
          mesh.each(
              "fill",
              grid.nodes(),
              writes(cells, nodes),
              (k, i, j) -> {
                cells.set(k, i + 100 * j);
                nodes.set(k, i + 100 * j);
              });
          Boundary.reflect(2).apply(mesh, cells);
          Boundary.reflect(2).negating(Axis.X).apply(mesh, nodes);
          return at(mesh, cells, -2, 0) + at(mesh, nodes, -2, 1);
        });
  }

  @Test
  void copiesTheLastInside() {
    onAnyRanks(
        7 + 100 * 11,
        mesh -> {
          Grid grid = mesh.grid("box", 8, 12).halo(2);
          Field u = grid.field("u");
          mesh.each("fill", grid.cells(), writes(u), (k, i, j) -> u.set(k, i + 100 * j));
          Boundary.copy(2).apply(mesh, u);
          return at(mesh, u, 9, 13);
        });
  }

  @Test
  void isRefusedWhereItDoesNotFit() {
    try (Mesh mesh = Mesh.open(folder, new SoloCommunicator())) {
      Grid a = mesh.grid("a", 4, 4);
      Grid b = mesh.grid("b", 4, 4);
      assertThatThrownBy(() -> mesh.join(a.range(0, 4, 0, 1), b.range(0, 3, 0, 1)))
          .hasMessageContaining("along axis 1")
          .hasMessageContaining("3 points, and the former has 4");
      assertThatThrownBy(() -> mesh.join(a.cells(), b.cells(), 1, 1))
          .hasMessageContaining("each axis once");
      assertThatThrownBy(() -> mesh.join(a.cells(), b.cells(), 2))
          .hasMessage("a join of grids of 2 axes is turned by as many numbers, not 1");
      Grid cube = mesh.grid("cube", 4, 4, 4);
      assertThatThrownBy(() -> mesh.join(cube.range(0, 4, 0, 4, 3, 4), a.cells(), -2, 1))
          .hasMessageContaining("of grids of 3 and 2 axes, cannot be turned; join it as it lies");
      Field u = a.field("u");
      assertThatThrownBy(() -> mesh.join(a.cells(), b.cells()).copy(u))
          .hasMessageContaining("none to go to");
      assertThatThrownBy(() -> mesh.join(a.cells(), b.cells()).copy(u, a.ints("n")))
          .hasMessageContaining("belongs to \"a\"");
      assertThat(mesh.max("max", a.cells(), reads(u), k -> u.at(k))).isZero();
    }
  }
}
