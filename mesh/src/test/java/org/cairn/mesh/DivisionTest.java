// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.writes;
import static org.cairn.mesh.Stencil.STAR;

import java.util.List;
import org.cairn.mesh.Lives.Life;
import org.junit.jupiter.api.Test;

/** Grids of one, two and three axes end alike however they are divided among ranks and threads. */
class DivisionTest {
  private static final int STEPS = 6;

  private static double start(int i, int j, int l) {
    return Math.sin(i * .7 + j * 1.3 + l * 2.1) * 1e3 + 1.0 / (i + 7 * j + 3 * l + 40);
  }

  private static List<Double> line(Mesh mesh, Life life) {
    Grid grid = mesh.grid("line", 2_500).halo(1);
    Field u = grid.field("u");
    Field v = grid.field("v");
    int e = grid.east();
    mesh.each("start", grid.all(), writes(u), (k, i) -> u.set(k, start(i, 0, 0)));
    mesh.ready();
    for (int step = 0; step < STEPS; step++) {
      life.tick();
      mesh.each(
          "relax",
          grid.cells(),
          reads(u, STAR),
          writes(v),
          k -> v.set(k, .5 * (u.at(k - e) + u.at(k + e))));
      mesh.each("copy", grid.cells(), reads(v), writes(u), k -> u.set(k, v.at(k)));
    }
    return List.of(
        mesh.sum("sum", grid.all(), reads(u), k -> u.at(k)),
        mesh.sum("in order", grid.all().inOrder(), reads(u), k -> u.at(k)),
        mesh.min("min", grid.all(), reads(u), k -> u.at(k)));
  }

  private static List<Double> plane(Mesh mesh, Life life, int nx, int ny) {
    Grid grid = mesh.grid("plane", nx, ny).halo(1);
    Field u = grid.field("u");
    Field v = grid.field("v");
    int e = grid.east();
    int n = grid.north();
    mesh.each("start", grid.all(), writes(u), (k, i, j) -> u.set(k, start(i, j, 0)));
    mesh.ready();
    double first = mesh.sum("first", grid.cells().inOrder(), reads(u), k -> u.at(k));
    for (int step = 0; step < STEPS; step++) {
      life.tick();
      mesh.each(
          "relax",
          grid.cells(),
          reads(u, STAR),
          writes(v),
          k -> v.set(k, .25 * (u.at(k - e) + u.at(k + e) + u.at(k - n) + u.at(k + n))));
      mesh.each("copy", grid.cells(), reads(v), writes(u), k -> u.set(k, v.at(k)));
    }
    return List.of(
        first,
        mesh.sum("sum", grid.all(), reads(u), k -> u.at(k)),
        mesh.sum("in order", grid.all().inOrder(), reads(u), k -> u.at(k)),
        mesh.max("max", grid.all(), reads(u), k -> u.at(k)));
  }

  private static List<Double> block(Mesh mesh, Life life) {
    Grid grid = mesh.grid("block", 24, 21, 22).halo(1);
    Field u = grid.field("u");
    Field v = grid.field("v");
    int e = grid.east();
    int n = grid.north();
    int up = grid.up();
    mesh.each("start", grid.all(), writes(u), (k, i, j, l) -> u.set(k, start(i, j, l)));
    mesh.ready();
    for (int step = 0; step < STEPS; step++) {
      life.tick();
      mesh.each(
          "relax",
          grid.cells(),
          reads(u, STAR),
          writes(v),
          k ->
              v.set(
                  k,
                  .2 * (u.at(k - e) + u.at(k + e) + u.at(k - n) + u.at(k + n))
                      + .1 * (u.at(k - up) + u.at(k + up))));
      mesh.each("copy", grid.cells(), reads(v), writes(u), k -> u.set(k, v.at(k)));
    }
    return List.of(
        mesh.sum("sum", grid.all(), reads(u), k -> u.at(k)),
        mesh.sum("in order", grid.all().inOrder(), reads(u), k -> u.at(k)));
  }

  /** Alike on all numbers of ranks and threads, and when it moves from one to the other. */
  private static List<Double> requireSame(Lives.Program program, int... ranks) {
    List<Double> straight = Lives.undisturbed(program);
    for (int count : ranks) {
      for (int threads : new int[] {1, 2}) {
        Lives lives = new Lives(program).with(Lives.often().threads(threads));
        lives.dieAt(count, 4);
        assertThat(lives.end(count % 3 + 1))
            .as("%d ranks, %d threads", count, threads)
            .isEqualTo(straight);
      }
    }
    return straight;
  }

  @Test
  void aLine() {
    requireSame(DivisionTest::line, 1, 3);
  }

  /** Large enough that threads share the points. */
  @Test
  void aPlane() {
    requireSame((mesh, life) -> plane(mesh, life, 160, 120), 1, 2, 4);
  }

  @Test
  void aBlock() {
    requireSame(DivisionTest::block, 1, 2);
  }

  /** So few rows that they are cut, at columns that are multiples of 1,024. */
  @Test
  void longRowsThatAreCut() {
    List<Double> ends = requireSame((mesh, life) -> plane(mesh, life, 3_000, 4), 2, 3);

    double inOrder = 0;
    for (int j = 0; j < 4; j++) {
      for (int i = 0; i < 3_000; i++) {
        inOrder += start(i, j, 0);
      }
    }
    assertThat(ends.getFirst()).isEqualTo(inOrder);
  }
}
