// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.updates;
import static org.cairn.mesh.Access.writes;

import java.util.ArrayList;
import java.util.List;
import org.cairn.mesh.Lives.Life;
import org.junit.jupiter.api.Test;

/** What a program does, and does not do, on its way to where it was. */
class ReplayingTest {
  private static final int STEPS = 20;

  private final List<String> ran = new ArrayList<>();

  private List<Double> program(Mesh mesh, Life life) {
    Grid grid = mesh.grid("g", 3, 1);
    Field u = grid.field("u");
    mesh.each(
        "start",
        grid.cells(),
        writes(u),
        k -> {
          ran.add("start");
          u.set(k, 1);
        });
    mesh.ready();
    for (int step = 0; step < STEPS; step++) {
      life.tick();
      if (mesh.replaying()) {
        mesh.checkpoint(); // means nothing on the way
        assertThat(mesh.stats().checkpoints()).isZero();
      }
      String name = "step " + step;
      double by = mesh.sum("sum", grid.cells(), reads(u), k -> u.at(k));
      mesh.each(
          "add",
          grid.cells(),
          updates(u),
          k -> {
            ran.add(name);
            u.set(k, u.at(k) + by);
          });
    }
    return List.of(mesh.sum("all", grid.cells(), reads(u), k -> u.at(k)));
  }

  /** Only the initial phase is run, and nothing is saved. */
  @Test
  void loopsAreSkippedAndNothingIsSaved() {
    List<Double> straight = Lives.undisturbed(this::program);
    Lives lives = new Lives(this::program);
    lives.dieAt(15);
    long newest = lives.versions().getFirst().id().sequence();
    ran.clear();

    assertThat(lives.end()).isEqualTo(straight);

    assertThat(ran.subList(0, 3)).containsOnly("start");
    assertThat(ran.get(3)).isIn("step 13", "step 14");
    assertThat(lives.versions().getFirst().id().sequence()).isGreaterThan(newest);
  }
}
