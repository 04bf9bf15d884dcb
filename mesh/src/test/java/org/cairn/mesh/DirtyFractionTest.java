// SPDX-License-Identifier: Apache-2.0
package org.cairn.mesh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.cairn.mesh.Access.reads;
import static org.cairn.mesh.Access.updates;
import static org.cairn.mesh.Access.writes;

import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A place is weighed by what was seen to change, not only by what loops write. */
class DirtyFractionTest {
  private static final int STEPS = 200;

  private final AtomicReference<String> report = new AtomicReference<>("");

  /**
   * Before "there" the still field is needed, before "back" the moving one, which is half as large.
   *
   * @param known how often the still one is saved before that
   */
  private List<Double> program(Mesh mesh, int known) {
    Grid grid = mesh.grid("g", 16, 16);
    Field still = grid.field("still");
    FloatField moving = grid.floats("moving");
    mesh.each("start", grid.all(), writes(still), (k, i, j) -> still.set(k, i + 2 * j));
    mesh.ready();
    for (int step = 0; step < known; step++) {
      mesh.each("keep", grid.all(), updates(still), k -> still.set(k, still.at(k)));
    }
    for (int step = 0; step < STEPS; step++) {
      int by = step;
      mesh.each(
          "there",
          grid.all(),
          reads(still),
          writes(moving),
          k -> moving.set(k, (float) still.at(k) + by));
      mesh.each(
          "back", grid.all(), reads(moving), writes(still), k -> still.set(k, moving.at(k) - by));
    }
    report.set(mesh.report());
    return List.of(mesh.sum("sum", grid.all(), reads(still), k -> still.at(k)));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aFieldThatWasSeenToStayIsCheap(int ranks) {
    new Lives((mesh, life) -> program(mesh, 40)).end(ranks);

    assertThat(report.get()).contains("before \"there\"");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aFieldThatNobodySavedCountsByItsSize(int ranks) {
    new Lives((mesh, life) -> program(mesh, 0)).end(ranks);

    assertThat(report.get()).contains("before \"back\"");
  }
}
