// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.updates;
import static org.cairn.mesh.Access.writes;

import java.util.List;
import org.cairn.mesh.Lives.Life;
import org.cairn.mesh.kernel.Point;
import org.cairn.mesh.weave.LogLines;
import org.cairn.testkit.store.MemoryDirectories;
import org.junit.jupiter.api.Test;

/** A kernel that does something else under the same name is told, and the program goes on. */
class ChangedKernelTest {
  private static final String TOLD = "does not do what the one did that was saved";

  /** A constant, a method or an operation that differs, or a line of the source only. */
  private static Point grow(Field u, int which) {
    return switch (which) {
      case 0 -> k -> u.set(k, Math.max(u.at(k), 1) * 1.5);
      case 1 -> k -> u.set(k, Math.max(u.at(k), 1) * 1.25);
      case 2 -> k -> u.set(k, Math.min(u.at(k), 1) * 1.5);
      case 3 -> k -> u.set(k, Math.max(u.at(k), 1) + 1.5);
      default ->
          k -> {
            u.set(k, Math.max(u.at(k), 1) * 1.5);
          };
    };
  }

  private static List<Double> program(Mesh mesh, Life life, int which) {
    Grid grid = mesh.grid("g", 6, 5);
    Field u = grid.field("u");
    mesh.each("start", grid.all(), writes(u), (k, i, j) -> u.set(k, i));
    mesh.ready();
    for (int step = 0; step < 16; step++) {
      life.tick();
      mesh.each("grow", grid.all(), updates(u), grow(u, which));
    }
    return List.of(mesh.sum("all", grid.all(), reads(u), k -> u.at(k)));
  }

  private List<String> saidAfter(int which) {
    MemoryDirectories empty = new MemoryDirectories();
    new Lives((mesh, life) -> program(mesh, life, 0), empty).dieAt(10);
    try (LogLines log = new LogLines(Mesh.class.getName())) {
      new Lives((mesh, life) -> program(mesh, life, which), empty).end();
      return log.with(TOLD);
    }
  }

  @Test
  void anotherConstantMethodOrOperationIsTold() {
    for (int which = 1; which <= 3; which++) {
      assertThat(saidAfter(which))
          .as("kernel %d", which)
          .singleElement()
          .asString()
          .contains("\"grow\"");
    }
  }

  private static List<Double> joined(Mesh mesh, Life life, int... axes) {
    Grid grid = mesh.grid("g", 6, 6);
    Field u = grid.field("u");
    mesh.each("start", grid.all(), writes(u), (k, i, j) -> u.set(k, i + 3.0 * j));
    mesh.ready();
    for (int step = 0; step < 16; step++) {
      life.tick();
      mesh.join(grid.range(0, 2, 0, 2), grid.range(4, 6, 4, 6), axes).copy(u, u);
      mesh.each("grow", grid.all(), updates(u), k -> u.set(k, u.at(k) * 1.5));
    }
    return List.of(mesh.sum("all", grid.all(), reads(u), k -> u.at(k)));
  }

  @Test
  void aJoinThatIsTurnedAnotherWayIsTold() {
    for (int turned : new int[] {2, -2}) {
      MemoryDirectories empty = new MemoryDirectories();
      new Lives((mesh, life) -> joined(mesh, life, 2, -1), empty).dieAt(10);
      try (LogLines log = new LogLines(Mesh.class.getName())) {
        new Lives((mesh, life) -> joined(mesh, life, turned, -1), empty).end();
        assertThat(log.with(TOLD)).hasSize(turned == 2 ? 0 : 1);
      }
    }
  }

  @Test
  void theSameInOtherLinesIsNot() {
    assertThat(saidAfter(0)).isEmpty();
    assertThat(saidAfter(4)).isEmpty();
  }
}
